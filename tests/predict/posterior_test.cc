#include "gpode/posterior.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "gpode/error.h"
#include "gpode/simulate.h"
#include "gpode/training.h"
#include "support/field_harness.h"
#include "support/message_of.h"
#include "support/rotation_model.h"

namespace gpode {
namespace {

using namespace testing_support;

const std::vector<double> kTimes = {7, 9.9, 10, 10.1, 12, 15};

Matrix UserState(const Model& model, const Matrix& z) {
  return (z * model.coordinates.state_scale.asDiagonal()).rowwise() +
         model.coordinates.state_offset.transpose();
}

Matrix TestPoints(const Model& model) {
  Matrix z(3, 2);
  z << 0.4, -1.0, -0.7, 0.6, 1.1, 0.2;
  return UserState(model, z);
}

// Returns the true dx/dt in the user's units, computed from its closed form in the model's units.
Matrix TrueField(const Model& model, const Matrix& states) {
  const Matrix z = (states.rowwise() - model.coordinates.state_offset.transpose()) *
                   model.coordinates.state_scale.cwiseInverse().asDiagonal();
  Matrix f(z.rows(), 2);
  f.col(0) = (-kDamping * z.col(0) + z.col(1)) * model.coordinates.state_scale[0] / kTimeScale;
  f.col(1) = (-z.col(0) - kDamping * z.col(1)) * model.coordinates.state_scale[1] / kTimeScale;
  return f;
}

// Returns the rotation with three shooting states. No integration would lead to the two of
// trajectory 0.
Model WithShootingStates() {
  Model model = Rotation();
  model.shooting_trajectory = {0, 0, 1};
  model.shooting_times = {11, 13, 12};
  const NamedValues before = model.parameters;
  MakeParameters(model);
  for (const ParameterBlock& block : before.layout.blocks()) {
    if (block.value_size > 0) Put(model, block.name, before[block.name]);
  }
  Put(model, "state_mean", Matrix{{-0.5, 0.5}, {0.2, -0.9}, {1, 1}});
  Put(model, "state_chol", Matrix{{0, 0, 0, 0}, {0.1, 0, 0, 0.1}, {0, 0, 0, 0}});
  return model;
}

TEST(Posterior, FieldMeanIsTheFieldInTheUsersUnits) {
  const Posterior posterior(Rotation());
  const Matrix points = TestPoints(posterior.model());
  const Matrix truth = TrueField(posterior.model(), points);
  EXPECT_LT((posterior.FieldMean(points) - truth).norm(), 0.02);
  EXPECT_LT((Evaluate(posterior.MeanField(), points) - posterior.FieldMean(points)).norm(), 1e-9);
}

TEST(Posterior, JacobianOfTheMean) {
  const Posterior posterior(Rotation());
  const Matrix jacobian =
      EvaluateJacobian(posterior.MeanField(), TestPoints(posterior.model()).row(0).transpose());
  Matrix truth(2, 2);
  truth << -kDamping, 2.0 / 5, -5.0 / 2, -kDamping;
  EXPECT_LT((jacobian - truth / kTimeScale).norm(), 0.02);
}

// The deviation of the inducing values is small here. With a larger one, the weights of a draw are
// so large that rounding errors of its values disturb finite differences.
TEST(Posterior, DrawnFieldsPassTheHarness) {
  const Posterior posterior(Rotation(0.03));
  ExpectStatesConsistent(posterior.DrawField(3, 1), TestPoints(posterior.model()));
  ExpectStatesConsistent(posterior.MeanField(), TestPoints(posterior.model()));
}

// The relative error of a variance from n draws is about sqrt(2 / n).
TEST(Posterior, FieldVarianceIsThatOfDraws) {
  const Posterior posterior(Rotation(0.3));
  const Matrix points = TestPoints(posterior.model()), mean = posterior.FieldMean(points);
  constexpr int kDraws = 600;
  Matrix squares = Matrix::Zero(3, 2);
  for (int i = 0; i < kDraws; ++i) {
    squares += (Evaluate(posterior.DrawField(1, i), points) - mean).cwiseAbs2() / kDraws;
  }
  const Matrix ratio = squares.cwiseQuotient(posterior.FieldVariance(points));
  EXPECT_LT((ratio.array() - 1).abs().maxCoeff(), 0.3) << ratio;
}

// A forecast integrates the drawn field in the model's units. The test integrates it in the user's
// units.
TEST(Posterior, ForecastsFollowTheDrawnFields) {
  const Posterior posterior(Rotation(0.1));
  const Matrix start = TestPoints(posterior.model()).row(0);
  const Forecast forecast = posterior.From({.mean = start.transpose()}, kStart, kTimes,
                                           {.draws = 3, .seed = 8, .states = true});
  ASSERT_EQ(forecast.states.size(), 3u);
  const std::vector<double> later = {12, 15};
  for (std::size_t i = 0; i < 3; ++i) {
    Matrix states(2, 2);
    Solver({.rtol = 1e-9, .atol = 1e-9})
        .Solve(posterior.DrawField(8, i), {start.data(), 2}, kStart, later, {states.data(), 4});
    EXPECT_LT((forecast.states[i].bottomRows(2) - states).norm(), 1e-3) << i;
    EXPECT_LT((forecast.states[i].row(2) - start).norm(), 1e-12) << "the start";
  }
}

TEST(Posterior, UncertainStart) {
  const Posterior posterior(Rotation());
  Matrix covariance(2, 2);
  covariance << 0.5, -0.3, -0.3, 0.4;
  const Vector mean{{2, -4}};
  const std::vector<double> at_start = {kStart};
  constexpr std::size_t kDraws = 3000;
  const Forecast forecast = posterior.From({mean, covariance}, kStart, at_start,
                                           {.draws = kDraws, .threads = 1, .states = true});
  Vector sum = Vector::Zero(2);
  Matrix squares = Matrix::Zero(2, 2);
  for (const Matrix& x : forecast.states) {
    sum += x.transpose() / kDraws;
    squares += (x.transpose() - mean) * (x - mean.transpose()) / kDraws;
  }
  EXPECT_LT((sum - mean).norm(), 0.06);
  EXPECT_LT((squares - covariance).norm(), 0.06);
}

// The second state is known exactly, so that the covariance is singular.
TEST(Posterior, SingularCovarianceOfTheStart) {
  const Posterior posterior(Rotation());
  Matrix covariance = Matrix::Zero(2, 2);
  covariance(0, 0) = 0.25;
  const std::vector<double> at_start = {kStart};
  const Forecast forecast =
      posterior.From({Vector{{2, -4}}, covariance}, kStart, at_start, {.draws = 5, .states = true});
  for (const Matrix& x : forecast.states) {
    EXPECT_NEAR(x(0, 1), -4, 1e-9);
    EXPECT_GT(std::fabs(x(0, 0) - 2), 1e-6);
  }
}

TEST(Posterior, StateOfChannels) {
  const Model model = Rotation();
  const Posterior posterior(model);
  const Matrix state = TestPoints(model).row(1);
  // The channels of a state x are C (x - offset) / scale + b.
  const Matrix c = model.map.matrix * model.coordinates.state_scale.cwiseInverse().asDiagonal();
  Vector values = c * (state.transpose() - model.coordinates.state_offset) + model.map.offset;
  const Matrix covariance = Vector{{0.4, 0.1, 0.9}}.asDiagonal();
  const StartState all = posterior.StateOf({values.data(), 3}, covariance);
  EXPECT_LT((all.mean - state.transpose()).norm(), 1e-10);
  const Matrix inverse = (c.transpose() * c).inverse() * c.transpose();
  EXPECT_LT((all.covariance - inverse * covariance * inverse.transpose()).norm(), 1e-10);
  EXPECT_EQ(posterior.StateOf({values.data(), 3}).covariance.size(), 0);
  values[0] = NAN;
  EXPECT_LT((posterior.StateOf({values.data(), 3}).mean - state.transpose()).norm(), 1e-10);
  values[2] = NAN;
  EXPECT_EQ(MessageOf([&] {
              posterior.StateOf({values.data(), 3});
            }),
            "Posterior::StateOf: values do not determine the state, give one");
}

TEST(Posterior, LatestStateIsTheShootingStateBefore) {
  const Posterior posterior(WithShootingStates());
  const std::vector<double> times = {9, 10.5, 11, 12.9, 13, 16};
  const Forecast from_start = posterior.Trajectory(0, times, {.draws = 40, .states = true});
  const Forecast latest =
      posterior.Trajectory(0, times, {.draws = 40, .from = Origin::kLatestState, .states = true});
  const Vector first{{-0.5, 0.5}}, second{{0.2, -0.9}};
  const Model& model = posterior.model();
  const auto reached = [&](const Vector& state, double from, double to) {
    return UserState(model, TrueState(state, kStart + to - from));
  };
  double spread = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const Matrix& x = latest.states[i];
    // Both forecasts integrate from the start, but to different last times, so that their steps
    // differ.
    EXPECT_LT((x.topRows(2) - from_start.states[i].topRows(2)).norm(), 1e-3) << "before the first";
    EXPECT_LT((x.row(2) - reached(first, 11, 11)).norm(), 1e-9);
    EXPECT_LT((x.row(3) - reached(first, 11, 12.9)).norm(), 0.05);
    EXPECT_LT((x.row(5) - reached(second, 13, 16)).norm(), 2.5);
    spread += (x.row(4) - reached(second, 13, 13)).squaredNorm() / 40;
  }
  EXPECT_NEAR(spread, 0.01 * (4 + 25), 0.15) << "the second state is not known exactly";
}

TEST(Posterior, WithoutShootingStatesBothOriginsAreTheSame) {
  const Posterior posterior(Rotation(0.1));
  const Forecast one = posterior.Trajectory(1, kTimes, {.draws = 2});
  const Forecast two = posterior.Trajectory(1, kTimes, {.draws = 2, .from = Origin::kLatestState});
  EXPECT_EQ(one.draws[1], two.draws[1]);
}

TEST(Posterior, SameBitsForAnyNumberOfThreads) {
  const Posterior posterior(WithShootingStates());
  const ForecastOptions one{.draws = 5, .threads = 1, .from = Origin::kLatestState};
  ForecastOptions three = one;
  three.threads = 3;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(posterior.Trajectory(0, kTimes, one).draws[i],
              posterior.Trajectory(0, kTimes, three).draws[i]);
  }
}

