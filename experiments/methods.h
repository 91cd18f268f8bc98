// The methods of the paper's tables: one line each says what a method is called and which options
// of training make it.
//
// Thread safety: plain functions and values.
//
//   FindMethod("shooting")->set(TaskKind::kMocap, &options);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/tasks.h"

namespace gpode::experiments {

struct MethodInfo {
  std::string name;   // as in `gpode fit --model`
  std::string title;  // as in the paper
  double effort;      // of a step, against GPODE's: long runs go first
  void (*set)(TaskKind kind, FitOptions* options);
};

// In the order of the tables.
const std::vector<MethodInfo>& AllMethods();
// nullptr: there is none of that name.
const MethodInfo* FindMethod(std::string_view name);

// Those that the paper compares on such a task, as far as they are here.
std::vector<std::string> PaperMethods(TaskKind kind);

}  // namespace gpode::experiments
