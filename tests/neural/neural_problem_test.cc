#include "neural/neural_problem.h"

#include <gtest/gtest.h>

#include "gpode/gradient_check.h"
#include "neural/gauss_newton.h"
#include "neural/neural_fit.h"
#include "neural/small_problem.h"
#include "neural/validation.h"

namespace gpode {
namespace {

using testing_support::SmallProblem;
using testing_support::SomeFlat;

TEST(NeuralProblemTest, GradientOfTheLogLikelihood) {
  const NeuralProblem problem = SmallProblem();
  NeuralLikelihood likelihood(problem);
  ThreadPool pool(1);
  const std::vector<double> flat = SomeFlat(problem);
  std::vector<double> gradient(flat.size());
  likelihood.Evaluate(flat, gradient, pool);
  const GradientCheck check =
      CheckGradient([&](std::span<const double> at) { return likelihood.Evaluate(at, {}, pool); },
                    flat, gradient);
  EXPECT_TRUE(check.ok(1e-8)) << check.message;
}

TEST(NeuralProblemTest, GradientOfTheJointDensity) {
  const NeuralProblem problem = SmallProblem();
  const LogDensity density = JointDensity(problem);
  const std::vector<double> flat = SomeFlat(problem);
  std::vector<double> gradient(flat.size()), unused(flat.size());
  const double value = density(flat, gradient);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) { return density(at, unused); }, flat, gradient);
  EXPECT_TRUE(check.ok(1e-8)) << check.message;
  NeuralLikelihood likelihood(problem);
  ThreadPool pool(1);
  double prior = 0;
  for (double v : flat) prior -= 0.5 * v * v;
  EXPECT_NEAR(value, likelihood.Evaluate(flat, {}, pool) + prior, 1e-12 * std::fabs(value));
}

// The sum over observations, with states from a solver of its own.
TEST(NeuralProblemTest, LogLikelihoodByItsDefinition) {
  const NeuralProblem problem = SmallProblem();
  const std::vector<double> flat = SomeFlat(problem);
  NeuralLikelihood likelihood(problem);
  ThreadPool pool(1);
  const double value = likelihood.Evaluate(flat, {}, pool);
  Mlp network(2, problem.hidden);
  const Vector weights = problem.WeightsOf(flat), x0 = problem.StatesOf(flat);
  const Vector noise = problem.NoiseOf(flat);
  network.SetParameters({weights.data(), problem.weights()});
  double expected = 0;
  for (std::size_t n = 0; n < 2; ++n) {
    const TimedValues& t = problem.trajectories[n];
    std::vector<double> states(t.times.size() * 2);
    Solver({.rtol = 1e-11, .atol = 1e-11})
        .Solve(network, {x0.data() + 2 * n, 2}, 0.0, t.times, states);
    for (std::size_t i = 0; i < t.times.size(); ++i) {
      expected += LogLikelihood(problem.map, {noise.data(), 3}, {t.values.data() + 3 * i, 3},
                                std::span(states).subspan(2 * i, 2));
    }
  }
  EXPECT_NEAR(value, expected, 1e-6 * std::fabs(expected));
}

