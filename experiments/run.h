// One run of the experiments: a task learnt by a method with a seed, forecast and scored.
//
// A run uses one thread, so that its numbers do not depend on how many runs go at the same time.
//
// Thread safety: plain functions and values; runs may go at the same time.
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

#include "experiments/methods.h"
#include "experiments/tasks.h"
#include "gpode/model.h"
#include "gpode/scores.h"

namespace gpode::experiments {

// The bound over a run, as means over windows of steps.
struct BoundHistory {
  std::vector<double> seconds, step, bound;
};

// When the bound had settled: from then on its windows stay within 0.1 per observed value of where
// it ended, the mean of the last tenth of the windows.
struct Settling {
  double bound = 0;  // where it ended
  double seconds = 0, step = 0;
};
Settling SettlingOf(const BoundHistory& history, std::size_t observations);

// A simulated task's forecast of one channel at one of the test's times: the truth, the draws' mean
// and their central 95 %, without noise.
struct BandPoint {
  double time = 0;
  std::size_t channel = 0;
  double truth = 0, mean = 0, lower = 0, upper = 0;
};

// What is known of a run afterwards; docs/formats.md has it as JSON.
struct RunRecord {
  std::string version;  // of the program
  std::string task, method;
  std::uint64_t seed = 1;
  std::string options;  // as text, but for the observation map, which follows from the data
  std::string cpu;

  bool failed = false;  // an exception ended it; `message` says which
  std::string message;
  std::string warning;  // of training

  // With the learnt noise, and with the noise calibrated on validation data where there are any.
  std::optional<Scores> scores, calibrated, validation, validation_calibrated;
  double floor;                       // MNLL of the truth; NaN: not known
  double seconds = 0;                 // of training
  double forecast_seconds = 0;        // of all forecasts and scores
  std::size_t steps = 0;              // taken
  std::size_t observations = 0;       // observed training values
  std::optional<Settling> settling;   // with a history
  BoundHistory history = {};          // task `efficiency` only
  std::vector<BandPoint> bands = {};  // the paper's simulated tasks only: ten times, all channels
  std::optional<SamplerSummary> sampler;  // of models by a sampler
  std::size_t sampled = 0;                // its draws, of all chains
};

struct RunSettings {
  std::uint64_t seed = 1;
  std::size_t steps = 0;            // also a chain's warm-up and draws at most; 0: the task's
  std::filesystem::path data = {};  // of motion capture
};

struct RunResult {
  RunRecord record;
  std::optional<Model> model;  // none if it failed
  bool stopped = false;        // by the observer: what there is of it is worth nothing
};

// Returning false stops the run.
using Observer = std::function<bool(const Progress&)>;

// What such a run is trained with; `options` in a record is their text.
FitOptions OptionsOf(const Task& task, const TaskInfo& info, const MethodInfo& method,
                     const RunSettings& settings);
std::string OptionsRecord(FitOptions options);

RunResult Execute(const TaskInfo& info, const MethodInfo& method, const RunSettings& settings,
                  const Observer& observer = {});

}  // namespace gpode::experiments
