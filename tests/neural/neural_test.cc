#include "gpode/neural.h"

#include <gtest/gtest.h>

#include "gpode/error.h"
#include "gpode/scores.h"
#include "neural/gauss_newton.h"
#include "neural/neural_fit.h"
#include "neural/small_problem.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::RotationData;

// An affine field, which a rotation is, has a posterior near a normal one.
NeuralOptions AffineOptions(NeuralInference inference) {
  NeuralOptions options;
  options.inference = inference;
  options.hidden = {};
  options.steps = 600;
  options.learning_rate = 0.03;
  options.mean_field_steps = 4000;
  options.nuts.chains = 4;
  options.nuts.warm_up = 200;
  options.nuts.draws = 500;
  return options;
}

// Root mean squared error of the mean forecast of trajectory 0 after the data, and before them,
// against data without noise.
double ForecastError(const NeuralModel& model) {
  const Dataset truth = RotationData(0);
  const Forecast forecast =
      ForecastTrajectory(model, 0, truth.trajectories[0].times, {.draws = 200});
  const Matrix away = forecast.Mean() - truth.trajectories[0].values;
  return std::sqrt(away.squaredNorm() / static_cast<double>(away.size()));
}

TEST(NeuralTest, LeastSquaresLearnsARotation) {
  NeuralOptions options;
  options.hidden = {8};
  options.slope_steps = 500;
  options.steps = 1500;
  options.learning_rate = 0.03;
  const NeuralModel model = FitNeural(RotationData(), options);
  EXPECT_EQ(model.weights.rows(), 1);
  EXPECT_TRUE(model.warning.empty()) << model.warning;
  EXPECT_LT(ForecastError(model), 0.03);
  // What is left over is the noise: 5 % of spreads of about 0.65.
  EXPECT_NEAR(std::sqrt(model.noise_variance(0, 0)), 0.032, 0.01);
}

TEST(NeuralTest, SlopesAreAStart) {
  NeuralOptions options;
  options.hidden = {8};
  options.steps = 1;
  const double before = ForecastError(FitNeural(RotationData(), options));
  options.slope_steps = 1000;
  const double after = ForecastError(FitNeural(RotationData(), options));
  EXPECT_LT(after, 0.5 * before);
}

TEST(NeuralTest, WeightDecayShrinksWeights) {
  NeuralOptions options;
  options.hidden = {8};
  options.steps = 500;
  const double without = FitNeural(RotationData(), options).weights.norm();
  options.weight_decay = 1e5;
  EXPECT_LT(FitNeural(RotationData(), options).weights.norm(), 0.7 * without);
}

TEST(NeuralTest, ValidationEndsTheTrainingAndIsTheScore) {
  NeuralOptions options;
  options.hidden = {8};
  options.steps = 400;
  options.validation_share = 0.2;
  const NeuralModel shared = FitNeural(RotationData(), options);
  EXPECT_GT(shared.score, 0);
  options.validation_share = 0;
  EXPECT_TRUE(std::isnan(FitNeural(RotationData(), options).score));
  const NeuralModel other = FitNeural(RotationData(), options, RotationData(0.1));
  EXPECT_GT(other.score, 0);
  EXPECT_NE(other.weights, shared.weights);
}

// Chosen by validation data that say nothing moves, the weights are those that move least.
TEST(NeuralTest, TheWeightsThatAreBestOnValidationDataAreKept) {
  NeuralOptions options;
  options.hidden = {8};
  options.steps = 1000;
  options.learning_rate = 0.05;
  Dataset still = RotationData();
  for (Trajectory& t : still.trajectories) t.values.rowwise() = t.values.row(0).eval();
  const NeuralModel chosen = FitNeural(RotationData(), options, still);
  const NeuralModel last = FitNeural(RotationData(), options);
  EXPECT_GT(ForecastError(chosen), 2 * ForecastError(last));
}

