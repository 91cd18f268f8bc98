// Tests of process noise: whether it is found in data, how large it is said to be, and what it does
// to forecasts.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/chain_diagnostics.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "gpode/posterior.h"
#include "gpode/training.h"
#include "model/model_draws.h"
#include "predict/integrate.h"
#include "support/message_of.h"
#include "support/sampled_options.h"
#include "train/gauss_newton.h"
#include "train/noise_start.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

// Observations of the Van der Pol oscillator, with this standard deviation of process noise per
// square root of time, by small steps of Euler's method.
Dataset Noisy(double deviation, std::uint64_t seed = 1) {
  constexpr double kStep = 0.01;
  constexpr std::size_t kTimes = 50, kStepsBetween = 40;
  Trajectory t;
  t.values.resize(kTimes, 2);
  std::vector<double> normals(2 * kTimes * kStepsBetween), errors(2 * kTimes);
  RandomStream(seed, 1, 0, Purpose::kTest).Normals(normals);
  RandomStream(seed, 2, 0, Purpose::kTest).Normals(errors);
  double x = 2, y = 0;
  for (std::size_t i = 0; i < kTimes; ++i) {
    t.times.push_back(kStep * static_cast<double>(i * kStepsBetween));
    t.values.row(static_cast<Eigen::Index>(i)) << x + 0.05 * errors[2 * i],
        y + 0.05 * errors[2 * i + 1];
    for (std::size_t k = 0; k < kStepsBetween; ++k) {
      const double* own = normals.data() + 2 * (i * kStepsBetween + k);
      const double slope = 0.5 * (1 - x * x) * y - x;
      x += kStep * y + deviation * std::sqrt(kStep) * own[0];
      y += kStep * slope + deviation * std::sqrt(kStep) * own[1];
    }
  }
  return {.channels = {"x", "y"}, .trajectories = {t}};
}

// Returns the estimate of the process noise of each state in the user's units, or nothing if none
// is found.
std::vector<double> Found(const Dataset& data) {
  const FitOptions options = SampledOptions("se + linear");
  const Start start = Initialise(data, options);
  SampledTarget target(data, options, start);
  const SampledTarget noisy(data, options, start, ChoosePieces(target.trajectories()));
  const GaussNewtonEstimate estimate = FitByGaussNewton(target, noisy.pieces(), false);
  std::vector<double> deviations;
  if (!estimate.noisy) return deviations;
  for (Eigen::Index d = 0; d < 2; ++d) {
    deviations.push_back(estimate.noisy->deviation[d] * start.coordinates.state_scale[d] /
                         std::sqrt(start.coordinates.time_scale));
  }
  return deviations;
}

TEST(ProcessNoise, IsFoundWhereItIs) {
  for (std::uint64_t seed : {1, 2, 3}) {
    EXPECT_TRUE(Found(Noisy(0, seed)).empty()) << seed;
    const std::vector<double> found = Found(Noisy(0.2, seed));
    ASSERT_EQ(found.size(), 2) << seed;
    // The tolerances that are tried differ by factors of about three.
    for (double deviation : found) {
      EXPECT_GT(deviation, 0.2 / 5) << seed;
      EXPECT_LT(deviation, 0.2 * 5) << seed;
    }
  }
}

// Without a field, the force of process noise makes a random walk whose variance is s^2 T.
TEST(ProcessNoise, MovesAStateLikeARandomWalk) {
  constexpr double kLength = 0.5, kDeviation = 0.3, kTime = 4;
  constexpr int kDraws = 4000;
  const std::vector<double> unit = {kDeviation / std::sqrt(kLength)};
  double squares = 0, past_squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const RandomStream stream(1, 0, static_cast<std::uint64_t>(i), Purpose::kTest);
    ForceAround force;
    force.Extend(kLength, kTime, unit, stream);
    force.Extend(kLength, -kTime, unit, stream);
    ASSERT_EQ(force.ends.size(), 8);
    ASSERT_EQ(force.past_ends.back(), -kTime);
    double moved = 0, past = 0;
    for (double w : force.values) moved += w * kLength;
    for (double w : force.past_values) past += w * kLength;
    squares += moved * moved / kDraws;
    past_squares += past * past / kDraws;
  }
  // The mean of n squared normals has the relative standard deviation sqrt(2 / n).
  const double expected = kDeviation * kDeviation * kTime, error = 4 * std::sqrt(2.0 / kDraws);
  EXPECT_NEAR(squares / expected, 1, error);
  EXPECT_NEAR(past_squares / expected, 1, error);
}

