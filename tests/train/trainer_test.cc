// Tests of training: plans, same bits for any number of threads, exact resume, and learning small
// systems.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/simulate.h"

namespace gpode {
namespace {

Dataset VanDerPolData(std::uint64_t seed = 3) {
  return Simulate({.system = "vdp", .points = 40, .noise_share = 0.05, .seed = seed}).data;
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

TEST(PlanPhases, BothBoundsShootFirstAndEndOnWholeTrajectories) {
  FitOptions options;
  options.steps = 900;
  std::vector<PhasePlan> plan = PlanPhases(options, true);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[0].bound, BoundKind::kShooting);
  EXPECT_EQ(plan[0].steps, 450u);
  EXPECT_EQ(plan[0].rate.peak, options.learning_rate);
  EXPECT_EQ(plan[1].bound, BoundKind::kVanilla);
  EXPECT_EQ(plan[1].steps, 450u);
  EXPECT_EQ(plan[1].rate.peak, options.last_rate * options.learning_rate);
  for (const PhasePlan& phase : plan) {
    EXPECT_EQ(phase.rate.steps, phase.steps);
    EXPECT_EQ(phase.rate.warm_up, options.warm_up);
  }
  options.approach = 0;
  plan = PlanPhases(options, true);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].rate.peak, options.learning_rate);
  options.bound = BoundKind::kShooting;
  options.polish = 0.25;
  plan = PlanPhases(options, true);
  ASSERT_EQ(plan.size(), 2u);
  EXPECT_EQ(plan[1].steps, 225u);
  options.polish = 0;
  plan = PlanPhases(options, true);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].bound, BoundKind::kShooting);
}

TEST(PlanPhases, FunctionsThatCannotBeApproachedFollowWholeTrajectoriesFromTheStart) {
  FitOptions options;
  options.steps = 900;
  std::vector<PhasePlan> plan = PlanPhases(options, false);
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].bound, BoundKind::kVanilla);
  EXPECT_EQ(plan[0].steps, 900u);
  EXPECT_EQ(plan[0].rate.peak, options.learning_rate);
  options.bound = BoundKind::kShooting;
  options.polish = 0.25;
  plan = PlanPhases(options, false);
  ASSERT_EQ(plan.size(), 2u) << "whoever asks for shooting gets it";
  EXPECT_EQ(plan[0].steps, 675u);
}

TEST(ToleranceSchedule, IsLoweredThenKept) {
  FitOptions options;
  options.loose_tolerance = 0.1;
  options.tight_tolerance = 0.001;
  options.tightening = 0.5;
  EXPECT_DOUBLE_EQ(ToleranceScheduleOf(options).At(0, 100), 0.1);
  EXPECT_DOUBLE_EQ(ToleranceScheduleOf(options).At(25, 100), 0.01);
  EXPECT_DOUBLE_EQ(ToleranceScheduleOf(options).At(50, 100), 0.001);
  EXPECT_DOUBLE_EQ(ToleranceScheduleOf(options).At(99, 100), 0.001);
  options.tolerance = ToleranceRule::kFixed;
  EXPECT_DOUBLE_EQ(ToleranceScheduleOf(options).At(0, 100), 0.001);
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
  // Runs are without minibatches, or with 7 of 39 segments in a step, which makes five steps per
  // epoch.
  for (std::size_t batch : {0, 7}) {
    FitOptions options = Small();
    options.batch = batch;
    const TrainerState whole = StateAfterAll(options);
    for (std::size_t stop : {1, 9, 10, 11, 29}) {  // in both phases and around their border
      Trainer first(VanDerPolData(), options);
      for (std::size_t i = 0; i < stop; ++i) first.Step();
      Trainer second(VanDerPolData(), options);
      second.Restore(first.Save());
      while (!second.done()) second.Step();
      EXPECT_TRUE(second.Save() == whole) << "stopped after " << stop << ", batch " << batch;
    }
  }
}

bool BelongsToAState(const ParameterBlock& block) {
  return block.name.starts_with("x0_") || block.name.starts_with("state_");
}

// Each step has one segment. The parameters of states that this segment does not touch stay the
// same.
TEST(Trainer, AMinibatchLeavesOtherStatesAlone) {
  FitOptions options = Small();
  options.bound = BoundKind::kShooting;
  options.batch = 1;
  Trainer trainer(VanDerPolData(), options);
  TrainerState before = trainer.Save();
  double updates = 0;
  for (int i = 0; i < 20; ++i) {
    trainer.Step();
    const TrainerState after = trainer.Save();
    const std::size_t states = after.state_updates.size();
    std::size_t own = 0, moved = 0, touched = 0;
    for (const ParameterBlock& block : trainer.parts().layout().blocks()) {
      if (!BelongsToAState(block)) continue;
      own += block.flat_size;
      for (std::size_t k = block.flat_offset; k < block.flat_offset + block.flat_size; ++k) {
        moved += after.flat[k] != before.flat[k];
      }
    }
    ASSERT_EQ(own, 5 * states) << "a state has 2 means and 3 entries of its factor";
    for (std::size_t k = 0; k < states; ++k) {
      touched += after.state_updates[k] != before.state_updates[k];
      updates += after.state_updates[k] - before.state_updates[k];
    }
    EXPECT_GE(touched, 1u);
    EXPECT_LE(touched, 2u) << "both ends of one segment";
    EXPECT_LE(moved, 5 * touched);
    EXPECT_GT(moved, 0u);
    before = after;
  }
  EXPECT_GT(updates, 20);
}

