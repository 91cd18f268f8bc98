// The methods that are compared: those of the paper's tables and ours. Each is a model of
// gpode/options.h with the training options that differ from the defaults.
//
// Thread safety: plain functions and values.
//
// Besides these, a text of settings is a method: "default", which is `gpode fit` without options, or
// changes of it as in "posterior=normals,steps=3000", with the names of configuration files and
// `model` for a model of gpode/options.h. A piece without "=" belongs to the value before it, so
// that a list needs no brackets.
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
  std::string name;        // as in `gpode fit --model`, or a text of settings
  std::string title;       // as in tables
  double effort = 1;       // time per step relative to GPODE's: the longest runs start first
  bool validates = false;  // uses validation sequences, if there are any, for early stopping
  // Called after the model is set; nullptr for a text of settings.
  void (*set)(const TaskInfo& task, FitOptions* options) = nullptr;
};

// Returns all methods in the order of the tables.
const std::vector<MethodInfo>& AllMethods();
// Returns the method of that name or text of settings, if there is one.
std::optional<MethodInfo> FindMethod(std::string_view name);
// Sets the options of a method for a task. `source` begins messages about settings.
void SetMethod(const MethodInfo& method, const TaskInfo& info, const Dataset& data,
               std::string_view source, FitOptions* options);
// Returns a name for files; different methods have different ones.
std::string FileNameOf(std::string_view method);

// Returns the methods that are run on a task by default, the paper's and ours, in the order of the
// tables.
std::vector<std::string> DefaultMethods(const TaskInfo& task);

}  // namespace gpode::experiments
