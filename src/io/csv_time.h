// The search for the columns of a CSV file that hold the time, and for the form of its dates.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"
#include "io/csv_sample.h"

namespace gpode::internal {

// Returns true for "time" and "t", in upper or lower case.
bool IsPlainTimeName(std::string_view name);
// Returns true for names such as "time [ms]" and "t (s)", but not for "T [K]", a temperature.
bool IsTimeNameWithUnit(std::string_view name);

struct TimeSearch {
  const std::vector<std::string>& names;
  const std::vector<ColumnFacts>& facts;
  std::vector<std::size_t> reserved;  // columns that cannot be the time
  bool by_name_only = false;          // true if only names count, not what columns hold
};
struct FoundTime {
  std::vector<std::size_t> columns;  // none if no column is clearly the time
  std::vector<std::size_t> rivals;   // if the choice is unclear, the columns that could be the time
  bool is_plain = false;             // true if the column's name leaves no doubt
};
// Finds the time by its name ("time", "t", "Year", "timestamp", ...), or as the only column of
// dates, or as the only sorted column. A column of dates takes a column of times of day with it,
// and numbered years take months, days and hours.
FoundTime FindTimeColumns(const TimeSearch& search);

// Returns the seconds per unit of a column of epoch times: as the format says, or by the column's
// name and size. Returns 0 for other numbers.
double EpochUnit(std::string_view name, const ColumnFacts& facts, TimeFormat format);
// Returns true if the numbers of a column that is named after a date are dates such as 20040310.
bool AreCompactDates(std::string_view name, const ColumnFacts& facts);

struct FoundOrder {
  DateOrder order = DateOrder::kFound;
  std::string unclear;  // if no date decides, one for which both orders are possible
};
// Finds the order of day and month: the one that makes all dates valid, or else sorted.
FoundOrder FindDateOrder(const std::vector<std::string>& dates);

}  // namespace gpode::internal
