#include "report/draw/date_ticks.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "data/dates.h"

namespace gpode::report {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
// Steps in seconds, below a month.
constexpr double kSteps[] = {
    1,        2,           5,           10,           15,           30,
    kMinute,  2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
    kHour,    2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay,
    2 * kDay, 5 * kDay,    10 * kDay};
// Steps in months.
constexpr int kMonths[] = {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000};

double SecondsAt(const Axis& axis, double value) {
  return axis.calendar.origin + axis.calendar.unit * value;
}

double ValueAt(const Axis& axis, double seconds) {
  return (seconds - axis.calendar.origin) / axis.calendar.unit;
}

// Returns the part of a date that differs between ticks: 2004-03-10, 03-10 18:00 or 18:00:05.
std::string Label(double seconds, double step) {
  const std::string date = internal::ShowDate(std::round(seconds), true);  // 2004-03-10T18:00[:05]
  if (step >= kDay) return date.substr(0, 10);
  if (step >= kMinute) return date.substr(5, 5) + " " + date.substr(11, 5);
  return date.size() > 16 ? date.substr(11) : date.substr(11) + ":00";
}

std::vector<Tick> SecondTicks(const Axis& axis, double step) {
  std::vector<Tick> ticks;
  const double from = SecondsAt(axis, axis.from), to = SecondsAt(axis, axis.to);
  for (double at = std::ceil(from / step - 1e-9) * step; at <= to + 1e-9 * step; at += step) {
    ticks.push_back({ValueAt(axis, at), Label(at, step)});
  }
  return ticks;
}

std::vector<Tick> MonthTicks(const Axis& axis, int step) {
  using namespace std::chrono;
  std::vector<Tick> ticks;
  const double from = SecondsAt(axis, axis.from), to = SecondsAt(axis, axis.to);
  const year_month_day first{sys_days(days(static_cast<std::int64_t>(std::floor(from / kDay))))};
  const int months = static_cast<int>(first.year()) * 12 +
                     static_cast<int>(static_cast<unsigned>(first.month())) - 1;
  for (int m = months / step * step;; m += step) {
    const year_month_day date{year(m / 12), month(static_cast<unsigned>(m % 12 + 1)), day(1)};
    if (!date.ok()) break;
    const double at = kDay * static_cast<double>(sys_days(date).time_since_epoch().count());
    if (at > to + 1) break;
    if (at < from - 1) continue;
    ticks.push_back({ValueAt(axis, at), step >= 12 ? fmt::format("{}", m / 12)
                                                   : fmt::format("{}-{:02}", m / 12, m % 12 + 1)});
  }
  return ticks;
}

}  // namespace

std::vector<Tick> DateTicks(const Axis& axis, std::size_t most) {
  constexpr double kFirst = -6.2e10, kLast = 2.5e11;  // the years 5 and 9892
  Axis plain = axis;
  plain.calendar = {};
  const double from = SecondsAt(axis, axis.from), to = SecondsAt(axis, axis.to);
  if (!(from > kFirst && to < kLast) || to - from < 3) return TicksOf(plain, most);
  for (double step : kSteps) {
    if ((to - from) / step > static_cast<double>(most) + 1) continue;
    std::vector<Tick> ticks = SecondTicks(axis, step);
    if (ticks.size() <= most) return ticks;
  }
  for (int step : kMonths) {
    if ((to - from) / (30 * kDay * step) > 2 * static_cast<double>(most) + 2) continue;
    std::vector<Tick> ticks = MonthTicks(axis, step);
    if (ticks.size() <= most) return ticks;
  }
  return TicksOf(plain, most);
}

}  // namespace gpode::report
