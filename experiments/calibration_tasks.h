// The tasks of `gpode reproduce calibration`: are the bands of a default fit to be believed?
//
//   task                    group                                what is held back
//   calibration-SYSTEM      calibration-choose or -report        half the span after the data
//   calibration-gap-SYSTEM  calibration-gaps                     a gap in the middle third
//   calibration-SERIES      calibration-real                     the end of a real series
//   calibration-gap-SERIES  calibration-real-gaps                a gap in the middle third
//   calibration-prior-2     calibration-prior                    half the span after the data
//
// A system is observed at 60 random times, with noise of 8 % of each state's standard deviation.
// The systems are divided into two halves, fixed in advance: settings are chosen on the group
// calibration-choose and reported on the group calibration-report. A run's seed is that of its data
// set: start, observation times, noise and gap. Training always has the same seed. A real series
// (real_series.h) is forecast in one run, and has a gap of its own in each of five.
//
// A truth of calibration-prior is drawn from the model's prior (prior_truth.h), observed at 60 random
// times; besides the bands, its ranks among draws are recorded (rank_statistics.h).
//
// A gap has 12 % of the rows, at least one and at most twelve. Its rows stay in the data, without
// values, as for `gpode impute`.
//
// Thread safety: plain functions and values.
//
//   Task task = MakeCalibrationTask(info, /*seed=*/1, folder);
//   task.bands->observed;
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/tasks.h"
#include "gpode/systems.h"

namespace gpode::experiments {

struct CalibrationSystem {
  std::string name;           // the task is calibration-NAME
  bool for_choosing = false;  // the half: for choosing settings, or for reporting
  std::string kind;           // of behaviour, for tables
  std::vector<double> start;  // (D), the middle of the starts
  double span = 0;            // of the observations
  std::unique_ptr<System> (*make)();
};

// Returns the systems of both halves in the order of the tables.
const std::vector<CalibrationSystem>& CalibrationSystems();

// Returns the name of the file that a task needs and the folder does not hold; empty: none.
std::string MissingFile(const TaskInfo& info, const std::filesystem::path& folder);

// Returns the tasks in the order of the tables.
std::vector<TaskInfo> ListCalibrationTasks();

// Returns the task with its data and, in `bands`, what its bands are compared with.
Task MakeCalibrationTask(const TaskInfo& info, std::uint64_t seed,
                         const std::filesystem::path& folder);

}  // namespace gpode::experiments
