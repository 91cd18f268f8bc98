// Training: plans, same bits for any number of threads, exact resume, and learning small systems.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "support/simulated.h"

namespace gpode {
namespace {

using testing_support::Regular;
using testing_support::Simulate;
using testing_support::WithNoise;

Dataset VanDerPolData(std::uint64_t seed = 3) {
  const std::vector<double> times = Regular(0, 7, 40);
  return {.channels = {"x", "y"},
          .trajectories = {
              {"", times, WithNoise(Simulate("vdp", {-1.5, 2.5}, times), 0.05, seed), {}}}};
}

FitOptions Small() {
  FitOptions options;
  options.inducing = 8;
  options.features = 32;
  options.steps = 30;
  options.draws = 3;
  options.threads = 1;
  return options;
}

TEST(PlanPhases, VanillaIsApproachedByShooting) {
  FitOptions options;
  options.steps = 900;
  std::vector<PhasePlan> plan = PlanPhases(options);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].bound, BoundKind::kShooting);
  EXPECT_EQ(plan[0].steps, 300u);
  EXPECT_EQ(plan[1].bound, BoundKind::kVanilla);
  EXPECT_EQ(plan[1].steps, 600u);
  options.approach = 0;
  EXPECT_EQ(PlanPhases(options).size(), 1u);
  options.bound = BoundKind::kShooting;
  plan = PlanPhases(options);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].bound, BoundKind::kShooting);
  options.polish = 0.25;
  plan = PlanPhases(options);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[1].steps, 225u);
}

TrainerState StateAfterAll(FitOptions options) {
  Trainer trainer(VanDerPolData(), options);
  while (!trainer.done()) trainer.Step();
  return trainer.Save();
}

TEST(Trainer, GivesTheSameBitsForAnyNumberOfThreads) {
  for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
    FitOptions options = Small();
    options.bound = bound;
    const TrainerState one = StateAfterAll(options);
    for (std::size_t threads : {2, 5}) {
      options.threads = threads;
      EXPECT_TRUE(StateAfterAll(options) == one) << threads << " threads";
    }
    options.threads = 1;
    options.seed = 2;
    EXPECT_FALSE(StateAfterAll(options) == one) << "the seed does not matter";
  }
}

TEST(Trainer, ARestoredRunEndsWithTheBitsOfAnUninterruptedOne) {
  for (std::size_t batch : {0, 7}) {
    FitOptions options = Small();
    options.batch = batch;
    const TrainerState whole = StateAfterAll(options);
    for (std::size_t stop : {1, 9, 10, 11, 29}) {  // in and at the border of both phases
      Trainer first(VanDerPolData(), options);
      for (std::size_t i = 0; i < stop; ++i) first.Step();
      Trainer second(VanDerPolData(), options);
      second.Restore(first.Save());
      while (!second.done()) second.Step();
      EXPECT_TRUE(second.Save() == whole) << "stopped after " << stop << ", batch " << batch;
    }
  }
}

TEST(Trainer, AStateOfAnotherShapeIsRefused) {
  Trainer trainer(VanDerPolData(), Small());
  TrainerState state = trainer.Save();
  state.flat.pop_back();
  EXPECT_THROW(trainer.Restore(state), InputError);
  state = trainer.Save();
  state.phase = 7;
  EXPECT_THROW(trainer.Restore(state), InputError);
}

TEST(Trainer, NoiseIsHeldAtFirst) {
  FitOptions options = Small();
  options.noise_hold = 0.5;
  Trainer trainer(VanDerPolData(), options);
  const Vector at_start = trainer.Snapshot().noise_variance;
  for (int i = 0; i < 15; ++i) trainer.Step();
  EXPECT_EQ(trainer.Snapshot().noise_variance, at_start);
  for (int i = 0; i < 5; ++i) trainer.Step();
  EXPECT_NE(trainer.Snapshot().noise_variance, at_start);
}

TEST(Trainer, GivenNoiseIsKept) {
  FitOptions options = Small();
  options.noise_variance = {0.01, 0.04};
  options.noise_hold = 0;
  Trainer trainer(VanDerPolData(), options);
  while (!trainer.done()) trainer.Step();
  EXPECT_NEAR(trainer.Snapshot().noise_variance[0], 0.01, 1e-15);
  EXPECT_NEAR(trainer.Snapshot().noise_variance[1], 0.04, 1e-15);
  options.noise_variance = {0.09};
  EXPECT_NEAR(Trainer(VanDerPolData(), options).Snapshot().noise_variance[1], 0.09, 1e-15);
}

std::string MessageOf(const FitOptions& options) {
  try {
    Trainer trainer(VanDerPolData(), options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Trainer, ImpossibleOptionsAreNamed) {
  FitOptions options = Small();
  options.inducing = 0;
  EXPECT_EQ(MessageOf(options), "Fit: inducing is 0, must be at least 1");
  options = Small();
  options.approach = 1.5;
  EXPECT_EQ(MessageOf(options), "Fit: approach must be between 0 and 1");
  options = Small();
  options.states = 3;
  EXPECT_EQ(MessageOf(options),
            "Fit: states must equal the number of channels, unless PCA or a matrix is asked for");
  options.observation = Observation::kPca;
  EXPECT_EQ(MessageOf(options), "Fit: states must not be more than the channels");
  options = Small();
  options.kernel = "linear";
  EXPECT_EQ(MessageOf(options).substr(0, 27), "GetKernel: name is 'linear'");
}

TEST(Fit, StopsWhenTheCallbackSaysSo) {
  FitOptions options = Small();
  options.steps = 500;
  std::size_t last = 0;
  Fit(VanDerPolData(), options, [&](const Progress& progress) {
    last = progress.step;
    return progress.step < 100;
  });
  EXPECT_EQ(last, 100u);
}

}  // namespace
}  // namespace gpode
