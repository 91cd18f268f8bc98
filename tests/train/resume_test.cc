// Tests that runs that were stopped or killed and then resumed end with the same bits as
// uninterrupted ones.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>

#include "gpode/model_file.h"
#include "io/files.h"
#include "store/model_file.h"
#include "support/small_run.h"
#include "support/temporary_folder.h"
#include "train/plateau.h"

namespace gpode {
namespace {

using internal::ModelBytes;
using internal::ReadFile;
using testing_support::SmallData;
using testing_support::SmallOptions;
using testing_support::TemporaryFolder;

// Returns a control that stops the run after this many reports.
FitControl StopAfter(std::size_t reports) {
  FitControl control;
  control.report_every = 1;
  control.report = [left = reports](const Progress&) mutable { return --left > 0; };
  return control;
}

// Returns options for both bounds, with and without minibatches, for a kernel with a linear part,
// for a learnt tolerance, and for a run that keeps shooting to the end.
std::vector<FitOptions> OptionSets() {
  std::vector<FitOptions> sets;
  FitOptions options = SmallOptions();
  options.polish = 0.25;
  for (BoundKind bound : {BoundKind::kVanilla, BoundKind::kShooting}) {
    for (std::size_t batch : {0, 2}) {
      options.bound = bound;
      options.batch = batch;
      sets.push_back(options);
    }
  }
  options.kernel = "se+linear";
  sets.push_back(options);
  options.kernel = "se";
  options.tolerance = ToleranceRule::kLearnt;
  options.polish_loss = 1e9;
  sets.push_back(options);
  options.tolerance_prior = TolerancePrior::kLaplace;
  options.polish_loss = 0;
  sets.push_back(options);
  return sets;
}

void ExpectSameFile(const FitOptions& options, const std::vector<std::size_t>& stops) {
  const TemporaryFolder folder;
  Train(SmallData(), options, {.checkpoint = folder / "whole"});
  for (std::size_t stop : stops) {
    FitControl control = StopAfter(stop);
    control.checkpoint = folder / "part";
    EXPECT_EQ(Train(SmallData(), options, control).finished, stop == options.steps);
    EXPECT_TRUE(Resume(folder / "part").finished);
    EXPECT_EQ(ReadFile(folder / "part"), ReadFile(folder / "whole")) << stop << " steps";
  }
}

TEST(Resume, StoppedAnywhereItEndsWithTheSameFile) {
  const std::vector<FitOptions> sets = OptionSets();
  std::vector<std::size_t> all(SmallOptions().steps);
  std::iota(all.begin(), all.end(), 1);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "option set " << i);
    ExpectSameFile(sets[i], all);
  }
}

TEST(Resume, StoppedWhileTheLearningRateRunsDownItEndsWithTheSameFile) {
  FitOptions options = SmallOptions();
  options.features = 8;
  options.steps = 20000;
  options.approach = 0;
  options.patience = 1;
  options.noise_variance = {0.1};
  const TrainedModel whole = Train(SmallData(), options);
  const std::size_t end = whole.history.back().step + 1;
  ASSERT_LT(end, options.steps);
  // The learning rate falls during a quarter as many steps as came before, but for at least one
  // window.
  std::size_t from = Plateau::kWindow;
  while (from + std::max(Plateau::kWindow, from / 4) < end) from += Plateau::kWindow;
  ExpectSameFile(options, {from - 1, from, from + 1, end - 1});
}

TEST(Resume, OneCheckpointThatCannotBeWrittenDoesNotEndTheRun) {
  const TemporaryFolder folder;
  Train(SmallData(), SmallOptions(), {.checkpoint = folder / "whole"});
  std::vector<std::string> messages;
  std::size_t writes = 0;
  FitControl control{.checkpoint = folder / "part", .checkpoint_steps = 1};
  control.write = [&](std::span<const std::byte> bytes) {
    if (++writes == 2) throw InputError("no room");
    internal::WriteFile(folder / "part", bytes);
  };
  control.checkpoint_failed = [&](const std::string& message) { messages.push_back(message); };
  EXPECT_TRUE(Train(SmallData(), SmallOptions(), control).finished);
  EXPECT_EQ(messages, std::vector<std::string>{"no room"});
  EXPECT_EQ(writes, SmallOptions().steps);
  EXPECT_EQ(ReadFile(folder / "part"), ReadFile(folder / "whole"));
  // Without checkpoint_failed, a checkpoint that cannot be written ends the run.
  writes = 0;
  control.checkpoint_failed = nullptr;
  EXPECT_THROW(Train(SmallData(), SmallOptions(), control), InputError);
}

