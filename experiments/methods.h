// The methods that are compared: those of the paper's tables and ours. Each is a model of
// gpode/options.h with the training options that differ from the defaults.
//
// A method may also be given as settings: "default", which is `gpode fit` without options, or
// changes of its options as in "posterior=normals,steps=3000". The names are those of configuration
// files, and `model` for a model of gpode/options.h. A piece without "=" continues the value before
// it, so that a list as in "neural.hidden=64,64" needs no brackets.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   FitOptions options = OptionsOf(task, info, *FindMethod("shooting"), settings);  // run.h
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tasks.h"

namespace gpode::experiments {

inline constexpr const char* kDefaultFit = "default";

struct MethodInfo {
  std::string name;   // the model's name in `gpode fit --model`, or the settings
  std::string title;  // the name in tables
  double effort = 1;  // time per step relative to GPODE's, so that the longest runs start first
  bool validates = false;  // true for early stopping, where a task has validation sequences
  // Sets the training options. It is called after the options of the model are set, and is null if
  // `name` is a text of settings.
  void (*set)(const TaskInfo& task, FitOptions* options) = nullptr;
};

// Returns all methods in the order of the tables.
const std::vector<MethodInfo>& AllMethods();
// Returns the method with this name or these settings, or nothing if the text is neither.
std::optional<MethodInfo> FindMethod(std::string_view name);
// Sets the options of a method for a task. Error messages about settings begin with `source`.
void SetMethod(const MethodInfo& method, const TaskInfo& info, const Dataset& data,
               std::string_view source, FitOptions* options);
// Returns the name of a method in file names. Different methods have different names.
std::string FileNameOf(std::string_view method);

// Returns the methods that are run on a task by default, the paper's and ours, in the order of the
// tables.
std::vector<std::string> DefaultMethods(const TaskInfo& task);

}  // namespace gpode::experiments