TEST(NeuralTest, NutsAgreesWithTheLaplaceApproximation) {
  const Dataset data = RotationData();
  NeuralOptions options = AffineOptions(NeuralInference::kNuts);
  options.noise_variance = {0.001};  // unknown noise would widen the tails
  const NeuralModel model = FitNeural(data, options);
  EXPECT_EQ(model.report.divergences, 0u);
  EXPECT_LT(model.report.worst_rhat, 1.02);
  EXPECT_EQ(model.weights.rows(), 2000);
  EXPECT_LT(ForecastError(model), 0.02);
  const NeuralStart start = StartNeural(data, options);
  const std::vector<double> top = MostProbable(start, options, 0);
  const Matrix covariance = InverseOf(GaussNewton(start.problem, top));
  const Vector weights = start.problem.WeightsOf(top);
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const Vector draws = model.weights.col(i);
    const double expected = std::sqrt(covariance(i, i)) * start.problem.weight_scale[i];
    const double deviation = std::sqrt((draws.array() - draws.mean()).square().mean());
    EXPECT_NEAR(draws.mean(), weights[i], 0.3 * expected) << i;
    EXPECT_NEAR(deviation / expected, 1, 0.1) << i;
  }
}

TEST(NeuralTest, MeanFieldHasTheDeviationsOfAFactorisedNormal) {
  const Dataset data = RotationData();
  const NeuralOptions options = AffineOptions(NeuralInference::kMeanField);
  const NeuralModel model = FitNeural(data, options);
  EXPECT_LT(ForecastError(model), 0.02);
  const NeuralStart start = StartNeural(data, options);
  const Matrix curvature = GaussNewton(start.problem, MostProbable(start, options, 0));
  for (Eigen::Index i = 0; i < model.weights.cols(); ++i) {
    const Vector draws = model.weights.col(i);
    const double expected = start.problem.weight_scale[i] / std::sqrt(curvature(i, i));
    const double deviation = std::sqrt((draws.array() - draws.mean()).square().mean());
    EXPECT_NEAR(deviation / expected, 1, 0.3) << i;
  }
}

TEST(NeuralTest, SameBitsForAnyNumberOfThreads) {
  for (NeuralInference inference :
       {NeuralInference::kLeastSquares, NeuralInference::kMeanField, NeuralInference::kNuts}) {
    NeuralOptions options = AffineOptions(inference);
    options.steps = 60;
    options.mean_field_steps = 60;
    options.nuts.warm_up = 40;
    options.nuts.draws = 10;
    options.threads = 1;
    const NeuralModel one = FitNeural(RotationData(), options);
    options.threads = 3;
    const NeuralModel three = FitNeural(RotationData(), options);
    EXPECT_EQ(one.weights, three.weights);
    EXPECT_EQ(one.x0, three.x0);
    EXPECT_EQ(one.noise_variance, three.noise_variance);
  }
}

TEST(NeuralTest, NoiseThatIsGivenIsKept) {
  NeuralOptions options = AffineOptions(NeuralInference::kNuts);
  options.noise_variance = {0.01, 0.02};
  options.nuts.warm_up = 100;
  options.nuts.draws = 100;
  const NeuralModel model = FitNeural(RotationData(), options);
  EXPECT_NEAR(model.noise_variance.col(0).minCoeff(), 0.01, 1e-12);
  EXPECT_NEAR(model.noise_variance.col(1).maxCoeff(), 0.02, 1e-12);
  EXPECT_TRUE(std::isfinite(model.report.worst_rhat));
}

// A network without hidden layers whose weights are a rotation, in units of its own.
NeuralModel KnownModel() {
  NeuralModel model;
  model.options.hidden = {};
  model.options.solver = {.rtol = 1e-10, .atol = 1e-10};
  model.channels = {"a", "b"};
  model.map = {Matrix{{2, 0}, {0, 0.5}}, Vector{{1, -1}}};
  model.state_scale = Vector{{2, 0.5}};
  model.state_offset = Vector{{1, -1}};
  model.time_scale = 3;
  model.start_times = {10};
  model.end_times = {20};
  // Draws: x' = (y, -x), and the same twice as fast.
  model.weights = Matrix{{0, 1, -1, 0, 0, 0}, {0, 2, -2, 0, 0, 0}};
  model.x0 = Matrix{{1, 0}, {1, 0}};
  model.noise_variance = Matrix{{1, 2}, {3, 6}};
  return model;
}

