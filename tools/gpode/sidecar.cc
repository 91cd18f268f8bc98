#include "sidecar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "config.h"
#include "core/cpu_name.h"
#include "gpode/error.h"
#include "io/files.h"
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

// Returns the contents of a file; empty if it is not a regular file, or larger than any sidecar.
std::string ReadSmallFile(const std::string& path) {
  constexpr std::uintmax_t kLargest = 16 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  if (std::filesystem::file_size(path, error) > kLargest || error) return "";
  const std::vector<std::byte> bytes = internal::ReadFile(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the last eight bytes of a model file, its checksum; empty if there is no such file.
std::string ChecksumInFile(const std::string& model) {
  constexpr std::streamoff kDigits = 8;
  std::ifstream file(model, std::ios::binary);
  std::string digits(kDigits, ' ');
  file.seekg(-kDigits, std::ios::end);
  file.read(digits.data(), kDigits);
  return file ? digits : "";
}

// Returns false if the text of a sidecar names models and this one is not among them. Sidecars of
// early versions name none.
bool BelongsTo(const std::string& text, const std::string& model) {
  for (const internal::TomlItem& item : internal::ParseToml(text, SidecarPath(model))) {
    if (item.key != kChecksums) continue;
    std::vector<std::string> checksums;
    internal::FromToml(item.value, checksums);
    return std::find(checksums.begin(), checksums.end(), ChecksumInFile(model)) != checksums.end();
  }
  return true;
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
  try {
    const std::string text = ReadSmallFile(SidecarPath(model));
    return text.empty() || BelongsTo(text, model) ? text : "";
  } catch (const InputError&) {
    return "";
  }
}

std::vector<std::string> InputsOf(const std::string& model) {
  std::vector<std::string> inputs = {model}, data;
  try {
    for (const internal::TomlItem& item : internal::ParseToml(ReadSidecar(model), model)) {
      if (item.key == "data.files") internal::FromToml(item.value, data);
      std::string inputs_from;
      if (item.key == "data.inputs_from") internal::FromToml(item.value, inputs_from);
      if (!inputs_from.empty()) inputs.push_back(inputs_from);
    }
  } catch (const InputError&) {
    return inputs;
  }
  inputs.insert(inputs.end(), data.begin(), data.end());
  return inputs;
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

std::string WithTiming(const std::string& text, const report::Timing& timing,
                       const std::vector<std::string>& checksums) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kTimingPrefix) && !line.starts_with(kChecksums)) all += line + '\n';
  }
  all += fmt::format("{} = {}\n", kChecksums, internal::ShowToml(internal::ToToml(checksums)));
  ForTiming(timing, [&](std::string_view name, const auto& member) {
    all += fmt::format("{} = {}\n", name, internal::ShowToml(internal::ToToml(member)));
  });
  return all;
}

}  // namespace gpode::tool
