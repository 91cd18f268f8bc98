// Tests of the updates of the noise variance, which moves towards the mean squared residual in
// bounded steps of its logarithm.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpode/simulate.h"
#include "model/natural.h"
#include "support/random_gp.h"
#include "support/trainer_runs.h"

namespace gpode {
namespace {

constexpr double kRounding = 1e-12;  // the tolerance for rounding errors of logarithms

FitOptions Small(std::size_t steps) {
  FitOptions options;
  options.inducing = 8;
  options.features = 32;
  options.steps = steps;
  options.threads = 1;
  options.noise_hold = 0;
  return options;
}

Dataset VanDerPolData() {
  return Simulate({.system = "vdp", .points = 40, .noise_share = 0.05, .seed = 3}).data;
}

// Returns one channel that falls to zero, with white noise of standard deviation 0.05.
Dataset Decay() {
  const std::vector<double> times = RegularTimes(0, 4, 60);
  testing_support::Numbers numbers(4);
  Trajectory t{"", times, Matrix(60, 1), {}};
  for (Eigen::Index i = 0; i < 60; ++i) {
    t.values(i, 0) = 2 * std::exp(-times[static_cast<std::size_t>(i)]) + 0.05 * numbers.Normal();
  }
  return {.channels = {"x"}, .trajectories = {t}};
}

Vector LogNoise(const Trainer& trainer) {
  return trainer.Snapshot().noise().parameters.array().log().matrix();
}

TEST(NaturalLogStep, GoesTheRateOfWhatIsLeftButNeverFar) {
  EXPECT_EQ(NaturalLogStep(1), 0);
  EXPECT_DOUBLE_EQ(NaturalLogStep(0.5), -0.5 * kNaturalStep);
  EXPECT_DOUBLE_EQ(NaturalLogStep(0), -kNaturalStep);
  EXPECT_DOUBLE_EQ(NaturalLogStep(1.25), 0.25 * kNaturalStep);
  EXPECT_DOUBLE_EQ(NaturalLogStep(1e300), kNaturalStep);
}

// With one channel, the mean squared residual can be computed from the log likelihood.
TEST(Noise, FollowsTheMeanSquareResidual) {
  const Dataset data = Decay();
  Trainer trainer(data, Small(800));
  const double count = 60 * trainer.start().channel_weights[0];
  double mean_ratio = 0;
  for (std::size_t i = 0; i < 800; ++i) {
    const double before = LogNoise(trainer)[0];
    const Progress progress = trainer.Step();
    ASSERT_EQ(progress.diverged, 0u);
    ASSERT_EQ(progress.skipped, 0u);
    const double ratio = -2 * progress.loglik / count - std::log(2 * std::numbers::pi) - before;
    ASSERT_NEAR(LogNoise(trainer)[0] - before, NaturalLogStep(ratio), 1e-9) << "step " << i;
    if (i >= 600) mean_ratio += ratio / 200;
  }
  EXPECT_NEAR(mean_ratio, 1, 0.1);
  EXPECT_NEAR(std::sqrt(trainer.Snapshot().noise().parameters[0]), 0.05, 0.02);
}

TEST(Noise, MovesByAtMostTheRate) {
  for (std::size_t batch : {0, 5}) {
    FitOptions options = Small(60);
    options.batch = batch;
    Trainer trainer(VanDerPolData(), options);
    std::size_t moved = 0;
    for (Vector before = LogNoise(trainer); !trainer.done();) {
      trainer.Step();
      const Vector after = LogNoise(trainer);
      EXPECT_LE((after - before).cwiseAbs().maxCoeff(), kNaturalStep + kRounding);
      moved += after[0] != before[0] && after[1] != before[1];
      before = after;
    }
    EXPECT_EQ(moved, 60u) << "batch " << batch;
  }
}

TEST(Noise, IsHeldToTheStep) {
  for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
    FitOptions options = Small(40);
    options.bound = bound;
    options.noise_hold = 0.6;  // until after the end of the first phase
    Trainer trainer(VanDerPolData(), options);
    const Vector start = trainer.Snapshot().noise().parameters;
    for (std::size_t i = 0; i < 24; ++i) trainer.Step();
    EXPECT_EQ(trainer.Snapshot().noise().parameters, start);
    trainer.Step();
    const Vector after = trainer.Snapshot().noise().parameters;
    EXPECT_NE(after[0], start[0]);
    EXPECT_NE(after[1], start[1]);
  }
}

TEST(Noise, GivenOneIsKeptToTheBit) {
  for (std::size_t batch : {0, 7}) {
    FitOptions options = Small(40);
    options.batch = batch;
    options.noise_variance = {0.02, 0.5};
    Trainer trainer(VanDerPolData(), options);
    const Vector start = trainer.Snapshot().noise().parameters;
    for (; !trainer.done(); trainer.Step()) {
      ASSERT_EQ(trainer.Snapshot().noise().parameters, start);
    }
    EXPECT_EQ(trainer.Snapshot().noise().parameters, start);
  }
}

// Steps of minibatches vary more, but lead to about the same noise variance.
TEST(Noise, OfMinibatchesIsThatOfAllData) {
  FitOptions options = Small(1200);
  options.bound = BoundKind::kShooting;  // Only shooting divides a single trajectory into parts.
  options.polish = 0;
  const Vector whole = testing_support::RunAll(VanDerPolData(), options).model.noise().parameters;
  options.batch = 10;
  const Vector parts = testing_support::RunAll(VanDerPolData(), options).model.noise().parameters;
  for (Eigen::Index c = 0; c < 2; ++c) {
    EXPECT_LT(std::fabs(std::log(parts[c] / whole[c])), std::log(3.0))
        << parts[c] << " " << whole[c];
  }
}

Dataset WithConstantChannel() {
  Dataset data = Decay();
  data.channels = {"x", "constant"};
  Matrix& values = data.trajectories[0].values;
  values.conservativeResize(Eigen::NoChange, 2);
  values.col(1).setConstant(5);
  return data;
}

constexpr double kSmallestShare = 1e-9;  // the smallest noise as a share of that at the start

TEST(Noise, OfAConstantChannelFalls) {
  FitOptions options = Small(1500);
  options.bound = BoundKind::kShooting;
  options.polish = 0;
  options.scale = false;  // Without scaling, the final noise hardly depends on the seed.
  // The noise continues to fall after the bound seems to have stopped improving.
  options.patience = 0;
  Trainer trainer(WithConstantChannel(), options);
  const double start = trainer.start().noise_variance[1];
  while (!trainer.done()) {
    trainer.Step();
    ASSERT_GE(trainer.Snapshot().noise().parameters[1], (1 - kRounding) * kSmallestShare * start);
  }
  EXPECT_LT(trainer.Snapshot().noise().parameters[1], 0.1 * start);
}

TEST(Noise, NeverFallsBelowItsFloor) {
  const FitOptions options = Small(40);
  Trainer trainer(WithConstantChannel(), options);
  const ModelParts parts(options,
                         {.dim = 2, .channels = 2, .trajectories = 1, .shooting_states = 58});
  TrainerState state = trainer.Save();
  ASSERT_EQ(state.flat.size(), parts.layout().flat_size());
  // The noise is set far below its floor, as if the residuals had been zero for long.
  const std::size_t noise = parts.layout().Find("noise_variance").flat_offset;
  state.flat[noise + 1] -= 60;
  trainer.Restore(state);
  trainer.Step();
  const double floor = kSmallestShare * trainer.start().noise_variance[1];
  EXPECT_NEAR(trainer.Snapshot().noise().parameters[1], floor, kRounding * floor);
}

}  // namespace
}  // namespace gpode
