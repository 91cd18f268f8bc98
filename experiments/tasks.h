// The tasks of the paper's experiments (Hegde et al. 2022, sections 4 and S2), and new ones:
// training data, tests, sizes. Simulated data are regenerated; motion capture is read from a
// folder.
//
//   vdp-regular, vdp-irregular, fhn    tables 1 and 2
//   long-T-NOISE                       section 4.3; T = 25, 40, 55, noise variance 0.01, 0.05, 0.1
//   efficiency                         section 4.3; bound against time, on the data of long-25-0.01
//   mocap-SUBJECT-short, -long         section 4.4; subjects 09, 35, 39
//   fresh-SYSTEM                       not in the paper; every seed has its own noise
//   calibration-...                    not in the paper; see calibration_tasks.h
//
// Thread safety: plain functions and values.
//
//   for (const TaskInfo& info : ExpandTasks({"fhn", "long"}))
//     Task task = MakeTask(info, /*seed=*/1, folder);
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/prior_truth.h"
#include "gpode/model.h"

namespace gpode::experiments {

enum class TaskKind { kSimulated, kLong, kEfficiency, kMocap, kFresh, kCalibration };

struct TaskInfo {
  std::string name;
  std::string title;
  std::string group;  // tasks that are run and shown together: "paper", "long", "mocap", ...
  TaskKind kind = TaskKind::kSimulated;
  std::size_t runs = 5;       // per method, by default
  std::size_t most_runs = 0;  // that differ from each other; 0: any number
};

// Held-out values that a forecast is compared with.
struct TestSequence {
  // The forecast starts from these channels at the first time or, if there are none, from the
  // learnt initial state of the training trajectory.
  std::vector<double> start_values;
  std::vector<double> times;  // (T)
  Matrix values;              // (T, channels)
};

// The values of a task that bands are compared with (calibration_scores.h): those that are held back
// from training, and the truth at the training times.
struct BandsTask {
  std::vector<double> times = {};  // (T), after the training data or in a gap of them
  Matrix truth = {};               // (T, channels) without noise; no rows if unknown
  Matrix observed = {};            // (T, channels) with noise; NaN: missing
  double from = 0, to = 0;         // the span of the times, which is divided into thirds
  Matrix seen_truth = {};          // (training times, channels); no rows if unknown
  Vector spread = {};              // (channels), the unit of scores
};

struct Task {
  Dataset data;
  std::vector<TestSequence> tests;
  std::vector<TestSequence> validation = {};  // for calibrating the noise; may be empty
  Dataset validation_data = {};               // the same data, for early stopping
  std::vector<double> noise_variance = {};    // (channels); empty if unknown
  std::optional<BandsTask> bands = {};        // calibration tasks only
  std::optional<PriorTruth> prior = {};       // calibration-prior only: what ranks are of
  FitOptions options = {};                    // sizes; everything else has its default
  std::uint64_t fit_seed = 1;

  // Returns the MNLL of the truth with the true noise, NaN if that is unknown.
  double Floor() const;
};

// Returns all tasks in the order of the tables.
const std::vector<TaskInfo>& AllTasks();

// Returns the tasks that the words name: a task, a group, "calibration" for all groups of that, or
// "all" for all tasks of the paper. Each is there once, in the order of AllTasks. Throws an
// InputError for an unknown word.
std::vector<TaskInfo> ExpandTasks(std::span<const std::string> words);

// Returns the words that ExpandTasks knows.
std::vector<std::string> TaskWords();

// Returns the task with its data. `folder` is for motion capture only; see ReadMocap.
Task MakeTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder);

Task MakeSimulatedTask(const TaskInfo& info, std::uint64_t seed);
Task MakeMocapTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace gpode::experiments
