#include "gpode/forecast.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "gpode/error.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using namespace testing_support;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Times up to five units before and after the start, and the start itself.
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
  ExpectNearTruth(model, forecast.Mean(), InitialMeans(model).row(0), 0.01);
}

TEST(Forecast, EveryTrajectoryHasItsStart) {
  const Model model = Rotation();
  const std::vector<double> times = {kStart + 1};
  const Matrix mean = ForecastTrajectory(model, 1, times, {.draws = 4}).Mean();
  const Matrix expected = model.map.Apply(InitialMeans(model).row(1));
  EXPECT_LT((mean - expected).norm(), 0.1);
}

TEST(Forecast, FromAKnownState) {
  const Model model = Rotation();
  const Vector x0{{0.4, -1.2}};
  const Matrix values = model.map.Apply(x0.transpose());
  const Forecast forecast = ForecastFrom(model, {values.data(), 3}, kStart, kTimes, {.draws = 16});
  ExpectNearTruth(model, forecast.Mean(), x0, 0.01);
  for (const auto& draw : forecast.draws) {
    EXPECT_LT((draw.row(4) - values).norm(), 1e-10) << "the start is known exactly";
  }
}

// The start state is the least-squares fit to the values of all channels. Values orthogonal to the
// range of the observation matrix C, added to these, do not change the state.
TEST(Forecast, ValuesAreMappedToTheNearestState) {
  const Model model = Rotation();
  const Vector x0{{0.4, -1.2}};
  Matrix values = model.map.Apply(x0.transpose());
  // `outside` is orthogonal to both columns of C.
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
  for (const auto& draw : forecast.draws) {
    EXPECT_GE((draw - forecast.Quantile(0)).minCoeff(), 0.0);
    EXPECT_GE((forecast.Quantile(1) - draw).minCoeff(), 0.0);
  }
}

TEST(Forecast, QuantileInterpolates) {
  Forecast forecast;
  for (double v : {3.0, 1.0, 2.0}) forecast.draws.push_back(Matrix::Constant(1, 1, v));
  EXPECT_DOUBLE_EQ(forecast.Quantile(0.5)(0, 0), 2.0);
  EXPECT_DOUBLE_EQ(forecast.Quantile(0.25)(0, 0), 1.5);
  EXPECT_DOUBLE_EQ(forecast.Quantile(1.0)(0, 0), 3.0);
  forecast.draws[1].setConstant(NAN);
  EXPECT_TRUE(std::isnan(forecast.Mean()(0, 0)));
  for (auto draw : forecast.draws) draw.setConstant(NAN);
  EXPECT_TRUE(std::isnan(forecast.Quantile(0.5)(0, 0)));
  EXPECT_THROW(forecast.Quantile(1.5), InputError);
  EXPECT_THROW(forecast.Quantile(NAN), InputError);
}

// With one draw, the predictive distribution is a normal one, whose quantiles are known.
TEST(Forecast, PredictiveQuantileOfOneDraw) {
  Forecast forecast;
  forecast.draws = {Matrix{{4.0, -1.0}}};
  forecast.noise = GaussianNoise(Vector{{0.25, 9.0}});
  const Matrix high = forecast.PredictiveQuantile(0.95), middle = forecast.PredictiveQuantile(0.5);
  EXPECT_NEAR(high(0, 0), 4.0 + 0.5 * 1.6448536269514722, 1e-8);
  EXPECT_NEAR(high(0, 1), -1.0 + 3.0 * 1.6448536269514722, 1e-8);
  EXPECT_NEAR(middle(0, 0), 4.0, 1e-8);
  EXPECT_EQ(forecast.PredictiveQuantile(1)(0, 0), INFINITY);
  EXPECT_EQ(forecast.PredictiveQuantile(0)(0, 0), -INFINITY);
  forecast.noise.parameters.setZero();
  EXPECT_EQ(forecast.PredictiveQuantile(0.95)(0, 0), 4.0);
  forecast.noise.parameters.resize(1);
  EXPECT_THROW(forecast.PredictiveQuantile(0.5), InputError);
}

// The two draws are far apart, so that half of the mass is around each of them.
TEST(Forecast, PredictiveQuantileOfAMixture) {
  Forecast forecast;
  for (double v : {100.0, -100.0}) forecast.draws.push_back(Matrix::Constant(1, 1, v));
  forecast.noise = GaussianNoise(Vector::Ones(1));
  EXPECT_NEAR(forecast.PredictiveQuantile(0.475)(0, 0), -100 + 1.6448536269514722, 1e-8);
  EXPECT_NEAR(forecast.PredictiveQuantile(0.525)(0, 0), 100 - 1.6448536269514722, 1e-8);
  forecast.draws = {Matrix::Constant(1, 1, kNaN)};
  EXPECT_TRUE(std::isnan(forecast.PredictiveQuantile(0.5)(0, 0)));
}

