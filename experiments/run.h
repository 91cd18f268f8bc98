// One run of the experiments: a method learns a task with a seed, and its forecasts are scored.
//
// A run uses one thread: runs go in parallel instead (plan.h), and durations are those of one
// thread.
//
// Thread safety: any thread may call these functions; several runs may go in parallel.
//
//   RunResult result = Execute(info, *FindMethod("gpode"), {.seed = 1});
//   result.record.scores->mnll;
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/calibration_scores.h"
#include "experiments/methods.h"
#include "experiments/rank_statistics.h"
#include "experiments/tasks.h"
#include "gpode/scores.h"
#include "gpode/training.h"

namespace gpode::experiments {

// The history of the bound during a run, as means over windows of steps.
struct BoundHistory {
  std::vector<double> seconds, step, bound;
};

// Tells when the bound has settled: from then on, it differs from its final value by at most 0.1
// times the number of observed values. The final value is the mean over the last tenth of the
// windows.
struct Settling {
  double bound = 0;  // the final value, as defined above
  double seconds = 0, step = 0;
};
Settling SettlingOf(const BoundHistory& history, std::size_t observations);

// The forecast of one channel of a simulated task at one test time: the truth, the mean of the
// draws and the ends of their central 95 %, without noise.
struct BandPoint {
  double time = 0;
  std::size_t channel = 0;
  double truth = 0, mean = 0, lower = 0, upper = 0;
};

// The result of a run; docs/formats.md describes its JSON.
struct RunRecord {
  std::string version;  // the program's version
  std::string task, method;
  std::uint64_t seed = 1;
  std::string options;  // The text leaves out the observation map, which is computed from the data.
  std::string cpu;

  bool failed = false;  // true if an exception ended the run; `message` is then its text
  std::string message;
  std::string warning;  // Model::warning

  // Scores of test and validation data with the learnt noise, and with the noise calibrated on
  // validation data if there are any.
  std::optional<Scores> scores, calibrated, validation, validation_calibrated;
  std::optional<CalibrationScores> calibration;  // calibration tasks only, instead of `scores` etc.
  std::vector<TruthRank> ranks = {};             // only tasks whose truths are prior draws
  double floor;                       // the MNLL of the truth with the true noise; NaN if unknown
  double seconds = 0;                 // duration of training
  double forecast_seconds = 0;        // duration of all forecasts and scores
  std::size_t steps = 0;              // steps of training that were taken
  std::size_t observations = 0;       // number of observed training values
  std::optional<Settling> settling;   // set if there is a history
  BoundHistory history = {};          // task `efficiency` only
  std::vector<BandPoint> bands = {};  // the paper's simulated tasks only: all channels at ten times
  std::optional<SamplerSummary> sampler;  // sampled models only
  std::size_t sampled = 0;                // number of the sampler's draws in all chains together
};

struct RunSettings {
  std::uint64_t seed = 1;
  // The largest number of training steps, and of iterations of warm-up and draws of a chain; 0
  // stands for the task's numbers.
  std::size_t steps = 0;
  std::filesystem::path data = {};  // the folder of motion capture and real series
};

struct RunResult {
  RunRecord record;
  std::optional<Model> model;  // not set if the run failed or was stopped
  bool stopped = false;        // true if the observer stopped it; the record is then incomplete
};

// A function that is called during training and returns false to stop the run.
using Observer = std::function<bool(const Progress&)>;

// Returns the training options of a run.
FitOptions OptionsOf(const Task& task, const TaskInfo& info, const MethodInfo& method,
                     const RunSettings& settings);
// Returns the text of options for RunRecord::options.
std::string OptionsRecord(FitOptions options);

// Does one run: trains a model, forecasts and scores.
RunResult Execute(const TaskInfo& info, const MethodInfo& method, const RunSettings& settings,
                  const Observer& observer = {});

}  // namespace gpode::experiments
