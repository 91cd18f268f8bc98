#include "report/timing.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpode::report {
namespace {

// Returns the seconds at a step by linear interpolation.
double Interpolate(const Timing& t, double step) {
  const auto at = std::lower_bound(t.steps.begin(), t.steps.end(), step);
  const std::ptrdiff_t i = at - t.steps.begin();
  if (at == t.steps.begin()) return t.seconds.front();
  if (at == t.steps.end()) return t.seconds.back();
  const double share = (step - at[-1]) / (at[0] - at[-1]);
  const double* const seconds = t.seconds.data() + i;
  return seconds[-1] + share * (seconds[0] - seconds[-1]);
}

}  // namespace

std::vector<double> SecondsAt(const Timing& timing, const std::vector<Progress>& history) {
  if (history.empty() || timing.steps.empty()) return {};
  if (static_cast<double>(history.back().step) > timing.steps.back()) return {};
  if (static_cast<double>(history.front().step) < timing.steps.front()) return {};
  std::vector<double> seconds;
  for (const Progress& p : history) {
    seconds.push_back(Interpolate(timing, static_cast<double>(p.step)));
  }
  return seconds;
}

std::string Speed(const Timing& timing) {
  const double speed = timing.total() > 0 ? (timing.steps.back() + 1) / timing.total() : 0;
  return speed < 100 ? fmt::format("{:.2g} steps per second", speed)
                     : fmt::format("{:.0f} steps per second", speed);
}

std::string Duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace gpode::report
