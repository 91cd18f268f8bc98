#include "io/csv_time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>

#include "data/dates.h"
#include "io/number_text.h"

namespace gpode::internal {
namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Returns the name in lower case, without a unit in brackets.
std::string Word(std::string_view name) {
  return LowerCase(Trimmed(name.substr(0, name.find_first_of("[("))));
}

// Returns true for names that are clearly a time, beside "time" and "t".
bool IsTimeWord(std::string_view name) {
  static constexpr std::array<std::string_view, 30> kWords = {
      "year",  "years", "date",  "datetime", "date_time", "date time", "date/time", "day",
      "days",  "hour",  "hours", "hrs",      "minute",    "minutes",   "second",    "seconds",
      "sec",   "week",  "weeks", "month",    "months",    "epoch",     "unix",      "timestamp",
      "datum", "zeit",  "jahr",  "fecha",    "ts_utc",    "elapsed"};
  const std::string word = Word(name);
  return word.starts_with("time") || word.ends_with("_time") || word.ends_with(" time") ||
         std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

class TimeFinder {
 public:
  explicit TimeFinder(const TimeSearch& search) : s_(search) {}

  FoundTime Find() const {
    // A plain name decides, but T may also be a temperature.
    std::vector<std::size_t> plain =
        Columns([&](std::size_t i) { return IsPlainTimeName(s_.names[i]) && s_.names[i] != "T"; });
    if (plain.empty()) {
      plain = Columns([&](std::size_t i) { return IsTimeNameWithUnit(s_.names[i]); });
    }
    if (!plain.empty()) return Chosen(plain, true);
    if (const auto parts = NumberedParts(); !parts.empty()) return {parts, {}, false};
    std::vector<std::size_t> words =
        Columns([&](std::size_t i) { return IsTimeWord(s_.names[i]); });
    if (words.size() > 1) Keep(&words, [&](std::size_t i) { return Kind(i) != ColumnKind::kText; });
    if (words.size() > 1) Keep(&words, [&](std::size_t i) { return Kind(i) == ColumnKind::kDate; });
    if (words.size() > 1) Keep(&words, [&](std::size_t i) { return s_.facts[i].IsSorted(); });
    if (!words.empty()) return Chosen(words, false);
    const auto upper = Columns([&](std::size_t i) { return s_.names[i] == "T"; });
    if (!upper.empty()) return Chosen(upper, true);
    return s_.by_name_only ? FoundTime{} : Guess();
  }

 private:
  ColumnKind Kind(std::size_t column) const { return s_.facts[column].kind; }

  template <typename Holds>
  std::vector<std::size_t> Columns(Holds holds) const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < s_.names.size(); ++i) {
      const bool reserved =
          std::find(s_.reserved.begin(), s_.reserved.end(), i) != s_.reserved.end();
      if (!reserved && holds(i)) columns.push_back(i);
    }
    return columns;
  }

  // Keeps only the columns for which `holds` is true; keeps all if it is true for none.
  template <typename Holds>
  static void Keep(std::vector<std::size_t>* columns, Holds holds) {
    std::vector<std::size_t> kept;
    std::copy_if(columns->begin(), columns->end(), std::back_inserter(kept), holds);
    if (!kept.empty()) *columns = kept;
  }

  // Returns the only candidate, with the other half of a date if there is one.
  FoundTime Chosen(const std::vector<std::size_t>& candidates, bool plain) const {
    if (candidates.size() > 1) return {{}, candidates, plain};
    const std::size_t only = candidates[0];
    if (Kind(only) != ColumnKind::kDate && Kind(only) != ColumnKind::kClock) {
      return {{only}, {}, plain};
    }
    const ColumnKind other =
        Kind(only) == ColumnKind::kDate ? ColumnKind::kClock : ColumnKind::kDate;
    const auto halves = Columns([&](std::size_t i) { return Kind(i) == other; });
    if (halves.size() != 1) return {{only}, {}, plain};
    return other == ColumnKind::kClock ? FoundTime{{only, halves[0]}, {}, false}
                                       : FoundTime{{halves[0], only}, {}, false};
  }

  // Returns the columns of year, month, day and hour, if the year alone does not tell rows apart.
  std::vector<std::size_t> NumberedParts() const {
    std::vector<std::size_t> parts;
    for (std::string_view word : {"year", "month", "day", "hour"}) {
      const auto found = Columns([&](std::size_t i) {
        return Word(s_.names[i]) == word && Kind(i) == ColumnKind::kNumber;
      });
      if (found.size() != 1) break;
      parts.push_back(found[0]);
    }
    if (parts.size() < 2 || s_.facts[parts[0]].IsSorted()) return {};
    return parts;
  }

