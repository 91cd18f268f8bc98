// The tasks of the paper's experiments (Hegde et al. 2022, sections 4 and S2), and new ones. A task
// has training data, test data and the sizes of models. Simulated data are made again; motion
// capture is read from a folder.
//
//   vdp-regular, vdp-irregular, fhn    tables 1 and 2
//   long-T-NOISE                       section 4.3; T = 25, 40, 55, noise variance 0.01, 0.05, 0.1
//   efficiency                         section 4.3; bound against time, on the data of long-25-0.01
//   mocap-SUBJECT-short, -long         section 4.4; subjects 09, 35, 39
//   fresh-SYSTEM                       not in the paper; every seed has its own noise
//   calibration-...                    not in the paper; see calibration_tasks.h
//
// Thread safety: any thread may call these functions; they share no state that changes.
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
  std::size_t runs = 5;       // default number of runs per method
  std::size_t most_runs = 0;  // the most runs that differ from each other; 0 if there is no limit
};

// Held-out values that a forecast is compared with.
struct TestSequence {
  // The values of channels at the first time, from which the forecast starts. If there are none, it
  // starts from the learnt initial state of the training trajectory.
  std::vector<double> start_values;
  std::vector<double> times;  // (T)
  Matrix values;              // (T, channels)
};

// The values of a task that bands are compared with (calibration_scores.h): those that are held
// back from training, and the truth at the training times.
struct BandsTask {
  std::vector<double> times = {};  // (T): times of held-back values, after the data or in a gap
  Matrix truth = {};               // (T, channels): without noise; no rows if unknown
  Matrix observed = {};            // (T, channels): with noise; NaN for missing values
  double from = 0, to = 0;         // the time span whose thirds are scored separately
  Matrix seen_truth = {};          // (training times, channels); no rows if unknown
  Vector spread = {};              // (channels): how much a channel varies, the unit of scores
};

struct Task {
  Dataset data;
  std::vector<TestSequence> tests;
  std::vector<TestSequence> validation = {};  // for calibrating the noise; may be empty
  Dataset validation_data = {};               // the data of `validation`, for early stopping
  std::vector<double> noise_variance = {};    // (channels); empty if unknown
  std::optional<BandsTask> bands = {};        // calibration tasks only
  std::optional<PriorTruth> prior = {};       // calibration-prior only: the truth that is ranked
  FitOptions options = {};                    // the sizes of the model; other options have defaults
  std::uint64_t fit_seed = 1;                 // the seed of training

  // Returns the MNLL that the true noise gives if the forecast is the truth and test values have no
  // noise; NaN if the noise is unknown.
  double Floor() const;
};

// Returns all tasks in the order of the tables.
const std::vector<TaskInfo>& AllTasks();

// Returns the tasks that the words name. A word is a task, a group, "calibration" for all
// calibration tasks, or "all" for all tasks of the paper. Each task is returned once, in the order
// of AllTasks. Throws an InputError for an unknown word.
std::vector<TaskInfo> ExpandTasks(std::span<const std::string> words);

// Returns the words that ExpandTasks knows.
std::vector<std::string> TaskWords();

// Returns the task with its data. Motion capture (mocap.h) and one real series (real_series.h) are
// read from `folder`.
Task MakeTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder);

Task MakeSimulatedTask(const TaskInfo& info, std::uint64_t seed);
Task MakeMocapTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace gpode::experiments