TEST(Resume, StepByStepWithOtherThreads) {
  const TemporaryFolder folder;
  Train(SmallData(), SmallOptions(), {.checkpoint = folder / "whole"});
  FitControl control = StopAfter(1);
  control.checkpoint = folder / "part";
  TrainedModel trained = Train(SmallData(), SmallOptions(), control);
  for (std::size_t threads = 1; !trained.finished; ++threads) {
    control = StopAfter(1);
    control.threads = threads % 4;
    trained = Resume(folder / "part", control);
  }
  EXPECT_EQ(ReadFile(folder / "part"), ReadFile(folder / "whole"));
}

TEST(Resume, AFinishedRunIsReturnedAndItsFileLeftAlone) {
  const TemporaryFolder folder;
  const TrainedModel whole = Train(SmallData(), SmallOptions(), {.checkpoint = folder / "whole"});
  const auto written = std::filesystem::last_write_time(folder / "whole");
  const TrainedModel again = Resume(folder / "whole", {.checkpoint = folder / "other"});
  EXPECT_EQ(ModelBytes(again), ModelBytes(whole));
  EXPECT_EQ(std::filesystem::last_write_time(folder / "whole"), written);
  EXPECT_FALSE(std::filesystem::exists(folder / "other"));
}

TEST(Train, GivesTheModelOfFit) {
  const Model fitted = Fit(SmallData(), SmallOptions());
  const TrainedModel trained = Train(SmallData(), SmallOptions());
  EXPECT_EQ(ModelBytes({.model = fitted}), ModelBytes({.model = trained.model}));
}

TEST(Train, WritesCheckpointsBySteps) {
  const TemporaryFolder folder;
  FitControl control;
  control.checkpoint = folder / "m";
  control.checkpoint_steps = 5;
  control.report_every = 1;
  std::vector<std::size_t> seen;
  control.report = [&](const Progress&) {
    const bool there = std::filesystem::exists(folder / "m");
    seen.push_back(there ? LoadTrainedModel(folder / "m").history.size() : 0);
    return true;
  };
  Train(SmallData(), SmallOptions(), control);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10}));
  EXPECT_EQ(LoadTrainedModel(folder / "m").history.size(), 12u);
}

TEST(Train, AnUnwritableCheckpointIsNamed) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "no" / "m.gpode";
  try {
    Train(SmallData(), SmallOptions(), {.checkpoint = path});
    ADD_FAILURE() << "nothing thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              path.string() + ": cannot be written: No such file or directory");
  }
}

// ---- Runs that are ended by kill -9.

FitOptions KillOptions() {
  FitOptions options = SmallOptions();
  options.steps = 600;
  options.draws = 2;
  return options;
}

// Starts or resumes the run in `path`, in a new process, and returns the id of this process.
pid_t StartRun(const std::filesystem::path& path) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    FitControl control;
    control.checkpoint = path;
    control.checkpoint_steps = 3;
    if (std::filesystem::exists(path)) {
      Resume(path, control);
    } else {
      Train(SmallData(), KillOptions(), control);
    }
    _exit(0);
  } catch (...) {
    _exit(1);
  }
}

TEST(Resume, KilledAtRandomMomentsItEndsWithTheSameFile) {
  const int kills = std::getenv("GPODE_LONG_TESTS") ? 1000 : 100;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "run.gpode";
  const std::vector<std::byte> whole = ModelBytes(Train(SmallData(), KillOptions()));
  std::mt19937_64 engine(1);
  int killed = 0, ended = 0;
  while (killed < kills || ended == 0) {
    const pid_t child = StartRun(path);
    ASSERT_GT(child, 0);
    if (killed < kills) {
      std::this_thread::sleep_for(std::chrono::microseconds(engine() % 40000));
      kill(child, SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      ++killed;
      // The file is complete, or it has not been written yet.
      if (std::filesystem::exists(path)) {
        ASSERT_NO_THROW(LoadTrainedModel(path));
      }
      continue;
    }
    ASSERT_EQ(WEXITSTATUS(status), 0);
    ASSERT_EQ(ReadFile(path), whole) << "after " << killed << " kills";
    ++ended;
    std::filesystem::remove(path);
  }
  RecordProperty("ended", ended);
}

}  // namespace
}  // namespace gpode