// Returns a forecast with the draws 1, 2, ..., of which the last `lost` are NaN.
Forecast WithLostDraws(std::size_t draws, std::size_t lost) {
  Forecast forecast{.times = {0}, .diverged = lost};
  for (std::size_t i = 0; i < draws; ++i) {
    const double value = i + lost < draws ? static_cast<double>(i + 1) : kNaN;
    forecast.draws.push_back(Matrix::Constant(1, 1, value));
  }
  forecast.noise = GaussianNoise(Vector::Constant(1, 1e-6));
  return forecast;
}

// Bands were once computed from the remaining draws alone, which made them too narrow.
TEST(Forecast, AFewLostDrawsWidenBands) {
  const Forecast forecast = WithLostDraws(100, 5);
  EXPECT_EQ(forecast.Quantile(0.5)(0, 0), 48) << "the median of 1 to 95";
  // If the lost draws are the smallest of 100, the quantile 0.1 of all is the quantile 0.05 / 0.95
  // of the others.
  EXPECT_NEAR(forecast.Quantile(0.1)(0, 0), 1 + 94 * 0.05 / 0.95, 1e-9);
  EXPECT_NEAR(forecast.Quantile(0.9)(0, 0), 1 + 94 * 0.9 / 0.95, 1e-9);
  EXPECT_NEAR(forecast.PredictiveQuantile(0.2)(0, 0), forecast.Quantile(0.2)(0, 0), 1);
  EXPECT_LT(forecast.Quantile(0.1)(0, 0), WithLostDraws(95, 0).Quantile(0.1)(0, 0));
  for (double p : {0.0, 0.04, 0.05, 0.95, 0.96, 1.0}) {
    EXPECT_TRUE(std::isnan(forecast.Quantile(p)(0, 0))) << p << " may be one of the lost draws";
    EXPECT_TRUE(std::isnan(forecast.PredictiveQuantile(p)(0, 0))) << p;
  }
  LostDraws lost;
  lost.Add(forecast);
  EXPECT_EQ(lost.Warning(), "");
}

TEST(Forecast, ManyLostDrawsLeaveNoQuantileAndAWarning) {
  const Forecast forecast = WithLostDraws(100, 6);
  for (double p : {0.1, 0.5, 0.9}) EXPECT_TRUE(std::isnan(forecast.Quantile(p)(0, 0))) << p;
  LostDraws lost;
  lost.Add(forecast);
  EXPECT_TRUE(lost.many);
  EXPECT_FALSE(lost.all);
  EXPECT_EQ(lost.Warning(),
            "6 of 100 draws are lost (6 run away); quantiles are empty where more than 5 % are");
  lost.Add(WithLostDraws(2, 2));
  EXPECT_TRUE(lost.all);
}

TEST(Forecast, WithoutDrawsThereIsNothingToSay) {
  EXPECT_THROW(Forecast().Mean(), InputError);
  EXPECT_THROW(Forecast().Quantile(0.5), InputError);
}

// Draws that ran out of steps were once counted as diverged.
TEST(Forecast, DrawsThatRanOutOfStepsAreCountedAndNaN) {
  Model model = Rotation();
  model.options.solver.max_steps = 1;
  const Forecast forecast = ForecastTrajectory(model, 0, kTimes, {.draws = 3});
  EXPECT_EQ(forecast.diverged, 0u);
  EXPECT_EQ(forecast.unfinished, (std::vector<std::size_t>{0, 1, 2}));
  for (const auto& draw : forecast.draws) {
    EXPECT_TRUE(std::isnan(draw(0, 0))) << "too far back";
    EXPECT_TRUE(std::isfinite(draw(4, 0))) << "the start";
    EXPECT_TRUE(std::isnan(draw(8, 0))) << "too far ahead";
  }
}

// A long forecast was once allowed only as many steps as one over the span of the data. It lost
// draws, and the bands came from the other draws.
TEST(Forecast, TheStepsAllowedGrowWithTheSpan) {
  Model model = Rotation();
  model.options.solver.rtol = model.options.solver.atol = 1e-8;
  model.options.solver.max_steps = 40;
  const std::vector<double> once = {kStart + 5}, often = {kStart + 100};
  EXPECT_TRUE(ForecastTrajectory(model, 0, once, {.draws = 3}).unfinished.empty());
  EXPECT_TRUE(ForecastTrajectory(model, 0, often, {.draws = 3}).unfinished.empty());
  model.end_times = {kStart + 100, kStart + 100};
  EXPECT_EQ(ForecastTrajectory(model, 0, often, {.draws = 3}).unfinished.size(), 3u)
      << "40 steps are not enough";
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
  EXPECT_EQ(MessageFor(2, {10, 11}, 2),
            "ForecastTrajectory: trajectory is 2, must be less than the model's 2");
  const std::vector<double> values = {1, 2};
  EXPECT_THROW(ForecastFrom(Rotation(), values, 0, kTimes), InputError);
}

}  // namespace
}  // namespace gpode
