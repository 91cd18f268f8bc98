#include "gpode/forecast.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "gpode/error.h"

namespace gpode {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// In the model's coordinates a damped rotation, x' = (-damping x + y, -x - damping y), learnt on a
// grid with hardly any doubt; seen in other units through three channels.
constexpr double kDamping = 0.1, kTimeScale = 2.0, kStart = 10.0;

Matrix TrueState(const Vector& x0, double time) {
  const double t = (time - kStart) / kTimeScale, decay = std::exp(-kDamping * t);
  Matrix x(1, 2);
  x << decay * (x0[0] * std::cos(t) + x0[1] * std::sin(t)),
      decay * (x0[1] * std::cos(t) - x0[0] * std::sin(t));
  return x;
}

Model Rotation(double doubt = 1e-3) {
  Model model;
  model.options.features = 64;
  model.channels = {"a", "b", "c"};
  model.map.matrix = Matrix(3, 2);
  model.map.matrix << 20, 0, 0, 0.5, 3, -4;
  model.map.offset = Vector{{100, -1, 0}};
  model.time_scale = kTimeScale;
  model.start_times = {kStart, kStart + 1};
  model.noise_variance = Vector::Ones(3);
  model.x0_mean = Matrix(2, 2);
  model.x0_mean << 1, 0.5, -0.8, 0.3;
  model.x0_chol.assign(2, 1e-3 * Matrix::Identity(2, 2));

  constexpr Eigen::Index kSide = 7, kInducing = kSide * kSide;
  GpParameters& gp = model.gp;
  gp.inducing_locations.resize(kInducing, 2);
  for (Eigen::Index i = 0; i < kInducing; ++i) {
    gp.inducing_locations.row(i) << 0.75 * static_cast<double>(i / kSide - kSide / 2),
        0.75 * static_cast<double>(i % kSide - kSide / 2);
  }
  gp.lengthscales = Matrix::Constant(1, 2, 2.0);
  gp.variances = Vector::Ones(1);
  gp.inducing_mean = Matrix::Zero(2, kInducing);
  gp.inducing_chol.assign(2, doubt * Matrix::Identity(kInducing, kInducing));
  SparseGp sparse(GetKernel(model.options.kernel), model.options.jitter);
  EXPECT_EQ(sparse.Set(gp), FactorStatus::kOk);
  const Matrix& z = gp.inducing_locations;
  Matrix field(kInducing, 2);
  field.col(0) = -kDamping * z.col(0) + z.col(1);
  field.col(1) = -z.col(0) - kDamping * z.col(1);
  const Matrix whitened = sparse.Factor(0).triangularView<Eigen::Lower>().solve(field);
  gp.inducing_mean = whitened.transpose();
  return model;
}

// Five units of the user's time on either side of the start, which is among them.
const std::vector<double> kTimes = {5, 7, 8.5, 9.9, 10, 10.1, 12, 14, 15};

void ExpectNearTruth(const Model& model, const Matrix& values, const Vector& x0, double tolerance) {
  ASSERT_EQ(values.rows(), static_cast<Eigen::Index>(kTimes.size()));
  for (std::size_t i = 0; i < kTimes.size(); ++i) {
    const Matrix truth = model.map.Apply(TrueState(x0, kTimes[i]));
    for (Eigen::Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(values(i, c), truth(0, c), tolerance * model.map.matrix.row(c).norm())
          << "time " << kTimes[i] << ", channel " << c;
    }
  }
}

TEST(Forecast, MeanIsNearTheTruthForwardsAndBackwards) {
  const Model model = Rotation();
  const Forecast forecast = ForecastTrajectory(model, 0, kTimes, {.draws = 16});
  EXPECT_EQ(forecast.times, kTimes);
  EXPECT_EQ(forecast.draws.size(), 16u);
  EXPECT_EQ(forecast.diverged, 0u);
  ExpectNearTruth(model, forecast.Mean(), model.x0_mean.row(0), 0.01);
}

TEST(Forecast, EveryTrajectoryHasItsStart) {
  const Model model = Rotation();
  const std::vector<double> times = {kStart + 1};
  const Matrix mean = ForecastTrajectory(model, 1, times, {.draws = 4}).Mean();
  const Matrix expected = model.map.Apply(model.x0_mean.row(1));
  EXPECT_LT((mean - expected).norm(), 0.1);
}

TEST(Forecast, FromAKnownState) {
  const Model model = Rotation();
  const Vector x0{{0.4, -1.2}};
  const Matrix values = model.map.Apply(x0.transpose());
  const Forecast forecast = ForecastFrom(model, {values.data(), 3}, kStart, kTimes, {.draws = 16});
  ExpectNearTruth(model, forecast.Mean(), x0, 0.01);
  for (const Matrix& draw : forecast.draws) {
    EXPECT_LT((draw.row(4) - values).norm(), 1e-10) << "the start is known exactly";
  }
}

// In the values of all channels, least squares: what lies outside C's range has no say.
TEST(Forecast, ValuesAreMappedToTheNearestState) {
  const Model model = Rotation();
  const Vector x0{{0.4, -1.2}};
  Matrix values = model.map.Apply(x0.transpose());
  // Orthogonal to both columns of C.
  const Vector outside =
      Eigen::Vector3d(model.map.matrix.col(0)).cross(Eigen::Vector3d(model.map.matrix.col(1)));
  values.row(0) += 3.0 * outside.normalized().transpose();
  const Forecast forecast = ForecastFrom(model, {values.data(), 3}, kStart, kTimes, {.draws = 4});
  EXPECT_LT((forecast.draws[0].row(4) - model.map.Apply(x0.transpose())).norm(), 1e-9);
}

TEST(Forecast, SameBitsForAnyNumberOfThreads) {
  const Model model = Rotation(0.1);
  const Forecast one = ForecastTrajectory(model, 0, kTimes, {.draws = 7, .seed = 5, .threads = 1});
  const Forecast three =
      ForecastTrajectory(model, 0, kTimes, {.draws = 7, .seed = 5, .threads = 3});
  const Forecast other =
      ForecastTrajectory(model, 0, kTimes, {.draws = 7, .seed = 6, .threads = 3});
  for (std::size_t s = 0; s < 7; ++s) {
    EXPECT_EQ(one.draws[s], three.draws[s]) << s;
    EXPECT_NE(one.draws[s], other.draws[s]) << s;
    EXPECT_EQ(one.draws[s] == one.draws[0], s == 0) << "draws differ";
  }
}

TEST(Forecast, EveryDrawHasItsOwnField) {
  const std::vector<double> values = {110, -1, 0};
  const Forecast forecast = ForecastFrom(Rotation(0.1), values, kStart, kTimes, {.draws = 3});
  EXPECT_NE(forecast.draws[0], forecast.draws[1]);
  EXPECT_NE(forecast.draws[1], forecast.draws[2]);
}

TEST(Forecast, QuantilesAreOrdered) {
  const Forecast forecast = ForecastTrajectory(Rotation(0.1), 0, kTimes, {.draws = 12});
  const Matrix low = forecast.Quantile(0.05), middle = forecast.Quantile(0.5),
               high = forecast.Quantile(0.95);
  EXPECT_GT((middle - low).minCoeff(), 0.0);
  EXPECT_GT((high - middle).minCoeff(), 0.0);
  for (const Matrix& draw : forecast.draws) {
    EXPECT_GE((draw - forecast.Quantile(0)).minCoeff(), 0.0);
    EXPECT_GE((forecast.Quantile(1) - draw).minCoeff(), 0.0);
  }
}

TEST(Forecast, QuantileInterpolatesAndPassesOverDiverged) {
  Forecast forecast;
  for (double v : {3.0, 1.0, kNaN, 2.0}) forecast.draws.push_back(Matrix::Constant(1, 1, v));
  EXPECT_DOUBLE_EQ(forecast.Quantile(0.5)(0, 0), 2.0);
  EXPECT_DOUBLE_EQ(forecast.Quantile(0.25)(0, 0), 1.5);
  EXPECT_DOUBLE_EQ(forecast.Quantile(1.0)(0, 0), 3.0);
  EXPECT_TRUE(std::isnan(forecast.Mean()(0, 0)));
  for (Matrix& draw : forecast.draws) draw.setConstant(NAN);
  EXPECT_TRUE(std::isnan(forecast.Quantile(0.5)(0, 0)));
  EXPECT_THROW(forecast.Quantile(1.5), InputError);
  EXPECT_THROW(forecast.Quantile(NAN), InputError);
}

TEST(Forecast, DivergedDrawsAreCountedAndNaN) {
  Model model = Rotation();
  model.options.solver.max_steps = 1;
  const Forecast forecast = ForecastTrajectory(model, 0, kTimes, {.draws = 3});
  EXPECT_EQ(forecast.diverged, 3u);
  for (const Matrix& draw : forecast.draws) {
    EXPECT_TRUE(std::isnan(draw(0, 0))) << "too far back";
    EXPECT_TRUE(std::isfinite(draw(4, 0))) << "the start";
    EXPECT_TRUE(std::isnan(draw(8, 0))) << "too far ahead";
  }
}

std::string MessageFor(std::size_t trajectory, const std::vector<double>& times,
                       std::size_t draws) {
  try {
    ForecastTrajectory(Rotation(), trajectory, times, {.draws = draws});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Forecast, BadArgumentsAreNamed) {
  EXPECT_EQ(MessageFor(0, {10, 12, 11}, 2), "Forecast: times must increase");
  EXPECT_EQ(MessageFor(0, {10, NAN}, 2), "Forecast: times[1] is nan, must be finite");
  EXPECT_EQ(MessageFor(0, {10, 11}, 0), "Forecast: draws is 0, must be at least 1");
  EXPECT_EQ(MessageFor(2, {10, 11}, 2), "ForecastTrajectory: trajectory is not one of the model's");
  const std::vector<double> values = {1, 2};
  EXPECT_THROW(ForecastFrom(Rotation(), values, 0, kTimes), InputError);
}

}  // namespace
}  // namespace gpode