TEST(Trainer, WithoutMinibatchesAllParametersHaveEquallyManyUpdates) {
  FitOptions options = Small();
  options.bound = BoundKind::kShooting;
  Trainer trainer(VanDerPolData(), options);
  for (int i = 0; i < 5; ++i) trainer.Step();
  const TrainerState state = trainer.Save();
  EXPECT_EQ(state.adam.steps, 5u);
  EXPECT_EQ(state.state_updates, std::vector<double>(39, 5.0));
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
  const Vector at_start = trainer.Snapshot().noise().parameters;
  for (int i = 0; i < 15; ++i) trainer.Step();
  EXPECT_EQ(trainer.Snapshot().noise().parameters, at_start);
  for (int i = 0; i < 5; ++i) trainer.Step();
  EXPECT_NE(trainer.Snapshot().noise().parameters, at_start);
}

TEST(Trainer, GivenNoiseIsKept) {
  FitOptions options = Small();
  options.noise_variance = {0.01, 0.04};
  options.noise_hold = 0;
  Trainer trainer(VanDerPolData(), options);
  while (!trainer.done()) trainer.Step();
  EXPECT_NEAR(trainer.Snapshot().noise().parameters[0], 0.01, 1e-15);
  EXPECT_NEAR(trainer.Snapshot().noise().parameters[1], 0.04, 1e-15);
  options.noise_variance = {0.09};
  EXPECT_NEAR(Trainer(VanDerPolData(), options).Snapshot().noise().parameters[1], 0.09, 1e-15);
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
  EXPECT_EQ(MessageOf(options), "Fit: approach is 1.5, must be between 0 and 1");
  options = Small();
  options.states = 3;
  EXPECT_EQ(
      MessageOf(options),
      "Fit: states is 3, must equal the number of channels, 2, unless PCA or a matrix is asked "
      "for");
  options.observation = Observation::kPca;
  EXPECT_EQ(MessageOf(options), "Fit: states is 3, must not be more than the channels, 2");
  options = Small();
  options.kernel = "linear";
  EXPECT_EQ(MessageOf(options),
            "Fit: kernel is \"linear\", must be one of matern32, matern52, squared-exponential (or "
            "se), alone or with + linear, + polynomial2 or + polynomial3, such as \"se + linear\"");
  options = Small();
  options.inducing = 1000000;
  EXPECT_EQ(MessageOf(options), "Fit: inducing is 1000000 for 2 states, must be at most 7071");
}

// There is a shooting state at every observation, except at the last observation and at an
// observation at the start time.
TEST(Fit, ModelsKeepTheShootingStatesOfALastPhase) {
  FitOptions options = Small();
  Dataset data = VanDerPolData();
  data.trajectories.push_back(data.trajectories[0]);
  data.trajectories[1].start_time = -0.1;
  EXPECT_TRUE(Fit(data, options).shooting_times.empty()) << "ends on the vanilla bound";
  options.bound = BoundKind::kShooting;
  options.polish = 0;
  const Model model = Fit(data, options);
  const std::vector<double>& times = data.trajectories[0].times;
  const std::size_t last = times.size() - 1;
  std::vector<double> expected(times.begin() + 1, times.begin() + last);
  expected.insert(expected.end(), times.begin(), times.begin() + last);
  EXPECT_EQ(model.shooting_times, expected);
  std::vector<std::size_t> owner(last - 1, 0);
  owner.insert(owner.end(), last, 1);
  EXPECT_EQ(model.shooting_trajectory, owner);
  EXPECT_EQ(model.end_times, (std::vector<double>{times.back(), times.back()}));
  // After so few steps, the shooting states are still near the data.
  const Matrix states = model.map.StatesOf(data.trajectories[0].values);
  const Matrix mean = model.parameters.AsMatrix("state_mean");
  ASSERT_EQ(mean.rows(), std::ssize(expected));
  EXPECT_LT((mean.topRows(last - 1) - states.middleRows(1, last - 1)).norm() /
                std::sqrt(static_cast<double>(last)),
            0.3);
  const Matrix chol = model.parameters.AsMatrix("state_chol");
  ASSERT_EQ(chol.rows(), mean.rows());
  ASSERT_EQ(chol.cols(), 4);
  EXPECT_EQ(chol.col(1), Vector::Zero(chol.rows()));
  EXPECT_GT(chol.col(3).minCoeff(), 0.0);
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