TEST(Posterior, GapsAreFilled) {
  const Model model = Rotation(0.05);
  const Posterior posterior(model);
  Trajectory seen{.name = "a", .times = {10, 11, 12, 13}, .values = {}, .start_time = {}};
  seen.values = Matrix::Constant(4, 3, 7.0);
  seen.values(1, 0) = seen.values(3, 2) = NAN;
  const Imputation result = posterior.FillGaps(0, seen, 0.8, {.draws = 30});
  EXPECT_EQ(result.diverged, 0u);
  EXPECT_EQ(result.filled.times, seen.times);
  EXPECT_EQ((result.filled.values.array() == 7.0).count(), 10);
  for (const auto& [i, c] : {std::pair{1, 0}, std::pair{3, 2}}) {
    const Matrix truth = model.map.Apply(TrueState(InitialMeans(model).row(0), seen.times[i]));
    EXPECT_NEAR(result.filled.values(i, c), truth(0, c), 1.0);
    EXPECT_LT(result.lower(i, c), result.filled.values(i, c));
    EXPECT_GT(result.upper(i, c), result.filled.values(i, c));
  }
  EXPECT_GT((result.lower - result.predictive_lower).minCoeff(), 0.5);
  EXPECT_GT((result.predictive_upper - result.upper).minCoeff(), 0.5);
  seen.values.setConstant(NAN);
  EXPECT_TRUE(posterior.FillGaps(0, seen, 0.8, {.draws = 3}).filled.values.allFinite());
  seen.times.pop_back();
  EXPECT_THROW(posterior.FillGaps(0, seen), InputError);
}

