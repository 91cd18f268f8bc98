// The tasks of `gpode reproduce calibration`: are the bands of a default fit to be believed?
//
//   calibration-SYSTEM      60 noisy observations of a named system, forecast over half the span
//
// The systems are divided into two halves, fixed in advance: settings are chosen on the group
// calibration-choose and reported on the group calibration-report. A run's seed is that of its data
// set: start, observation times and noise. Training always has the same seed.
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

// Returns the tasks in the order of the tables.
std::vector<TaskInfo> ListCalibrationTasks();

// Returns the task with its data and, in `bands`, what its bands are compared with.
Task MakeCalibrationTask(const TaskInfo& info, std::uint64_t seed,
                         const std::filesystem::path& folder);

}  // namespace gpode::experiments