  // Finds the only column of dates or the only sorted one.
  FoundTime Guess() const {
    constexpr std::size_t kFewestRows = 3;
    const auto dates = Columns([&](std::size_t i) { return Kind(i) == ColumnKind::kDate; });
    if (dates.size() == 1) return Chosen(dates, false);
    auto sorted = Columns(
        [&](std::size_t i) { return s_.facts[i].IsSorted() && s_.facts[i].values >= kFewestRows; });
    // The numbers of rows are the time only if nothing else is.
    if (sorted.size() > 1) Keep(&sorted, [&](std::size_t i) { return !s_.names[i].empty(); });
    return sorted.size() == 1 ? FoundTime{sorted, {}, false} : FoundTime{};
  }

  const TimeSearch& s_;
};

bool AreSorted(const std::vector<double>& times) {
  return std::is_sorted(times.begin(), times.end()) ||
         std::is_sorted(times.begin(), times.end(), std::greater<>());
}

}  // namespace

bool IsPlainTimeName(std::string_view name) {
  return SameWord(name, "time") || SameWord(name, "t");
}

bool IsTimeNameWithUnit(std::string_view name) {
  const std::size_t open = name.find_first_of("[(");
  if (name.empty() || open == std::string_view::npos) return false;
  if (name.back() != (name[open] == '[' ? ']' : ')')) return false;
  const std::string_view word = Trimmed(name.substr(0, open));
  return SameWord(word, "time") || word == "t";
}

FoundTime FindTimeColumns(const TimeSearch& search) { return TimeFinder(search).Find(); }

double EpochUnit(std::string_view name, const ColumnFacts& facts, TimeFormat format) {
  if (format == TimeFormat::kEpochSeconds) return 1;
  if (format == TimeFormat::kEpochMilliseconds) return 1e-3;
  if (format == TimeFormat::kNumber || facts.numbers.empty()) return 0;
  const std::string word = LowerCase(name);
  static constexpr std::array<std::string_view, 5> kParts = {"epoch", "unix", "stamp", "date",
                                                             "utc"};
  const bool named = std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return word.find(part) != std::string::npos;
  });
  if (!named) return 0;
  const auto [least, most] = std::minmax_element(facts.numbers.begin(), facts.numbers.end());
  // From 1973 to 2128, in seconds, milliseconds, microseconds and nanoseconds.
  for (double unit : {1.0, 1e-3, 1e-6, 1e-9}) {
    if (*least * unit >= 1e8 && *most * unit <= 5e9) return unit;
  }
  return 0;
}

bool AreCompactDates(std::string_view name, const ColumnFacts& facts) {
  const std::string word = LowerCase(name);
  if (word.find("date") == std::string::npos && word.find("day") == std::string::npos) return false;
  return !facts.numbers.empty() &&
         std::all_of(facts.numbers.begin(), facts.numbers.end(), [](double number) {
           if (!(number >= 1e7 && number < 1e8) || number != std::floor(number)) return false;
           const auto date =
               ParseDateText(std::to_string(static_cast<long>(number)), DateOrder::kFound);
           return date && date->has_date;
         });
}

FoundOrder FindDateOrder(const std::vector<std::string>& dates) {
  bool day_first = true, month_first = true;
  std::string unclear;
  std::vector<double> by_day, by_month;
  for (const std::string& text : dates) {
    const auto day = ParseDateText(text, DateOrder::kDayFirst),
               month = ParseDateText(text, DateOrder::kMonthFirst);
    if (!day && !month) continue;
    day_first = day_first && day;
    month_first = month_first && month;
    if (day && month && day->needs_order) unclear = text;
    if (day) by_day.push_back(day->seconds);
    if (month) by_month.push_back(month->seconds);
  }
  if (unclear.empty() && day_first && month_first) return {};
  if (day_first != month_first) {
    return {day_first ? DateOrder::kDayFirst : DateOrder::kMonthFirst, {}};
  }
  if (!day_first) return {DateOrder::kDayFirst, {}};  // the reader will find the bad date
  if (AreSorted(by_day) != AreSorted(by_month)) {
    return {AreSorted(by_day) ? DateOrder::kDayFirst : DateOrder::kMonthFirst, {}};
  }
  return {DateOrder::kFound, unclear};
}

}  // namespace gpode::internal
