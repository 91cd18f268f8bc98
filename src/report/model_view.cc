#include "report/model_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/draw/printable.h"

namespace gpode::report {
namespace {

constexpr std::size_t kMostNames = 8, kLongestName = 60;
constexpr std::size_t kLongestUnit = 16;

// Splits a name such as "voltage [mV]" into name and unit. Numbers and long texts in brackets are
// not units.
Quantity Split(const std::string& name) {
  const char last = name.empty() ? ' ' : name.back();
  if (last != ']' && last != ')') return {name, ""};
  const std::size_t open = name.rfind(last == ']' ? " [" : " (");
  if (open == std::string::npos || open == 0) return {name, ""};
  const std::string unit = name.substr(open + 2, name.size() - open - 3);
  const bool number = unit.find_first_not_of("0123456789., ") == std::string::npos;
  if (number || unit.size() > kLongestUnit) return {name, ""};
  return {name.substr(0, name.find_last_not_of(' ', open) + 1), unit};
}

// Returns a list of the first kMostNames names, each shortened, separated by commas.
std::string Names(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames));
  return fmt::format("{}{}", fmt::join(Shortened({names.begin(), end}, kLongestName), ", "),
                     names.size() > kMostNames ? ", ..." : "");
}

// Returns true for the usual names of the time, which need not be mentioned.
bool IsPlainTime(const std::string& name) {
  return name == "time" || name == "Time" || name == "TIME" || name == "t" || name == "T";
}

}  // namespace

std::string Pluralise(std::size_t count, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string Quantity::Label() const {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

std::vector<Quantity> QuantitiesOf(const std::vector<std::string>& names) {
  std::vector<Quantity> all, whole;
  std::set<std::string> different;
  for (const std::string& name : names) {
    all.push_back(Split(name));
    whole.push_back({name, ""});
    different.insert(all.back().name);
  }
  return different.size() == names.size() ? all : whole;
}

Quantity TimeOf(const Dataset& data) {
  const std::string& name = data.time_name;
  Quantity time = name.empty() ? Quantity{"time", ""} : Split(name);
  if (data.calendar.IsSet()) time.unit = UnitName(data.calendar);
  return time;
}

std::string CommonUnit(const std::vector<Quantity>& quantities) {
  for (const Quantity& q : quantities) {
    if (q.unit != quantities.front().unit) return "";
  }
  return quantities.empty() ? "" : quantities.front().unit;
}

std::string DescribeData(const Dataset& data) {
  std::size_t times = 0;
  double first = HUGE_VAL, last = -HUGE_VAL;
  for (const Trajectory& t : data.trajectories) {
    times += t.times.size();
    first = std::min(first, t.times.front());
    last = std::max(last, t.times.back());
  }
  const double values = static_cast<double>(times) * static_cast<double>(data.channels.size());
  const double missing = 1 - static_cast<double>(data.observed()) / values;
  const Quantity time = TimeOf(data);
  const std::string in = data.calendar.IsSet() ? fmt::format(" in {}", UnitName(data.calendar))
                         : time.unit.empty()   ? ""
                                               : " " + time.unit;
  return fmt::format("{}, {}{} from {} to {}{}, {} {}{}",
                     Pluralise(data.trajectories.size(), "trajectory", "trajectories"),
                     Pluralise(times, "time", "times"),
                     IsPlainTime(time.name) ? "" : fmt::format(" ({})", Names({time.name})),
                     ShowTime(first, data.calendar), ShowTime(last, data.calendar), in,
                     data.channels.size() == 1 ? "channel" : "channels", Names(data.channels),
                     missing > 0 ? fmt::format(", {:.1f} % missing", 100 * missing) : "");
}

std::string WideningNote(const Model& model) {
  return model.widening.IsZero() ? "" : ", widened after held-back data";
}

}  // namespace gpode::report
