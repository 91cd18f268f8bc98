#include "sidecar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "config.h"
#include "core/cpu_name.h"
#include "gpode/error.h"
#include "io/toml.h"
#include "options/option_values.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostSteps = 400;

// Calls visit(name, member) for all members, with their names in sidecars.
template <typename T, typename Visit>
void ForTiming(T& timing, Visit&& visit) {
  visit("timing.sessions", timing.sessions);
  visit("timing.cpu", timing.cpu);
  visit("timing.threads", timing.threads);
  visit("timing.steps", timing.steps);
  visit("timing.seconds", timing.seconds);
}

bool IsSane(const report::Timing& t) {
  const auto good = [](double value) { return std::isfinite(value) && value >= 0; };
  const auto all = [&](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), good);
  };
  return !t.steps.empty() && t.seconds.size() == t.steps.size() && all(t.steps) && all(t.seconds) &&
         std::is_sorted(t.steps.begin(), t.steps.end(), std::less_equal<>()) &&
         std::is_sorted(t.seconds.begin(), t.seconds.end()) && !t.sessions.empty() &&
         all(t.sessions) && t.cpu.size() == t.sessions.size() &&
         t.threads.size() == t.sessions.size() && all(t.threads);
}

}  // namespace

std::string SidecarPath(const std::string& model) { return model + ".toml"; }

std::string ReadSidecar(const std::string& model) {
  std::ifstream file(SidecarPath(model), std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::string ReadTrainingCommand(const std::string& model) {
  std::istringstream text(ReadSidecar(model));
  std::string command;
  for (std::string line; std::getline(text, line) && line.starts_with("# ");) {
    command += (command.empty() ? "" : "\n") + line.substr(2);
  }
  return command.starts_with("gpode ") ? command : "";
}

std::optional<report::Timing> ReadTiming(const std::string& model) {
  report::Timing timing;
  try {
    for (const internal::TomlItem& item : internal::ParseToml(ReadSidecar(model), model)) {
      ForTiming(timing, [&](std::string_view name, auto& member) {
        if (item.key == name) internal::FromToml(item.value, member);
      });
    }
  } catch (const InputError&) {
    return {};
  }
  if (!IsSane(timing)) return {};
  return timing;
}

void TrainingClock::Begin(double step) {
  while (!timing_.steps.empty() && timing_.steps.back() >= step) {
    timing_.steps.pop_back();
    timing_.seconds.pop_back();
  }
  before_ = timing_.total();
  timing_.sessions.push_back(0);
  timing_.cpu.push_back(internal::CpuName());
  timing_.threads.push_back(
      static_cast<double>(threads_ > 0 ? threads_ : std::thread::hardware_concurrency()));
}

void TrainingClock::Record(std::size_t step) {
  const std::chrono::duration<double> passed = Clock::now() - start_;
  const auto at = static_cast<double>(step);
  if (!started_) Begin(at);
  started_ = true;
  timing_.sessions.back() = passed.count();
  timing_.steps.push_back(at);
  timing_.seconds.push_back(before_ + passed.count());
}

report::Timing TrainingClock::Thinned() const {
  report::Timing some = timing_;
  const std::size_t count = timing_.steps.size();
  if (count <= kMostSteps) return some;
  some.steps.clear(), some.seconds.clear();
  for (std::size_t i = 0; i < kMostSteps; ++i) {
    const std::size_t at = i * (count - 1) / (kMostSteps - 1);
    some.steps.push_back(timing_.steps[at]);
    some.seconds.push_back(timing_.seconds[at]);
  }
  return some;
}

report::Timing TrainingClock::At(const std::vector<Progress>& history) const {
  report::Timing some = timing_;
  const std::vector<double> seconds = report::SecondsAt(timing_, history);
  if (seconds.empty()) return Thinned();
  some.steps.clear();
  for (const Progress& p : history) some.steps.push_back(static_cast<double>(p.step));
  some.seconds = seconds;
  // If a run was interrupted, the history may lack its last step.
  if (timing_.steps.back() > some.steps.back()) {
    some.steps.push_back(timing_.steps.back());
    some.seconds.push_back(timing_.seconds.back());
  }
  return some;
}

std::string WithTiming(const std::string& text, const report::Timing& timing) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kTimingPrefix)) all += line + '\n';
  }
  ForTiming(timing, [&](std::string_view name, const auto& member) {
    all += fmt::format("{} = {}\n", name, internal::ShowToml(internal::ToToml(member)));
  });
  return all;
}

}  // namespace gpode::tool
