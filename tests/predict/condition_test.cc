// Tests of conditioning on new data with a model whose field is known.
#include "gpode/condition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"
#include "gpode/systems.h"
#include "predict/start_problem.h"
#include "support/message_of.h"
#include "support/noise.h"
#include "support/rotation_model.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using namespace testing_support;

// Returns a model of the rotation with the noise variance 0.01 in each channel.
Model Observed(double doubt = 1e-3) {
  Model model = Rotation(doubt);
  Put(model, "noise_variance", Vector::Constant(3, 0.01).eval());
  return model;
}

// Returns observations of the first channel, without noise, of the solution that starts at x0 at
// time `start`; the other channels are missing.
Dataset Given(const Model& model, const Vector& x0, double start, double end, std::size_t count) {
  Trajectory t{
      .name = "new", .times = {}, .values = Matrix::Constant(count, 3, NAN), .start_time = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const double time =
        start + (end - start) * static_cast<double>(i) / static_cast<double>(count - 1);
    t.times.push_back(time);
    const Matrix x = TrueState(x0, kStart + time - start);
    t.values(static_cast<Eigen::Index>(i), 0) = model.map.Apply(x)(0, 0);
  }
  return {.channels = model.channels, .trajectories = {t}};
}

TEST(Condition, FindsAHiddenStateFromOneChannel) {
  const Model model = Observed();
  const Vector x0{{-0.6, 1.1}};
  const Conditioned done = Condition(model, Given(model, x0, 50, 56, 25), {}, {.draws = 32});
  EXPECT_EQ(done.fields, 128u);
  EXPECT_EQ(done.failed, 0u);
  EXPECT_EQ(done.values, 25u);
  EXPECT_LT(done.misfit, 4) << done.Describe();
  EXPECT_GT(done.effective, 5);
  const Posterior posterior(done.model);
  const std::vector<double> times = {50, 60};
  const Forecast forecast =
      posterior.Trajectory(0, times, {.draws = 32, .states = true}).OfStates();
  const Matrix mean = forecast.Mean();
  for (Eigen::Index i = 0; i < 2; ++i) {
    const Matrix right =
        model.coordinates.ToUser(TrueState(x0, kStart + times[static_cast<std::size_t>(i)] - 50));
    EXPECT_LT((mean.row(i) - right).norm(), 0.3) << mean << "\n" << right;
  }
}

// In a linear system with a known field and Gaussian noise, the posterior of the start is a
// Gaussian whose covariance follows from the derivatives of the solution.
TEST(Condition, TheSpreadOfStartsIsThatOfTheLinearModel) {
  const Model model = Observed(1e-6);
  const Vector x0{{0.4, -0.5}};
  const Dataset given = Given(model, x0, 10, 14, 9);
  Eigen::MatrixXd precision = Eigen::MatrixXd::Identity(2, 2);
  for (const double time : given.trajectories[0].times) {
    Matrix rotation(2, 2);
    rotation.col(0) = TrueState(Vector{{1, 0}}, time).transpose();
    rotation.col(1) = TrueState(Vector{{0, 1}}, time).transpose();
    const Vector row = (model.map.matrix.row(0) * rotation).transpose();
    precision += row * row.transpose() / 0.01;
  }
  const Eigen::MatrixXd covariance = precision.inverse();
  constexpr std::size_t kDraws = 400;
  const Conditioned done = Condition(model, given, {}, {.draws = kDraws});
  const Matrix& starts = done.model.given.starts;
  const Eigen::MatrixXd away = starts.rowwise() - starts.colwise().mean();
  const Eigen::MatrixXd spread = away.transpose() * away / kDraws;
  EXPECT_NEAR(spread(0, 0) / covariance(0, 0), 1, 0.4);
  EXPECT_NEAR(spread(1, 1) / covariance(1, 1), 1, 0.4);
}

TEST(Condition, SameBitsForAnyNumberOfThreads) {
  const Model model = Observed(0.05);
  const Dataset given = Given(model, Vector{{0.4, -0.5}}, 10, 14, 9);
  const Conditioned one = Condition(model, given, {}, {.draws = 8, .threads = 1});
  const Conditioned three = Condition(model, given, {}, {.draws = 8, .threads = 3});
  EXPECT_EQ(one.model.given.starts, three.model.given.starts);
  EXPECT_EQ(one.model.given.fields, three.model.given.fields);
}

