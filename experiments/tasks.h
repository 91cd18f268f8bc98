// The tasks of the paper's experiments (Hegde et al. 2022, sections 4 and S2), and fresh ones: data
// to learn from, tests, sizes. Simulated data are regenerated; motion capture comes from a folder.
//
//   vdp-regular, vdp-irregular, fhn    paper, tables 1 and 2
//   long-T-NOISE                       section 4.3; T = 25, 40, 55, noise variance 0.01, 0.05, 0.1
//   efficiency                         section 4.3: bound against time, on the series of
//   long-25-0.01 mocap-SUBJECT-short, -long         section 4.4; subjects 09, 35, 39 fresh-SYSTEM
//   not in the paper: every seed has its own noise
//
// Thread safety: plain functions and values.
//
//   for (const TaskInfo& info : ExpandTasks({"fhn", "long"}))
//     Task task = MakeTask(info, /*seed=*/1, folder);
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/model.h"

namespace gpode::experiments {

enum class TaskKind { kSimulated, kLong, kEfficiency, kMocap, kFresh };

struct TaskInfo {
  std::string name;
  std::string title;
  std::string group;  // what is asked for and shown together: "paper", "long", "mocap", ...
  TaskKind kind = TaskKind::kSimulated;
  std::size_t runs = 5;  // of each model, unless one asks for others
};

// What a forecast is compared with.
struct TestSequence {
  std::vector<double> start_values;  // channels at the first of the times; empty: the learnt
                                     // initial state of the training trajectory
  std::vector<double> times;         // (T)
  Matrix values;                     // (T, channels)
};

struct Task {
  Dataset data;
  std::vector<TestSequence> tests;
  std::vector<TestSequence> validation = {};  // the noise is calibrated on them, if there are any
  Dataset validation_data = {};               // the same, for methods that stop early by them
  std::vector<double> noise_variance = {};    // (channels) where it is known
  FitOptions options = {};                    // sizes only; the rest is default
  std::uint64_t fit_seed = 1;

  // The MNLL of the truth itself with the true noise; NaN where that is not known.
  double Floor() const;
};

// All tasks, in the order of the tables.
const std::vector<TaskInfo>& AllTasks();

// Tasks by name, by group or "all", which is everything of the paper; each once, in the order of
// AllTasks. An unknown word is an InputError.
std::vector<TaskInfo> ExpandTasks(std::span<const std::string> words);

// What can be asked for: tasks, groups and "all".
std::vector<std::string> TaskWords();

// `folder` is for motion capture only; see ReadMocap.
Task MakeTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder);

Task MakeSimulatedTask(const TaskInfo& info, std::uint64_t seed);
Task MakeMocapTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder);

}  // namespace gpode::experiments
