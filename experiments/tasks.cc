#include "experiments/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/calibration_tasks.h"
#include "gpode/error.h"

namespace gpode::experiments {
namespace {

constexpr std::size_t kFreshRuns = 20;
constexpr const char *kAll = "all", *kCalibration = "calibration";

std::vector<TaskInfo> ListTasks() {
  std::vector<TaskInfo> tasks = {{"vdp-regular", "VDP regular", "paper"},
                                 {"vdp-irregular", "VDP irregular", "paper"},
                                 {"fhn", "FHN", "paper"}};
  for (const int length : {25, 40, 55}) {
    for (const double variance : {0.01, 0.05, 0.1}) {
      tasks.push_back({fmt::format("long-{}-{}", length, variance),
                       fmt::format("VDP T {}, noise {}", length, variance), "long",
                       TaskKind::kLong});
    }
  }
  tasks.push_back({"efficiency", "VDP T 25, noise 0.01", "efficiency", TaskKind::kEfficiency});
  for (const char* subject : {"09", "35", "39"}) {
    for (const char* length : {"short", "long"}) {
      tasks.push_back({fmt::format("mocap-{}-{}", subject, length),
                       fmt::format("{} {}", subject, length), "mocap", TaskKind::kMocap});
    }
  }
  for (const char* system : {"vdp", "fhn", "lotka-volterra"}) {
    tasks.push_back(
        {fmt::format("fresh-{}", system), system, "fresh", TaskKind::kFresh, kFreshRuns});
  }
  std::ranges::move(ListCalibrationTasks(), std::back_inserter(tasks));
  return tasks;
}

bool MatchesWord(const TaskInfo& task, const std::string& word) {
  const bool calibration = task.kind == TaskKind::kCalibration;
  return word == task.name || word == task.group || (word == kCalibration && calibration) ||
         (word == kAll && task.kind != TaskKind::kFresh && !calibration);
}

}  // namespace

double Task::Floor() const {
  double sum = 0;
  for (double v : noise_variance) sum += 0.5 * std::log(2 * std::numbers::pi * v);
  return noise_variance.empty() ? NAN : sum / static_cast<double>(noise_variance.size());
}

const std::vector<TaskInfo>& AllTasks() {
  static const std::vector<TaskInfo> tasks = ListTasks();
  return tasks;
}

std::vector<std::string> TaskWords() {
  std::vector<std::string> words = {kAll, kCalibration};
  for (const TaskInfo& task : AllTasks()) {
    for (const std::string& word : {task.group, task.name}) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  return words;
}

std::vector<TaskInfo> ExpandTasks(std::span<const std::string> words) {
  const std::vector<std::string> known = TaskWords();
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      ThrowInput("ExpandTasks", "word", fmt::format("{} is not a task", word));
    }
  }
  std::vector<TaskInfo> tasks;
  for (const TaskInfo& task : AllTasks()) {
    const auto asked = [&](const std::string& word) { return MatchesWord(task, word); };
    if (std::any_of(words.begin(), words.end(), asked)) tasks.push_back(task);
  }
  return tasks;
}

Task MakeTask(const TaskInfo& info, std::uint64_t seed, const std::filesystem::path& folder) {
  if (info.kind == TaskKind::kMocap) return MakeMocapTask(info, seed, folder);
  if (info.kind == TaskKind::kCalibration) return MakeCalibrationTask(info, seed, folder);
  return MakeSimulatedTask(info, seed);
}

}  // namespace gpode::experiments