TEST(NeuralProblemTest, SameBitsForAnyNumberOfThreads) {
  const NeuralProblem problem = SmallProblem();
  const std::vector<double> flat = SomeFlat(problem);
  std::vector<double> expected(flat.size()), gradient(flat.size());
  ThreadPool alone(1);
  const double value = NeuralLikelihood(problem).Evaluate(flat, expected, alone);
  for (std::size_t threads : {2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(NeuralLikelihood(problem).Evaluate(flat, gradient, pool), value);
    EXPECT_EQ(gradient, expected);
  }
}

TEST(NeuralProblemTest, ATrajectoryThatRunsAwayIsImpossible) {
  NeuralProblem problem = SmallProblem();
  problem.hidden = {};
  problem.weight_scale = WeightScales(2, {}, 1.0);
  problem.solver = {};
  std::vector<double> flat(problem.flat_size(), 0.0);
  flat[0] = 1e5;  // dx/dt = 1e5 x
  flat[problem.weights()] = 1;
  std::vector<double> gradient(flat.size());
  ThreadPool pool(1);
  EXPECT_EQ(NeuralLikelihood(problem).Evaluate(flat, gradient, pool), -INFINITY);
}

TEST(NeuralProblemTest, ScalesOfWeightsAndBiases) {
  const Vector scales = WeightScales(2, {3}, 1.5);
  ASSERT_EQ(scales.size(), 6 + 3 + 6 + 2);
  EXPECT_DOUBLE_EQ(scales[0], 1.5 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(scales[5], 1.5 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(scales[6], 1);
  EXPECT_DOUBLE_EQ(scales[9], 1.5 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(scales[16], 1);
}

// I + J^T W J with J by differences of the states.
TEST(GaussNewtonTest, IsTheCurvatureOfTheLinearisedModel) {
  const NeuralProblem problem = SmallProblem();
  const std::vector<double> flat = SomeFlat(problem);
  NeuralLikelihood likelihood(problem);
  ThreadPool pool(1);
  const auto n = static_cast<Eigen::Index>(problem.flat_size());
  Matrix derivative(12, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (double sign : {1.0, -1.0}) {
      std::vector<double> moved = flat;
      moved[i] += sign * 1e-5;
      likelihood.Evaluate(moved, {}, pool);
      const Eigen::Map<const Vector> states(likelihood.states().data(), 12);
      if (sign > 0) {
        derivative.col(i) = states / 2e-5;
      } else {
        derivative.col(i) -= states / 2e-5;
      }
    }
  }
  const Vector noise = problem.NoiseOf(flat);
  Matrix expected = Matrix::Identity(n, n);
  Eigen::Index state = 0;
  for (const TimedValues& t : problem.trajectories) {
    for (Eigen::Index i = 0; i < t.values.rows(); ++i, state += 2) {
      for (Eigen::Index c = 0; c < 3; ++c) {
        if (std::isnan(t.values(i, c))) continue;
        const Eigen::RowVectorXd row = problem.map.matrix.row(c) * derivative.middleRows(state, 2);
        expected += row.transpose() * row / noise[c];
      }
    }
  }
  // Five values of the first two channels, four of the third.
  expected(n - 3, n - 3) += 0.5 * 5 * 0.25;
  expected(n - 2, n - 2) += 0.5 * 5 * 1;
  expected(n - 1, n - 1) += 0.5 * 4 * 4;
  const Matrix curvature = GaussNewton(problem, flat);
  EXPECT_LT((curvature - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
  EXPECT_TRUE((InverseOf(curvature) * curvature).isApprox(Matrix::Identity(n, n), 1e-9));
}

// All of it would be the score of the training itself.
TEST(ValidationTest, ScoreIsTheErrorInDeviations) {
  NeuralProblem problem = SmallProblem();
  problem.log_noise_deviation.setZero();
  const std::vector<double> flat = SomeFlat(problem);
  ThreadPool pool(1);
  NeuralLikelihood likelihood(problem);
  likelihood.Evaluate(flat, {}, pool);
  double sum = 0;
  const Vector noise = problem.NoiseOf(flat);
  Eigen::Index state = 0;
  for (const TimedValues& t : problem.trajectories) {
    for (Eigen::Index i = 0; i < t.values.rows(); ++i, state += 2) {
      const Matrix x = Eigen::Map<const Matrix>(likelihood.states().data() + state, 1, 2);
      const Matrix away = t.values.row(i) - problem.map.Apply(x);
      for (Eigen::Index c = 0; c < 3; ++c) {
        if (!std::isnan(away(c))) sum += away(c) * away(c) / noise[c];
      }
    }
  }
  EXPECT_NEAR(Validation(problem).Score(flat, pool), -std::sqrt(sum / 14), 1e-10);
}

TEST(ValidationTest, TheLastShareOfEveryTrajectoryIsHeldOut) {
  const Dataset data = testing_support::RotationData();
  const NeuralOptions options{.hidden = {4}, .validation_share = 0.25};
  const NeuralStart start = StartNeural(data, options);
  NeuralProblem training = start.problem;
  ASSERT_TRUE(MakeValidation(start, options, {}, training));
  for (const TimedValues& t : training.trajectories) {
    EXPECT_TRUE(t.values.topRows(15).allFinite());
    EXPECT_TRUE(t.values.bottomRows(5).array().isNaN().all());
  }
  NeuralProblem untouched = start.problem;
  EXPECT_FALSE(MakeValidation(start, {.hidden = {4}}, {}, untouched));
}

}  // namespace
}  // namespace gpode