// Lorenz 63 forgets its start within the training span.
TEST(Posterior, ChaoticSeriesAreForecastFromTheirLatestState) {
  const Simulation simulation = Simulate(
      {.system = "lorenz63", .start = {1, 1, 20}, .span = 4, .points = 80, .noise_share = 0.03});
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.inducing = 20;
  options.features = 64;
  options.precision = FeaturePrecision::kFloat;
  options.steps = 250;
  options.threads = 1;
  const Posterior posterior(Fit(simulation.data, options));
  const std::vector<double> later = RegularTimes(4, 4.3, 6);
  const Matrix truth = SolveSystem("lorenz63", simulation.start(0), later);
  const auto error = [&](Origin from) {
    const Forecast f = posterior.Trajectory(0, later, {.draws = 32, .threads = 1, .from = from});
    return (f.Mean() - truth).squaredNorm() / static_cast<double>(truth.size());
  };
  EXPECT_LT(error(Origin::kLatestState), 1.0);
  EXPECT_GT(error(Origin::kInitialState), 10.0) << "or this test shows nothing";
}

TEST(Posterior, NoTimesGiveNoRows) {
  const Posterior posterior(WithShootingStates());
  const Forecast forecast =
      posterior.Trajectory(0, {}, {.draws = 2, .from = Origin::kLatestState, .states = true});
  EXPECT_EQ(forecast.draws.size(), 2u);
  EXPECT_EQ(forecast.Mean().rows(), 0);
  EXPECT_EQ(forecast.Mean().cols(), 3);
  EXPECT_EQ(forecast.diverged, 0u);
}

