#include "data/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>

namespace gpode::internal {
namespace {

constexpr double kDay = 86400;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads a text from left to right. A Take… function moves past what it takes. If something else
// comes next in the text, it returns nothing (or false) and does not move.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  std::string_view rest() const { return rest_; }

  bool TakeChar(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool SkipBlanks() {
    const std::size_t before = rest_.size();
    while (TakeChar(" \t")) {
    }
    return rest_.size() < before;
  }

  std::optional<std::string_view> TakeDigits(std::size_t most) {
    std::size_t count = 0;
    while (count < rest_.size() && IsDigit(rest_[count])) ++count;
    if (count == 0 || count > most) return {};
    return TakeFirst(count);
  }

  std::optional<std::string_view> TakeLetters() {
    std::size_t count = 0;
    while (count < rest_.size() && IsLetter(rest_[count])) ++count;
    if (count == 0) return {};
    return TakeFirst(count);
  }

 private:
  std::string_view TakeFirst(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

int ToInt(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// Returns the index of the first name that begins with the word, in upper or lower case; -1 if
// there is none or the word has fewer than three letters.
template <std::size_t N>
int IndexOf(std::string_view word, const std::array<std::string_view, N>& names) {
  if (word.size() < 3) return -1;
  for (std::size_t i = 0; i < N; ++i) {
    const bool same = word.size() <= names[i].size() &&
                      std::equal(word.begin(), word.end(), names[i].begin(), [](char a, char b) {
                        return std::tolower(static_cast<unsigned char>(a)) == b;
                      });
    if (same) return static_cast<int>(i);
  }
  return -1;
}

int MonthOf(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  return word == "sept" || word == "Sept" ? 9 : IndexOf(word, kMonths) + 1;
}

bool IsWeekday(std::string_view word) {
  static constexpr std::array<std::string_view, 7> kDays = {
      "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
  return IndexOf(word, kDays) >= 0;
}

std::optional<double> SecondsAt(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < 1 || year > 9999 || !date.ok()) return {};
  return kDay * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

int FullYear(std::string_view digits) {
  const int year = ToInt(digits);
  if (digits.size() > 2) return year;
  return year + (year < 69 ? 2000 : 1900);
}

// One of the three parts of a date.
struct DatePart {
  std::string_view digits;  // empty for a month's name
  int month = 0;            // the month that is named; 0 for a number

  bool IsYear() const { return digits.size() == 4; }
  // Returns true for a number that may be a day or a month.
  bool IsShort() const { return !digits.empty() && digits.size() <= 2; }
};

std::optional<DatePart> TakePart(Scanner* scanner) {
  if (const auto digits = scanner->TakeDigits(4)) {
    if (digits->size() == 3) return {};
    return DatePart{*digits, 0};
  }
  if (const auto word = scanner->TakeLetters()) {
    const int month = MonthOf(*word);
    scanner->TakeChar(".");
    if (month > 0) return DatePart{{}, month};
  }
  return {};
}

// Sets the date of three parts, or of a year and a month if `last` is nullptr. Returns false if the
// parts are not a date.
bool SetDate(const DatePart& a, const DatePart& b, const DatePart* last, char separator,
             DateOrder order, DateText* date) {
  const auto set = [&](std::string_view year, int month, std::string_view day) {
    const std::optional<double> seconds =
        SecondsAt(FullYear(year), month, day.empty() ? 1 : ToInt(day));
    date->seconds = seconds.value_or(0);
    date->has_date = seconds.has_value();
    return seconds.has_value();
  };
  if (a.IsYear()) {
    const bool whole = last == nullptr || last->IsShort();
    const int month = b.month > 0 ? b.month : b.IsShort() ? ToInt(b.digits) : 0;
    return whole && set(a.digits, month, last == nullptr ? "" : last->digits);
  }
  if (last == nullptr || !(last->IsYear() || last->IsShort())) return false;
  if (b.month > 0) return a.IsShort() && set(last->digits, b.month, a.digits);
  if (a.month > 0) return b.IsShort() && set(last->digits, a.month, b.digits);
  if (!a.IsShort() || !b.IsShort()) return false;
  if (separator == '.') return set(last->digits, ToInt(b.digits), a.digits);
  const int first = ToInt(a.digits), second = ToInt(b.digits);
  date->needs_order = first != second;
  const bool month_first =
      order == DateOrder::kMonthFirst || (order == DateOrder::kFound && second > 12);
  return month_first ? set(last->digits, first, b.digits) : set(last->digits, second, a.digits);
}

// Takes 20040310 or 20040310180000.
bool TakeCompact(Scanner* scanner, DateText* date) {
  Scanner trial = *scanner;
  const auto digits = trial.TakeDigits(14);
  if (!digits || (digits->size() != 8 && digits->size() != 14)) return false;
  const auto seconds = SecondsAt(ToInt(digits->substr(0, 4)), ToInt(digits->substr(4, 2)),
                                 ToInt(digits->substr(6, 2)));
  if (!seconds) return false;
  date->seconds = *seconds;
  date->has_date = true;
  if (digits->size() == 14) {
    const int hour = ToInt(digits->substr(8, 2)), minute = ToInt(digits->substr(10, 2)),
              second = ToInt(digits->substr(12, 2));
    if (hour > 23 || minute > 59 || second > 60) return false;
    date->seconds += 3600 * hour + 60 * minute + second;
    date->has_clock = true;
  }
  *scanner = trial;
  return true;
}

bool TakeDate(Scanner* scanner, DateOrder order, DateText* date) {
  if (TakeCompact(scanner, date)) return true;
  Scanner trial = *scanner;
  const auto first = TakePart(&trial);
  if (!first) return false;
  const char separator = trial.Peek();
  if (!trial.TakeChar("-/. ")) return false;
  if (separator == ' ') trial.SkipBlanks();
  const auto second = TakePart(&trial);
  if (!second) return false;
  const bool named = first->month > 0 || second->month > 0;
  const Scanner after_second = trial;
  std::optional<DatePart> third;
  if (trial.Peek() == separator || (named && (trial.Peek() == ',' || trial.Peek() == ' '))) {
    trial.TakeChar("-/. ,");
    trial.SkipBlanks();
    third = TakePart(&trial);
    if (trial.Peek() == ':') third.reset();  // That was an hour: the date has no day.
    // Three parts and a fourth one with the same mark, as in an IP address, are not a date.
    if (third && separator != ' ' && trial.Peek() == separator) return false;
  }
  if (!third) trial = after_second;
  if (!SetDate(*first, *second, third ? &*third : nullptr, separator, order, date)) return false;
  *scanner = trial;
  return true;
}

// Takes hours, minutes and seconds with the same mark between them, and AM or PM if that follows.
// Returns seconds, or nothing if no time of day comes next in the text.
std::optional<double> TakeClock(Scanner* scanner, std::size_t most_hour_digits) {
  Scanner trial = *scanner;
  const auto hours = trial.TakeDigits(most_hour_digits);
  if (!hours) return {};
  const char mark = trial.Peek();
  double seconds = 3600.0 * ToInt(*hours);
  if (trial.TakeChar(":.h")) {
    const auto minutes = trial.TakeDigits(2);
    if (!minutes || ToInt(*minutes) > 59) return {};
    seconds += 60.0 * ToInt(*minutes);
    const bool more = trial.Peek() == mark && trial.TakeChar(":.");
    const auto rest = more ? trial.TakeDigits(2) : std::nullopt;
    if (more && (!rest || ToInt(*rest) > 60)) return {};
    if (rest) seconds += ToInt(*rest);
    if (rest && mark == ':' && trial.TakeChar(".,")) {
      const auto digits = trial.TakeDigits(18);
      if (!digits) return {};
      double fraction = 0;
      const std::string text = fmt::format("0.{}", *digits);
      std::from_chars(text.data(), text.data() + text.size(), fraction);
      seconds += fraction;
    }
    if (mark == '.' && !more) return {};  // a number such as 18.30
  } else if (most_hour_digits != 2 || hours->size() > 2) {
    return {};
  }
  Scanner after = trial;
  after.SkipBlanks();
  if (const auto word = after.TakeLetters()) {
    const bool am = *word == "AM" || *word == "am", pm = *word == "PM" || *word == "pm";
    if (am || pm) {
      if (seconds < 3600 || seconds >= 13 * 3600) return {};
      if (seconds >= 12 * 3600) seconds -= 12 * 3600;
      if (pm) seconds += 12 * 3600;
      trial = after;
    }
  }
  *scanner = trial;
  return seconds;
}

// Takes a time zone, if there is one, and moves the time to UTC. Returns false if the rest of the
// text does not begin with a time zone.
bool TakeZone(Scanner* scanner, DateText* date) {
  scanner->SkipBlanks();
  if (scanner->AtEnd()) return true;
  if (const auto word = scanner->TakeLetters()) {
    if (*word != "Z" && *word != "z" && *word != "UTC" && *word != "GMT") return false;
    date->has_zone = true;
    if (scanner->AtEnd()) return true;
  }
  const double sign = scanner->Peek() == '-' ? 1 : -1;  // clocks east of Greenwich are ahead of UTC
  if (!scanner->TakeChar("+-")) return false;
  const auto digits = scanner->TakeDigits(4);
  if (!digits || digits->size() == 3) return false;
  int hours = ToInt(digits->substr(0, 2)), minutes = 0;
  if (digits->size() == 4) {
    minutes = ToInt(digits->substr(2, 2));
  } else if (scanner->TakeChar(":")) {
    const auto rest = scanner->TakeDigits(2);
    if (!rest || rest->size() != 2) return false;
    minutes = ToInt(*rest);
  }
  if (hours > 14 || minutes > 59) return false;
  date->seconds += sign * (3600 * hours + 60 * minutes);
  date->has_zone = true;
  return true;
}

}  // namespace

std::optional<DateText> ParseDateText(std::string_view text, DateOrder order) {
  DateText date;
  Scanner scanner(text);
  scanner.SkipBlanks();
  Scanner after_word = scanner;
  if (const auto word = after_word.TakeLetters(); word && IsWeekday(*word)) {
    after_word.TakeChar(",.");
    after_word.SkipBlanks();
    scanner = after_word;
  }
  if (TakeDate(&scanner, order, &date)) {
    const bool parted = scanner.TakeChar("T,") || scanner.SkipBlanks();
    scanner.SkipBlanks();
    if (parted && !date.has_clock && IsDigit(scanner.Peek())) {
      const auto clock = TakeClock(&scanner, 2);
      if (!clock || *clock > kDay) return {};
      date.seconds += *clock;
      date.has_clock = true;
    }
  } else {
    const auto clock = TakeClock(&scanner, 4);
    if (!clock) return {};
    date = {.seconds = *clock, .has_clock = true};
  }
  if (date.has_clock && !TakeZone(&scanner, &date)) return {};
  scanner.SkipBlanks();
  if (!scanner.AtEnd()) return {};
  return date;
}

std::optional<double> ParseClock(std::string_view text) {
  Scanner scanner(text);
  scanner.SkipBlanks();
  const auto seconds = TakeClock(&scanner, 4);
  scanner.SkipBlanks();
  return scanner.AtEnd() ? seconds : std::nullopt;
}

std::string ShowDate(double seconds, bool always_clock) {
  constexpr double kTicks = 1e6;  // shown times are rounded to microseconds
  // Times about 7900 years or more from 1970 are not shown as dates: years must have four digits.
  if (!(std::fabs(seconds) < 2.5e11)) return fmt::format("{:g} s", seconds);
  const double day = std::floor(std::round(seconds * kTicks) / kTicks / kDay);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(day)))};
  const auto ticks = static_cast<std::int64_t>(std::round((seconds - day * kDay) * kTicks));
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (ticks == 0 && !always_clock) return text;
  const std::int64_t whole = ticks / 1'000'000, part = ticks % 1'000'000;
  text += fmt::format("T{:02}:{:02}", whole / 3600, whole / 60 % 60);
  if (whole % 60 != 0 || part != 0) text += fmt::format(":{:02}", whole % 60);
  if (part != 0) {
    std::string digits = fmt::format("{:06}", part);
    while (digits.back() == '0') digits.pop_back();
    text += "." + digits;
  }
  return text;
}

}  // namespace gpode::internal
