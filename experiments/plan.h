// Many runs: which are asked for, which are there already, and doing the rest.
//
// Runs go at the same time, the longest first, each in one thread. Every run that ends is written
// at once (run_file.h); a plan made again later takes it from there.
//
// Thread safety: one call at a time; hooks are called from several threads, but one by one.
//
//   std::vector<PlannedRun> plan = MakePlan(settings);
//   bool all = DoPlan(settings, {}, &plan);
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
  std::size_t runs = 0;                   // seeds 1, 2, ...; 0: as many as the task has
  std::size_t steps = 0;                  // 0: the task's
  std::filesystem::path data = {};        // of motion capture
  std::filesystem::path out = "reproduce";
  bool again = false;       // do not look for runs that are there
  std::size_t threads = 0;  // runs at the same time; 0: as many as the machine has
};

struct PlannedRun {
  TaskInfo info;
  const MethodInfo* method;
  std::uint64_t seed = 1;
  std::string options = {};  // as in records
  double effort = 0;
  std::optional<RunRecord> record = {};  // once it is done
};

struct PlanHooks {
  std::function<bool()> stop = {};  // whether to stop; asked all the time, by any thread
  std::function<void(const PlannedRun&)> began = {};
  std::function<void(const PlannedRun&)> ended = {};
};

// By task, method and seed. Nothing is written. An InputError if motion capture is missing, or if
// a run that is there was made with other options or cannot be read.
std::vector<PlannedRun> MakePlan(const PlanSettings& settings);

// Does what has no record yet; false: stopped before the end.
bool DoPlan(const PlanSettings& settings, const PlanHooks& hooks, std::vector<PlannedRun>* plan);

// Of the runs that are done.
std::vector<RunRecord> RecordsOf(const std::vector<PlannedRun>& plan);

}  // namespace gpode::experiments
