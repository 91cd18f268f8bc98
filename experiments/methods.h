// The methods of the paper's tables, and ours beside them: every model of gpode/options.h, what it
// is trained with where that is not the default, and which tasks it is compared on.
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
  double effort;      // of a step, against GPODE's: long runs go first
  bool validates;     // stops early by the validation sequences, where there are any
  void (*set)(const TaskInfo& task, FitOptions* options);  // after the model itself
};

// In the order of the tables.
const std::vector<MethodInfo>& AllMethods();
// nullptr: there is none of that name.
const MethodInfo* FindMethod(std::string_view name);

// What is run on a task unless one asks for others: the paper's methods, and ours beside them. In
// the order of the tables.
std::vector<std::string> DefaultMethods(const TaskInfo& task);

}  // namespace gpode::experiments
