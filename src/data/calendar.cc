#include "gpode/calendar.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "data/dates.h"

namespace gpode {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
    {{"seconds", 1},
     {"minutes", 60},
     {"hours", 3600},
     {"days", 86400},
     {"years", kSecondsPerYear}}};

}  // namespace

std::string UnitName(const Calendar& calendar) {
  for (const auto& [name, seconds] : kUnits) {
    if (seconds == calendar.unit) return std::string(name);
  }
  return calendar.IsSet() ? fmt::format("{:g} s", calendar.unit) : "";
}

std::optional<double> SecondsOf(std::string_view unit_name) {
  for (const auto& [name, seconds] : kUnits) {
    if (name == unit_name) return seconds;
  }
  return {};
}

std::string ShowTime(double time, const Calendar& calendar) {
  if (!calendar.IsSet() || !std::isfinite(time)) return fmt::format("{:g}", time);
  constexpr double kSecondsPerDay = 86400;
  const std::string date =
      internal::ShowDate(calendar.origin + calendar.unit * time, calendar.unit < kSecondsPerDay);
  return calendar.is_utc && date.find('T') != std::string::npos ? date + "Z" : date;
}

std::optional<double> ParseTime(std::string_view text, const Calendar& calendar) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && std::isfinite(number) &&
      !(calendar.IsSet() && text.size() == 8 && number >= 1e7)) {
    return number;
  }
  if (!calendar.IsSet()) return {};
  const auto date = internal::ParseDateText(text, calendar.order);
  if (!date || !date->has_date) return {};
  return (date->seconds - calendar.origin) / calendar.unit;
}

}  // namespace gpode
