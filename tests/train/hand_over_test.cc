// Tests of the transition from shooting to whole trajectories, and of runs that keep shooting
// because the field cannot follow whole trajectories.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/simulate.h"
#include "support/trainer_runs.h"

namespace gpode {
namespace {

using testing_support::EndWhenRestoredAfter;
using testing_support::RunAll;
using testing_support::TrainerRun;

FitOptions Shooting(std::size_t steps) {
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.inducing = 12;
  options.features = 32;
  options.precision = FeaturePrecision::kFloat;
  options.steps = steps;
  options.threads = 1;
  return options;
}

// Returns a chaotic series that is so long that no solution from its start follows it. A series of
// half its length can be followed with some seeds of training and not with others.
Dataset Lorenz() {
  return Simulate({.system = "lorenz63", .span = 8, .points = 160, .noise_share = 0.01, .seed = 3})
      .data;
}

Dataset VanDerPol() {
  return Simulate({.system = "vdp", .points = 40, .noise_share = 0.05, .seed = 3}).data;
}

Matrix ShootingMeans(const Model& model) { return model.parameters.AsMatrix("state_mean"); }

std::size_t StepsOf(const TrainerRun& run, BoundKind kind) {
  std::size_t count = 0;
  for (const Progress& progress : run.steps) count += progress.phase == kind;
  return count;
}

TEST(HandOver, ChaosKeepsShooting) {
  const FitOptions options = Shooting(100);
  const TrainerRun run = RunAll(Lorenz(), options);
  EXPECT_EQ(run.end.keeps_shooting, true);
  EXPECT_EQ(StepsOf(run, BoundKind::kShooting), 100u);
  EXPECT_EQ(run.model.shooting_times.size(), 158u);
  EXPECT_EQ(run.steps.back().tolerance, options.tight_tolerance);
}

TEST(HandOver, WhatCanBeFollowedEndsOnWholeTrajectories) {
  const TrainerRun run = RunAll(VanDerPol(), Shooting(300));
  EXPECT_EQ(run.end.keeps_shooting, false);
  EXPECT_EQ(StepsOf(run, BoundKind::kShooting), 210u);
  EXPECT_EQ(StepsOf(run, BoundKind::kVanilla), 90u);
  EXPECT_EQ(run.steps.back().phase, BoundKind::kVanilla);
  EXPECT_TRUE(run.model.shooting_times.empty());
}

// At the transition, neither parameters nor shooting states jump.
TEST(HandOver, ShootingGoesOnFromWhereItWas) {
  FitOptions options = Shooting(300);
  options.polish_loss = 0;
  Trainer trainer(Lorenz(), options);
  for (std::size_t i = 0; i < 209; ++i) trainer.Step();
  const Model before = trainer.Snapshot();
  trainer.Step();
  EXPECT_EQ(trainer.Save().keeps_shooting, true);
  const Model after = trainer.Snapshot();
  const Matrix states = ShootingMeans(after);
  ASSERT_GT(states.rows(), 0);
  ASSERT_EQ(states.rows(), ShootingMeans(before).rows());
  EXPECT_LT((states - ShootingMeans(before)).cwiseAbs().maxCoeff(), 1e-3);
  const Matrix inducing = after.parameters.AsMatrix("inducing_mean");
  ASSERT_GT(inducing.rows(), 0);
  EXPECT_LT((inducing - before.parameters.AsMatrix("inducing_mean")).cwiseAbs().maxCoeff(), 1e-3);
  // The shooting states are not reset to their start either.
  const Trainer start(Lorenz(), options);
  EXPECT_GT((states - ShootingMeans(start.Snapshot())).cwiseAbs().maxCoeff(), 0.01);
}

TEST(HandOver, PolishLossDecides) {
  FitOptions options = Shooting(40);
  options.polish_loss = 1e9;
  EXPECT_EQ(RunAll(Lorenz(), options).end.keeps_shooting, false);
  options.polish_loss = 0;
  EXPECT_EQ(RunAll(Lorenz(), options).end.keeps_shooting, true);
}

TEST(HandOver, WhoeverAsksForTheVanillaBoundGetsIt) {
  FitOptions options = Shooting(40);
  options.bound = BoundKind::kVanilla;
  options.polish_loss = 0;
  const TrainerRun run = RunAll(Lorenz(), options);
  EXPECT_EQ(run.steps.back().phase, BoundKind::kVanilla);
  EXPECT_TRUE(run.model.shooting_times.empty());
}

void ExpectRestoredRunsAreTheSame(const Dataset& data, FitOptions options, bool keeps_shooting) {
  for (std::size_t batch : {0, 9}) {
    options.batch = batch;
    const TrainerState whole = RunAll(data, options).end;
    ASSERT_EQ(whole.keeps_shooting, keeps_shooting);
    const std::size_t border = options.steps * 7 / 10;
    for (std::size_t stop : {border - 1, border, border + 1, options.steps - 1}) {
      EXPECT_TRUE(EndWhenRestoredAfter(stop, data, options) == whole)
          << stop << " steps, batch " << batch;
    }
    options.threads = 3;
    EXPECT_TRUE(RunAll(data, options).end == whole) << "threads, batch " << batch;
    options.threads = 1;
  }
}

TEST(HandOver, ARestoredRunEndsWithTheSameBits) {
  ExpectRestoredRunsAreTheSame(Lorenz(), Shooting(100), true);
  FitOptions options = Shooting(100);
  options.polish_loss = 1e9;
  ExpectRestoredRunsAreTheSame(VanDerPol(), options, false);
}

TEST(HandOver, ARestoredRunWithALearntToleranceEndsWithTheSameBits) {
  FitOptions options = Shooting(100);
  options.tolerance = ToleranceRule::kLearnt;
  options.tolerance_prior = TolerancePrior::kLaplace;
  ExpectRestoredRunsAreTheSame(Lorenz(), options, true);
}

}  // namespace
}  // namespace gpode
