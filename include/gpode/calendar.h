// Times that were dates. A data set keeps its times as numbers; its calendar says which date and
// time of day each of them stands for:
//
//   seconds since 1970-01-01T00:00:00 = origin + unit * time        (proleptic Gregorian calendar)
//
// Thread safety: plain data and functions without state; any thread may use them.
//
//   Calendar calendar{.unit = 3600, .origin = 1078941600};  // hours since 2004-03-10T18:00
//   ShowTime(6.5, calendar);                                // "2004-03-11T00:30"
//   ParseTime("2004-03-11", calendar);                      // 6
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpode {

// The order of day, month and year in dates such as 03/04/2004. This order does not matter for
// dates that begin with a year of four digits, have points between their parts or name their month.
enum class DateOrder {
  kFound,       // the order that makes all dates valid and sorted; an error if both orders do
  kDayFirst,    // 3 April
  kMonthFirst,  // 4 March
};

struct Calendar {
  double unit = 0;                      // seconds per unit of time; 0 if times are plain numbers
  double origin = 0;                    // seconds from 1970-01-01T00:00:00 to time 0
  bool is_utc = false;                  // true if the files had time zones; dates are then in UTC
  DateOrder order = DateOrder::kFound;  // the order that was found in the files

  // Returns true if times stand for dates.
  bool IsSet() const { return unit > 0; }
  bool operator==(const Calendar&) const = default;
};

// Seconds per year, the mean of the Gregorian calendar.
inline constexpr double kSecondsPerYear = 365.2425 * 86400;

// Returns the name of the unit: "seconds", "minutes", "hours", "days", "years", or "2 s" for a unit
// of 2 seconds that has no name. Returns an empty text if times are plain numbers.
std::string UnitName(const Calendar& calendar);
// Returns the number of seconds of the unit with this name, or nothing if the name is unknown.
std::optional<double> SecondsOf(std::string_view unit_name);

// Returns the time as text: a date such as 2004-03-10 or 2004-03-10T18:00:00.25, which ends in Z if
// it has a time of day in UTC; or a number with six significant digits if the calendar is not set.
std::string ShowTime(double time, const Calendar& calendar);

// Returns the time that a text names: a number or, if the calendar is set, a date. With a calendar,
// eight digits such as 20040311 are a date. Returns nothing for any other text.
std::optional<double> ParseTime(std::string_view text, const Calendar& calendar);

}  // namespace gpode
