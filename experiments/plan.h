// Many runs: planning them, finding those that already exist, and doing the rest.
//
// Runs go in parallel, the longest first, each in one thread. Every finished run is written at once
// (run_file.h), and a plan that is made again later finds it there.
//
// Thread safety: one call at a time; hooks are called from several threads, but one by one.
//
//   std::vector<PlannedRun> plan = MakePlan(settings);
//   bool all = ExecutePlan(settings, {}, &plan);
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run.h"

namespace gpode::experiments {

struct PlanSettings {
  std::vector<TaskInfo> tasks = {};
  std::vector<std::string> methods = {};  // empty: DefaultMethods
  std::size_t runs = 0;                   // with seeds 1, 2, ...; 0: the task's number of runs
  std::size_t steps = 0;                  // of training; 0: the task's
  std::filesystem::path data = {};        // the folder of motion capture
  std::filesystem::path out = "reproduce";
  bool again = false;       // repeats runs that already exist
  std::size_t threads = 0;  // runs in parallel; 0: as many as the machine has cores
};

struct PlannedRun {
  TaskInfo info;
  MethodInfo method;
  std::uint64_t seed = 1;
  std::string options = {};  // as text, the same as in RunRecord
  double effort = 0;
  std::optional<RunRecord> record = {};  // set when the run is done
};

struct PlanHooks {
  std::function<bool()> stop = {};  // returns true to stop; called often, from any thread
  std::function<void(const PlannedRun&)> began = {};
  std::function<void(const PlannedRun&)> ended = {};
};

// Returns the runs ordered by task, method and seed; writes nothing. Throws an InputError if motion
// capture is missing, or if an existing run was made with other options or cannot be read.
std::vector<PlannedRun> MakePlan(const PlanSettings& settings);

// Does the runs that have no record yet. Returns false if it was stopped before the end.
bool ExecutePlan(const PlanSettings& settings, const PlanHooks& hooks,
                 std::vector<PlannedRun>* plan);

// Returns the records of the runs that are done.
std::vector<RunRecord> RecordsOf(const std::vector<PlannedRun>& plan);

}  // namespace gpode::experiments