TEST(ProcessNoise, AForceLeadsThroughGivenStates) {
  const Dataset data = Noisy(0.2);
  const FitOptions options = SampledOptions("se + linear");
  const Start start = Initialise(data, options);
  SampledTarget target(data, options, start);
  const std::vector<std::size_t> counts = ChoosePieces(target.trajectories());
  EXPECT_EQ(counts, std::vector<std::size_t>{40});
  const NoisePieces pieces = SampledTarget(data, options, start, counts).pieces();
  const GaussNewtonEstimate estimate = FitByGaussNewton(target, pieces, true);
  ASSERT_TRUE(estimate.noisy);
  const ModelParts& parts = target.parts();
  std::vector<double> values(parts.layout().value_size());
  parts.layout().Constrain(estimate.noisy->flat, values);
  ThreadPool pool(1);
  ASSERT_EQ(parts.function().Set(values, pool), FactorStatus::kOk);
  const std::vector<double> z = parts.LatentMean(values);
  const std::unique_ptr<FunctionDraw> draw = parts.function().MakeDraw();
  draw->Set(parts.latent().Part(ModelParts::kFunction, std::span<const double>(z)));
  const std::span<const double> x0 =
      parts.latent().Part(ModelParts::kInitial, std::span<const double>(z));
  const Matrix& targets = estimate.noisy->states[0];
  const std::vector<double> force =
      ForceThrough(draw->field(), x0, pieces.ends[0], targets, options.solver);
  Matrix reached(targets.rows(), 2);
  ForcedSolver solver(options.solver);
  solver.Solve(draw->field(), {.ends = pieces.ends[0], .values = force}, x0, 0.0, pieces.ends[0],
               {reached.data(), static_cast<std::size_t>(reached.size())});
  EXPECT_LT((reached - targets).cwiseAbs().maxCoeff(), 1e-3);
}

FitOptions Quick() {
  FitOptions options = SampledOptions("se + linear");
  options.inducing = 8;
  options.sampler.chains = 2;
  options.sampler.warm_up = 5;
  options.sampler.draws = 8;
  options.sampler.max_depth = 4;
  return options;
}

Dataset Short() {
  Dataset data = Noisy(0.2);
  data.trajectories[0].times.resize(20);
  data.trajectories[0].values.conservativeResize(20, Eigen::NoChange);
  return data;
}

// A known process noise is a part of the model and of its file, gives the same bits for any number
// of threads, and makes forecasts wider.
TEST(ProcessNoise, IsPartOfTheModel) {
  const Dataset data = Short();
  FitOptions options = Quick();
  options.process_noise = "0.5,0.25";
  const TrainedModel trained = Train(data, options);
  const Model& model = trained.model;
  EXPECT_EQ(model.noise_pieces, std::vector<std::size_t>{19});
  const std::span<const double> own = model.parameters["process_noise"];
  const double unit = std::sqrt(model.coordinates.time_scale);
  EXPECT_NEAR(own[0], 0.5 * unit / model.coordinates.state_scale[0], 1e-9);
  EXPECT_NEAR(own[1], 0.25 * unit / model.coordinates.state_scale[1], 1e-9);

  options.threads = 2;
  EXPECT_EQ(Train(data, options).model.draws, model.draws);

  const TrainedModel loaded = LoadTrainedModel(ModelFileBytes(trained), "model");
  const std::vector<double> times = {-1, 0, 3.3, 7.6, 8, 12};
  const Forecast forecast = Posterior(model).Trajectory(0, times, {.draws = 16});
  const Forecast again = Posterior(loaded.model).Trajectory(0, times, {.draws = 16, .threads = 2});
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(forecast.draws[i], again.draws[i]);

  Model exact = model;
  exact.noise_pieces.clear();
  exact.options.process_noise = "none";
  const ModelParts parts(exact.options, ShapeOf(exact));
  Matrix draws(model.draws.rows(), static_cast<Eigen::Index>(parts.layout().value_size()));
  for (const ParameterBlock& block : parts.layout().blocks()) {
    const ParameterBlock& from = model.parameters.layout.Find(block.name);
    draws.middleCols(static_cast<Eigen::Index>(block.value_offset),
                     static_cast<Eigen::Index>(block.value_size)) =
        model.draws.middleCols(static_cast<Eigen::Index>(from.value_offset),
                               static_cast<Eigen::Index>(from.value_size));
  }
  exact.draws = draws;
  const Vector mean = draws.colwise().mean().transpose();
  exact.parameters = {parts.layout(), {mean.begin(), mean.end()}};
  const StartState start{.mean = Vector{{1.0, 0.5}}, .covariance = {}};
  const auto spread = [&](const Model& m) {
    const Forecast f = Posterior(m).From(start, 0, std::vector<double>{0.4}, {.draws = 200});
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < 200; ++i) {
      sum += f.draws[i](0, 0) / 200;
      squares += f.draws[i](0, 0) * f.draws[i](0, 0) / 200;
    }
    return squares - sum * sum;
  };
  // Over a time of 0.4, process noise adds about 0.5^2 times 0.4 to the variance of the first
  // state.
  EXPECT_NEAR(spread(model) - spread(exact), 0.1, 0.06);
}

TEST(ProcessNoise, BadValuesAreRefused) {
  FitOptions options = Quick();
  options.process_noise = "0.1,0.2,0.3";
  EXPECT_NE(MessageOf([&] { Train(Short(), options); }).find("process_noise"), std::string::npos);
  options.process_noise = "0.1";
  options.posterior = "blocks";
  EXPECT_NE(MessageOf([&] { Train(Short(), options); }).find("joint or nuts"), std::string::npos);
  EXPECT_NE(MessageOf([&] {
              SetOption(options, "process_noise", "-1", "--process-noise");
            }).find("none, learnt"),
            std::string::npos);
}

}  // namespace
}  // namespace gpode
