// The tasks of `gpode reproduce calibration`, which test whether the bands of a fit contain
// held-back values as often as they claim. They are not in the paper.
//
//   task                    group                                what is held back
//   calibration-SYSTEM      calibration-choose or -report        half the span after the data
//   calibration-sparse-NAME calibration-sparse                   the span after the data once more
//   calibration-gap-SYSTEM  calibration-gaps                     a gap in the middle third
//   calibration-SERIES      calibration-real                     the end of a real series
//   calibration-gap-SERIES  calibration-real-gaps                a gap in the middle third
//   calibration-prior-2     calibration-prior                    half the span after the data
//
// A system is observed at 60 random times, with noise of 8 % of each state's standard deviation.
// The systems are divided into two halves, fixed in advance: settings are chosen on the group
// calibration-choose and reported on the group calibration-report. The seed of a run determines its
// data set: start, observation times, noise and gap. Training always has the same seed. A real
// series (real_series.h) has one run with a forecast, and five runs with a different gap each.
//
// The group calibration-sparse has data of the size and noise of the paper's simulated tasks, for
// choosing settings without looking at those tasks: 30 to 50 points, noise of 15 %, about one
// period. The systems have other parameters and starts than those of all other groups. In
// two tasks, the rows with x1 > 0 and x2 < 0 are held back instead.
//
// A truth of calibration-prior is drawn from the model's prior (prior_truth.h) and observed at 60
// random times. Besides the scores of bands, its ranks among draws are recorded
// (rank_statistics.h).
//
// A gap has 12 % of the rows, at least one and at most twelve. Its rows stay in the data with
// missing values, as for `gpode impute`.
//
// Thread safety: any thread may call these functions; they share no state that changes.
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
  std::string name;           // a name of gpode/systems.h; the task is calibration-NAME
  bool for_choosing = false;  // true: results help to choose settings; false: they are reported
  std::string kind;           // the kind of behaviour, such as "bistable", for tables
  std::vector<double> start;  // (D): the centre around which the starts of data sets are drawn
  double span = 0;            // observations are at times from 0 to span
  std::unique_ptr<System> (*make)();
  std::size_t points = 60;
  double noise_share = 0.08;  // the noise, as a share of each state's standard deviation
  double test_share = 0.5;    // the length of the forecast, as a share of the span
};

// A task of the group calibration-sparse.
struct SparseSystem {
  std::string name;  // the task is calibration-sparse-NAME
  CalibrationSystem system;
  bool has_quadrant_gap = false;  // true if rows with x1 > 0 and x2 < 0 are held back
};

// Returns the systems of both halves in the order of the tables.
const std::vector<CalibrationSystem>& CalibrationSystems();

// Returns the systems of calibration-sparse.
const std::vector<SparseSystem>& SparseSystems();

// Returns the name of the file that a task needs but the folder does not have; empty if there is
// none.
std::string MissingFile(const TaskInfo& info, const std::filesystem::path& folder);

// Returns the tasks in the order of the tables.
std::vector<TaskInfo> ListCalibrationTasks();

// Returns the task with its data and, in `bands`, the values that its bands are compared with.
Task MakeCalibrationTask(const TaskInfo& info, std::uint64_t seed,
                         const std::filesystem::path& folder);

}  // namespace gpode::experiments