TEST(NeuralForecastTest, FollowsItsDrawsInTheUsersUnits) {
  const NeuralModel model = KnownModel();
  const std::vector<double> times = {8, 10, 13};
  const Forecast forecast = ForecastTrajectory(model, 0, times, {.states = true});
  ASSERT_EQ(forecast.draws.size(), 2u);
  EXPECT_EQ(forecast.diverged, 0u);
  EXPECT_EQ(forecast.noise_variance, (Vector{{2, 4}}));
  for (int s = 0; s < 2; ++s) {
    for (Eigen::Index i = 0; i < 3; ++i) {
      const double angle = (s + 1) * (times[i] - 10) / 3;
      EXPECT_NEAR(forecast.draws[s](i, 0), 2 * std::cos(angle) + 1, 1e-8);
      EXPECT_NEAR(forecast.draws[s](i, 1), -0.5 * std::sin(angle) - 1, 1e-8);
      EXPECT_NEAR(forecast.states[s](i, 0), forecast.draws[s](i, 0), 1e-12);
    }
  }
  EXPECT_EQ(ForecastTrajectory(model, 0, times, {.draws = 1}).draws.size(), 1u);
}

TEST(NeuralForecastTest, FromKnownValues) {
  const std::vector<double> times = {5, 6}, values = {1, -0.5};
  const Forecast forecast = ForecastFrom(KnownModel(), values, 5, times);
  EXPECT_NEAR(forecast.draws[0](0, 0), 1, 1e-12);
  EXPECT_NEAR(forecast.draws[0](0, 1), -0.5, 1e-12);
  EXPECT_NEAR(forecast.draws[0](1, 0), 2 * std::sin(1.0 / 3) + 1, 1e-8);
}

TEST(NeuralForecastTest, MomentsOfTheField) {
  Matrix state(1, 2);
  state << 3, -0.5;  // (1, 1) in the model's coordinates: slopes (1, -1) and (2, -2)
  const FieldMoments moments = MomentsOfField(KnownModel(), state);
  EXPECT_NEAR(moments.mean(0, 0), 1.5 * 2 / 3.0, 1e-12);
  EXPECT_NEAR(moments.mean(0, 1), -1.5 * 0.5 / 3, 1e-12);
  EXPECT_NEAR(moments.variance(0, 0), 0.25 * 4 / 9.0, 1e-12);
}

TEST(NeuralForecastTest, WhatCannotBeFollowedIsRefused) {
  const NeuralModel model = KnownModel();
  const std::vector<double> backwards = {2, 1}, times = {1}, one = {1};
  EXPECT_THROW(ForecastTrajectory(model, 1, times), InputError);
  EXPECT_THROW(ForecastTrajectory(model, 0, backwards), InputError);
  EXPECT_THROW(ForecastFrom(model, one, 0, times), InputError);
  EXPECT_THROW(ForecastTrajectory(NeuralModel{}, 0, times), InputError);
}

TEST(NeuralTest, OptionsThatMakeNoSenseAreRefused) {
  const auto message = [](const NeuralOptions& options) {
    return MessageOf([&] { FitNeural(RotationData(), options); });
  };
  EXPECT_EQ(message({.steps = 0}), "FitNeural: steps is 0, must be at least 1");
  EXPECT_EQ(message({.validation_share = 1}),
            "FitNeural: validation_share must be at least 0 and less than 1");
  EXPECT_EQ(message({.hidden = {0}}), "Mlp: hidden_sizes[0] is 0, must be between 1 and 1024");
  EXPECT_NE(message({.states = 3}).find("states"), std::string::npos);
  Dataset other = RotationData();
  other.channels.pop_back();
  for (Trajectory& t : other.trajectories) t.values = t.values.leftCols(1).eval();
  EXPECT_EQ(MessageOf([&] { FitNeural(RotationData(), {}, other); }),
            "FitNeural: validation.channels has 1 values, must have 2");
}

}  // namespace
}  // namespace gpode
