// Tests of how the tolerance of shooting changes from step to step: fixed, lowered, and learnt from
// the gaps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpode/simulate.h"
#include "model/natural.h"
#include "support/trainer_runs.h"

namespace gpode {
namespace {

using testing_support::EndWhenRestoredAfter;
using testing_support::RunAll;
using testing_support::TrainerRun;

// 40 observations make 38 gaps between segments, each with two components.
constexpr double kComponents = 2 * 38;

Dataset VanDerPolData() {
  return Simulate({.system = "vdp", .points = 40, .noise_share = 0.05, .seed = 3}).data;
}

FitOptions Shooting(ToleranceRule rule, TolerancePrior prior, std::size_t steps) {
  FitOptions options;
  options.bound = BoundKind::kShooting;
  options.polish = 0;
  options.tolerance = rule;
  options.tolerance_prior = prior;
  options.inducing = 8;
  options.features = 32;
  options.steps = steps;
  options.threads = 1;
  return options;
}

// Returns BoundTerms::gap, computed from the constraint's term.
double GapOf(const Progress& progress, TolerancePrior prior) {
  const double each = progress.constraint / kComponents;
  return prior == TolerancePrior::kGaussian
             ? -2 * each - std::log(2 * std::numbers::pi) - 2 * std::log(progress.tolerance)
             : -each - std::log(2 * progress.tolerance);
}

class LearntTolerance : public testing::TestWithParam<TolerancePrior> {};

TEST_P(LearntTolerance, FollowsTheGaps) {
  const TolerancePrior prior = GetParam();
  const double half = prior == TolerancePrior::kGaussian ? 0.5 : 1;
  FitOptions options = Shooting(ToleranceRule::kLearnt, prior, 1000);
  options.loose_tolerance = 0.5;
  const TrainerRun run = RunAll(VanDerPolData(), options);
  ASSERT_EQ(run.steps.size(), 1000u);
  EXPECT_DOUBLE_EQ(run.steps[0].tolerance, 0.5);
  double late = 0;
  for (std::size_t i = 0; i + 1 < run.steps.size(); ++i) {
    ASSERT_EQ(run.steps[i].diverged, 0u);
    const double gap = GapOf(run.steps[i], prior);
    ASSERT_NEAR(std::log(run.steps[i + 1].tolerance / run.steps[i].tolerance),
                half * NaturalLogStep(gap), 1e-9)
        << "step " << i;
    if (i >= 799) late += gap / 200;
  }
  EXPECT_LT(run.steps.back().tolerance, 0.1);
  EXPECT_NEAR(late, 1, 0.25);
}

TEST_P(LearntTolerance, ARestoredRunEndsWithTheSameBits) {
  for (std::size_t batch : {0, 7}) {
    for (double polish : {0.0, 0.4}) {
      FitOptions options = Shooting(ToleranceRule::kLearnt, GetParam(), 20);
      options.batch = batch;
      options.polish = polish;
      const TrainerState whole = RunAll(VanDerPolData(), options).end;
      EXPECT_NE(whole.log_tolerance, std::log(options.loose_tolerance));
      for (std::size_t stop : {1, 11, 12, 13, 19}) {
        EXPECT_TRUE(EndWhenRestoredAfter(stop, VanDerPolData(), options) == whole)
            << stop << " steps, batch " << batch << ", polish " << polish;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Priors, LearntTolerance,
                         testing::Values(TolerancePrior::kGaussian, TolerancePrior::kLaplace));

TEST(Tolerance, StaysWithoutGaps) {
  FitOptions options = Shooting(ToleranceRule::kLearnt, TolerancePrior::kGaussian, 30);
  options.bound = BoundKind::kVanilla;
  options.approach = 0;
  const TrainerRun run = RunAll(VanDerPolData(), options);
  for (const Progress& progress : run.steps) {
    EXPECT_DOUBLE_EQ(progress.tolerance, options.loose_tolerance);
  }
}

// Each step has one segment. Most trajectories have two observations only and therefore no gap.
TEST(Tolerance, StaysInStepsWhoseBatchHasNoGaps) {
  Dataset data = Simulate({.system = "vdp", .points = 4, .noise_share = 0.05}).data;
  for (std::size_t n = 1; n < 20; ++n) {
    data.trajectories.push_back(
        Simulate({.system = "vdp", .span = 0.3, .points = 2, .noise_variance = {0.01}, .seed = n})
            .data.trajectories[0]);
  }
  FitOptions options = Shooting(ToleranceRule::kLearnt, TolerancePrior::kGaussian, 44);
  options.batch = 1;
  const TrainerRun run = RunAll(data, options);
  std::size_t gaps = 0, moved = 0;
  for (std::size_t i = 0; i + 1 < run.steps.size(); ++i) {
    const bool gap = run.steps[i].constraint != 0;
    gaps += gap;
    moved += run.steps[i + 1].tolerance != run.steps[i].tolerance;
    EXPECT_EQ(run.steps[i + 1].tolerance != run.steps[i].tolerance, gap) << "step " << i;
  }
  EXPECT_GE(gaps, 2u);
  EXPECT_LE(gaps, 6u) << "two of 22 segments end in a gap";
  EXPECT_EQ(moved, gaps);
}

TEST(Tolerance, FixedAndLoweredDoNotLookAtTheGaps) {
  for (TolerancePrior prior : {TolerancePrior::kGaussian, TolerancePrior::kLaplace}) {
    FitOptions options = Shooting(ToleranceRule::kFixed, prior, 30);
    for (const Progress& progress : RunAll(VanDerPolData(), options).steps) {
      EXPECT_EQ(progress.tolerance, options.tight_tolerance);
    }
    options.tolerance = ToleranceRule::kLowered;
    const TrainerRun run = RunAll(VanDerPolData(), options);
    for (const Progress& progress : run.steps) {
      EXPECT_EQ(progress.tolerance, ToleranceScheduleOf(options).At(progress.step, 30));
    }
    EXPECT_LT(run.steps.back().tolerance, run.steps.front().tolerance);
  }
}

}  // namespace
}  // namespace gpode
