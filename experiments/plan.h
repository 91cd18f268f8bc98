// A plan lists many runs, finds those that already have a result file, and does the others.
//
// Runs go in parallel, the longest first, each in one thread. The result of every run is written
// when it ends (run_file.h), so that a plan that was interrupted and is made again finds it.
//
// Thread safety: calls must not overlap. Hooks are called from several threads, but never at the
// same time.
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
  std::vector<std::string> methods = {};  // empty stands for DefaultMethods
  std::size_t runs = 0;                   // seeds are 1, 2, ...; 0 stands for the task's number
  std::size_t steps = 0;                  // steps of training; 0 stands for the task's number
  std::filesystem::path data = {};        // the folder of motion capture and real series
  std::filesystem::path out = "reproduce";
  bool again = false;       // if true, repeats runs that already have a result
  std::size_t threads = 0;  // runs in parallel; 0 stands for the number of cores of the machine
  // If several processes execute the same plan, this one does every `shares`-th of the remaining
  // runs, beginning with number `share`.
  std::size_t share = 0, shares = 1;
};

struct PlannedRun {
  TaskInfo info;
  MethodInfo method;
  std::uint64_t seed = 1;
  std::string options = {};              // the options as text, the same as in RunRecord
  double effort = 0;                     // an estimate of the run's time, in any unit
  std::optional<RunRecord> record = {};  // set when the run is done
};

struct PlanHooks {
  std::function<bool()> stop = {};  // returns true to stop; called often, from any thread
  std::function<void(const PlannedRun&)> began = {};
  std::function<void(const PlannedRun&)> ended = {};
};

// Returns the runs ordered by task, method and seed; writes nothing. Throws an InputError if a data
// file is missing, or if an existing run was made with other options or cannot be read.
std::vector<PlannedRun> MakePlan(const PlanSettings& settings);

// Does the runs of this process's share that have no record yet. Returns false if it was stopped
// before the end.
bool ExecutePlan(const PlanSettings& settings, const PlanHooks& hooks,
                 std::vector<PlannedRun>* plan);

// Returns the records of the runs that are done.
std::vector<RunRecord> RecordsOf(const std::vector<PlannedRun>& plan);

}  // namespace gpode::experiments