// Returns parameters with another shape of the block `name`. All their values are zero.
NamedValues WithShape(const NamedValues& parameters, std::string_view name,
                      const std::vector<std::size_t>& shape) {
  NamedValues changed;
  for (const ParameterBlock& block : parameters.layout.blocks()) {
    changed.layout.Add(block.name, block.name == name ? shape : block.shape, block.transform);
  }
  changed.values.resize(changed.layout.value_size());
  return changed;
}

TEST(Posterior, BadArgumentsAreNamed) {
  const Posterior posterior(Rotation());
  const auto from = [&](const StartState& start, double time) {
    return MessageOf([&] { posterior.From(start, time, kTimes); });
  };
  EXPECT_EQ(from({Vector{{1.0}}}, 0), "Posterior::From: mean has 1 values, must have 2");
  EXPECT_EQ(from({Vector{{1, 2}}}, NAN), "Posterior::From: time is nan, must be finite");
  Matrix wrong(2, 2);
  wrong << 1, 0.5, 0.2, 1;
  EXPECT_EQ(from({Vector{{1, 2}}, wrong}, 0),
            "Posterior::From: covariance must be symmetric and positive semidefinite");
  wrong << 1, 2, 2, 1;
  EXPECT_EQ(from({Vector{{1, 2}}, wrong}, 0),
            "Posterior::From: covariance must be symmetric and positive semidefinite");
  EXPECT_THROW(posterior.FieldMean(Matrix::Constant(1, 2, NAN)), InputError);
  EXPECT_THROW(posterior.FieldMean(Matrix::Zero(1, 3)), InputError);
  const std::vector<double> infinite = {1, INFINITY};
  EXPECT_THROW(posterior.Trajectory(0, infinite), InputError);
  Model broken = Rotation();
  broken.parameters = WithShape(broken.parameters, "x0_chol", {1, 2, 2});
  EXPECT_EQ(MessageOf([&] { Posterior p(broken); }),
            "model: x0_chol has shape (1, 2, 2), must have (2, 2, 2)");
  broken = WithShootingStates();
  broken.shooting_trajectory = {0, 1, 0};
  EXPECT_EQ(MessageOf([&] { Posterior p(broken); }),
            "model: shooting states must be ordered by trajectory and time");
}

}  // namespace
}  // namespace gpode
