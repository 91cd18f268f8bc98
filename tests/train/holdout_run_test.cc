// Tests of runs with held-back data: their results, and that these are the same after an
// interruption anywhere.
#include <gtest/gtest.h>

#include "gpode/holdout.h"
#include "gpode/model_file.h"
#include "gpode/options.h"
#include "io/files.h"
#include "store/model_file.h"
#include "support/small_run.h"
#include "support/temporary_folder.h"

namespace gpode {
namespace {

using internal::ModelBytes;
using internal::ReadFile;
using testing_support::SmallData;
using testing_support::SmallOptions;
using testing_support::TemporaryFolder;

constexpr HoldoutOptions kThird{.share = 0.34};
constexpr HoldoutOptions kKept{.share = 0.34, .refit = false};

FitControl StopAfter(std::size_t reports, const std::filesystem::path& path) {
  FitControl control;
  control.report_every = 1;
  control.report = [left = reports](const Progress&) mutable { return --left > 0; };
  control.checkpoint = path;
  return control;
}

TEST(TrainWithHoldout, EndsWithTheModelOfAllDataAndAWidening) {
  const TrainedModel run = TrainWithHoldout(SmallData(), SmallOptions(), kThird);
  const TrainedModel plain = Train(SmallData(), SmallOptions());
  EXPECT_EQ(run.model.parameters.values, plain.model.parameters.values);
  EXPECT_EQ(run.data.trajectories[0].times, SmallData().trajectories[0].times);
  EXPECT_TRUE(run.finished);
  ASSERT_TRUE(run.holdout);
  EXPECT_EQ(run.holdout->options, kThird);
  EXPECT_TRUE(run.holdout->held.trajectories.empty());
  EXPECT_EQ(run.holdout->report.held_times, 6u);
  EXPECT_EQ(run.model.widening.values, (std::vector<std::size_t>{6, 6}));
  EXPECT_FALSE(plain.model.widening.IsJudged());
}

TEST(TrainWithHoldout, WithoutRefitTheModelHasNotSeenTheHeldBackData) {
  const TrainedModel run = TrainWithHoldout(SmallData(), SmallOptions(), kKept);
  const HeldBack parts = HoldBack(SmallData(), kKept);
  const TrainedModel plain = Train(parts.seen, SmallOptions());
  EXPECT_EQ(run.model.parameters.values, plain.model.parameters.values);
  EXPECT_EQ(run.holdout->held.trajectories[1].times, parts.held.trajectories[1].times);
  EXPECT_TRUE(run.model.widening.IsJudged());
  const HoldoutReport again = AssessHoldout(plain.model, parts.seen, parts.held);
  EXPECT_EQ(again.widening.variance, run.model.widening.variance);
}

TEST(TrainWithHoldout, SaysHowTheComparisonWentBeforeItLearnsFromEverything) {
  std::vector<std::string> events;
  FitControl control;
  control.report_every = 12;
  control.report = [&](const Progress&) { return events.push_back("step"), true; };
  control.compared = [&](const HoldoutReport& report) {
    events.push_back("compared " + std::to_string(report.rows.size()));
  };
  TrainWithHoldout(SmallData(), SmallOptions(), kThird, control);
  // The steps 0 and 11 of each of the two runs are reported.
  EXPECT_EQ(events, (std::vector<std::string>{"step", "step", "compared 2", "step", "step"}));
}

TEST(TrainWithHoldout, StoppedAnywhereItEndsWithTheSameFile) {
  for (const HoldoutOptions& holdout : {kThird, kKept}) {
    const TemporaryFolder folder;
    TrainWithHoldout(SmallData(), SmallOptions(), holdout, {.checkpoint = folder / "whole"});
    for (std::size_t stop = 1; stop <= (holdout.refit ? 24 : 12); ++stop) {
      TrainWithHoldout(SmallData(), SmallOptions(), holdout, StopAfter(stop, folder / "part"));
      const TrainedModel again = Resume(folder / "part", {.threads = 1 + stop % 3});
      EXPECT_TRUE(again.finished);
      EXPECT_EQ(ReadFile(folder / "part"), ReadFile(folder / "whole")) << stop << " steps";
      EXPECT_EQ(ModelBytes(again), ModelBytes(LoadTrainedModel(folder / "whole")));
    }
  }
}

TEST(TrainWithHoldout, StoppedBetweenTheTwoRunsItIsResumed) {
  const TemporaryFolder folder;
  TrainWithHoldout(SmallData(), SmallOptions(), kThird, {.checkpoint = folder / "whole"});
  FitControl control{.checkpoint = folder / "part"};
  struct Killed {};
  control.compared = [](const HoldoutReport&) { throw Killed(); };
  EXPECT_THROW(TrainWithHoldout(SmallData(), SmallOptions(), kThird, control), Killed);
  EXPECT_TRUE(LoadTrainedModel(folder / "part").finished) << "the first of the two runs";
  Resume(folder / "part");
  EXPECT_EQ(ReadFile(folder / "part"), ReadFile(folder / "whole"));
}

TEST(TrainWithHoldout, ASampledModelIsResumedFromItsComparison) {
  FitOptions options = SmallOptions();
  SetModel(options, "gpode-hmc", "test");
  options.sampler = {.chains = 1, .warm_up = 4, .draws = 4, .max_depth = 2};
  const TemporaryFolder folder;
  const TrainedModel whole =
      TrainWithHoldout(SmallData(), options, kThird, {.checkpoint = folder / "whole"});
  EXPECT_TRUE(whole.model.IsSampled());
  EXPECT_TRUE(whole.model.widening.IsJudged());
  FitControl control{.checkpoint = folder / "part"};
  struct Killed {};
  control.compared = [](const HoldoutReport&) { throw Killed(); };
  EXPECT_THROW(TrainWithHoldout(SmallData(), options, kThird, control), Killed);
  Resume(folder / "part");
  EXPECT_EQ(ReadFile(folder / "part"), ReadFile(folder / "whole"));
}

}  // namespace
}  // namespace gpode
