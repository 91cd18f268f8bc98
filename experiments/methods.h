// The methods that are compared: those of the paper's tables and ours. Each is a model of
// gpode/options.h with the training options that differ from the defaults.
//
// Thread safety: plain functions and values.
//
//   FindMethod("shooting")->set(info, &options);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/tasks.h"

namespace gpode::experiments {

struct MethodInfo {
  std::string name;   // as in `gpode fit --model`
  std::string title;  // as in tables
  double effort;      // time per step relative to GPODE's: the longest runs start first
  bool validates;     // uses validation sequences, if there are any, for early stopping
  void (*set)(const TaskInfo& task, FitOptions* options);  // called after the model is set
};

// Returns all methods in the order of the tables.
const std::vector<MethodInfo>& AllMethods();
// Returns the method of that name, or nullptr.
const MethodInfo* FindMethod(std::string_view name);

// Returns the methods that are run on a task by default, the paper's and ours, in the order of the
// tables.
std::vector<std::string> DefaultMethods(const TaskInfo& task);

}  // namespace gpode::experiments