// One of the fields is true. The others cannot follow the data and get less weight.
TEST(Condition, FieldsThatFollowTheDataCountMore) {
  const Model model = Observed(0.3);
  const Vector x0{{-0.6, 1.1}};
  const Dataset given = Given(model, x0, 10, 20, 30);
  const Conditioned done = Condition(model, given, {}, {.draws = 32});
  EXPECT_LT(done.effective, 100);
  const std::vector<double> times = {22};
  const Matrix right = model.map.Apply(TrueState(x0, 22));
  const auto error = [&](const Forecast& forecast) {
    double sum = 0;
    for (const Matrix& draw : forecast.draws) sum += std::abs(draw(0, 0) - right(0, 0)) / 32;
    return sum;
  };
  const double weighted = error(Posterior(done.model).Trajectory(0, times, {.draws = 32}));
  const StartState start{model.coordinates.ToUser(x0.transpose()).transpose(), {}};
  const double plain = error(Posterior(model).From(start, 10, times, {.draws = 32}));
  EXPECT_LT(weighted, 0.7 * plain);
}

// The given data are a longer version of a training trajectory, whose rows must not count again.
TEST(Condition, TrainingRowsCountOnce) {
  const Model model = Observed(0.3);
  const Dataset given = Given(model, Vector{{-0.6, 1.1}}, 10, 16, 20);
  const Conditioned as_new = Condition(model, given, {}, {.draws = 32});
  const Conditioned as_seen = Condition(model, given, given, {.draws = 32});
  EXPECT_GT(as_seen.effective, 2 * as_new.effective);
  EXPECT_GT(as_seen.effective, 60) << "of 128, all with about the same weight";
}

// The model errs by several noise deviations in the same direction for a long time. With full
// weights, the start would be as sure as if all values were independent.
TEST(Condition, CorrelatedErrorsOfTheModelDoNotMakeStartsSure) {
  const Model model = Observed(1e-6);
  Dataset given = Given(model, Vector{{0.4, -0.5}}, 10, 22, 60);
  const Conditioned exact = Condition(model, given, {}, {.draws = 100});
  Matrix& values = given.trajectories[0].values;
  for (Eigen::Index i = 0; i < values.rows(); ++i) values(i, 0) += i % 30 < 15 ? 0.3 : -0.3;
  const Conditioned off = Condition(model, given, {}, {.draws = 100});
  Model full = model;
  full.options.discount = false;
  const Conditioned sure = Condition(full, given, {}, {.draws = 100});
  const auto spread = [](const Conditioned& done) {
    const Matrix& starts = done.model.given.starts;
    return (starts.rowwise() - starts.colwise().mean()).norm();
  };
  EXPECT_GT(spread(off), 2 * spread(exact));
  EXPECT_LT(spread(sure), 1.5 * spread(exact));
}

TEST(Condition, BadInputs) {
  const Model model = Observed();
  const Dataset given = Given(model, Vector{{-0.6, 1.1}}, 10, 16, 5);
  Dataset other = given;
  other.channels[0] = "q";
  EXPECT_THROW(Condition(model, other), InputError);
  const Conditioned done = Condition(model, given, {}, {.draws = 4});
  EXPECT_THROW(Condition(done.model, given), InputError);
  const TemporaryFolder folder;
  EXPECT_EQ(MessageOf([&] { SaveModel(folder.path() / "m.gpode", done.model); }),
            "SaveModel: model is conditioned on given data, must be the one it was made from");
}

// Compares the gradient of the cost with respect to start and force with finite differences, and
// also the Gauss-Newton curvature of a problem whose residuals vanish.
TEST(StartProblem, GradientIsTheDerivative) {
  const VanDerPol field(0.7);
  const ObservationMap map = ObservationMap::Identity(2);
  const ObservationNoise noise = GaussianNoise(Vector{{0.04, 0.09}});
  StartData data{.times = {0.3, 0.9, 1.5, 1.5001}, .values = Matrix(4, 2), .ends = {0.5, 1.0, 1.6}};
  data.values << 1, 0.2, 0.7, NAN, NAN, NAN, 0.1, -0.4;
  const std::vector<double> deviation = {0.3, 0.2};
  StartProblem problem(field, data, map, noise, deviation, {.rtol = 1e-10, .atol = 1e-10});
  ASSERT_EQ(problem.size(), 8);
  Vector u{{0.9, 0.3, 0.1, -0.4, 0.5, 0.2, -0.6, 0.3}}, gradient;
  Eigen::MatrixXd curvature;
  problem.Cost(u, 4, &gradient, &curvature);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) {
        return problem.Cost(Eigen::Map<const Vector>(at.data(), 8), 4);
      },
      {u.data(), 8}, {gradient.data(), 8}, {.initial_step = 0.01});
  EXPECT_TRUE(check.ok(1e-5)) << check.message;
  const StartMode mode = problem.Minimise(u, 4);
  EXPECT_LT(mode.cost, problem.Cost(u, 4));
  problem.Cost(mode.unknowns, 4, &gradient, &curvature);
  EXPECT_LT(gradient.norm(), 0.05);
}

}  // namespace
}  // namespace gpode
