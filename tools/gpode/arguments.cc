#include "arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "gpode/error.h"
#include "gpode/simulate.h"
#include "io/files.h"
#include "io/number_text.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostTimes = 10'000'000;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return parts;
}

std::string Describe(const NumberRange& range) {
  const bool bounded_below = std::isfinite(range.least), bounded_above = std::isfinite(range.most);
  if (bounded_below && bounded_above) {
    return range.above ? fmt::format("a number above {} and below {}", range.least, range.most)
                       : fmt::format("a number from {} to {}", range.least, range.most);
  }
  if (!bounded_below) return "a number";
  if (range.least == 0) return range.above ? "a positive number" : "a number, zero or more";
  return fmt::format("a number {} {}", range.above ? "above" : "of at least", range.least);
}

// Describes a range for a message. The ends of kSaneNumber are described only if the word is a
// number, which is then outside of them. For other words, "a number" says enough.
std::string Describe(const NumberRange& range, const std::optional<double>& found) {
  const bool sane = range.least == kSaneNumber.least && range.most == kSaneNumber.most;
  return sane && !found ? "a number" : Describe(range);
}

bool IsWithin(double value, const NumberRange& range) {
  if (!std::isfinite(value)) return false;
  if (range.above && std::isfinite(range.most)) return value > range.least && value < range.most;
  return (range.above ? value > range.least : value >= range.least) && value <= range.most;
}

std::string Describe(const CountRange& range) {
  if (range.most == std::numeric_limits<std::uint64_t>::max()) {
    return range.least == 0 ? "a whole number, zero or more"
                            : fmt::format("a whole number of at least {}", range.least);
  }
  return fmt::format("a whole number from {} to {}", range.least, range.most);
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

// Returns the last of the names of an option: the long one of "-o,--out".
std::string LongName(const std::string& names) { return names.substr(names.rfind(',') + 1); }

}  // namespace

void Refuse(const Place& place, std::string_view word, std::string_view right) {
  ThrowInput(place.command, place.option,
             fmt::format("is {}, must be {}", internal::Quote(word), right));
}

std::uint64_t ParseCount(const Place& place, std::string_view word, const CountRange& range) {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end || value < range.least || value > range.most) {
    Refuse(place, word, Describe(range));
  }
  return value;
}

double ParseNumber(const Place& place, std::string_view word, const NumberRange& range) {
  const std::optional<double> value = internal::ToNumber(word);
  if (!value || !IsWithin(*value, range)) Refuse(place, word, Describe(range, value));
  return *value;
}

std::vector<double> ParseNumbers(const Place& place, std::string_view word,
                                 const NumberRange& range) {
  std::vector<double> numbers;
  for (const std::string_view part : Split(word, ',')) {
    const std::optional<double> value = internal::ToNumber(internal::Trimmed(part));
    if (!value || !IsWithin(*value, range)) {
      Refuse(place, word,
             fmt::format("{}, or several separated by commas", Describe(range, value)));
    }
    numbers.push_back(*value);
  }
  return numbers;
}

std::vector<std::string> ParseWords(const Place& place, std::string_view word) {
  std::vector<std::string> words;
  for (const std::string_view part : Split(word, ',')) {
    if (internal::Trimmed(part).empty()) Refuse(place, word, "names separated by commas");
    words.emplace_back(internal::Trimmed(part));
    if (std::find(words.begin(), words.end() - 1, words.back()) != words.end() - 1) {
      Refuse(place, word,
             fmt::format("different names; {} appears twice", internal::Quote(words.back())));
    }
  }
  return words;
}

std::vector<Assignment> ParseAssignments(const Place& place, std::string_view word) {
  std::vector<Assignment> assignments;
  for (const std::string_view part : Split(word, ',')) {
    // A name may contain '=', a value never does.
    const std::size_t middle = part.rfind('=');
    if (middle == std::string_view::npos || middle == 0) {
      Refuse(place, word, "NAME=VALUE, or several separated by commas");
    }
    const std::string name(internal::Trimmed(part.substr(0, middle)));
    const auto same = [&](const Assignment& other) { return other.first == name; };
    if (std::any_of(assignments.begin(), assignments.end(), same)) {
      Refuse(place, word, fmt::format("a list that names {} once", internal::Quote(name)));
    }
    assignments.emplace_back(name, internal::Trimmed(part.substr(middle + 1)));
  }
  return assignments;
}

Range ParseRange(const Place& place, std::string_view word) {
  constexpr std::string_view kRight = "FROM:TO:COUNT, such as -3:3:30";
  const std::vector<std::string_view> parts = Split(word, ':');
  if (parts.size() != 3) Refuse(place, word, kRight);
  const std::optional<double> from = internal::ToNumber(parts[0]),
                              to = internal::ToNumber(parts[1]);
  if (!from || !to || !IsWithin(*from, kSaneNumber) || !IsWithin(*to, kSaneNumber)) {
    Refuse(place, word, kRight);
  }
  std::size_t count = 0;
  const char* const end = parts[2].data() + parts[2].size();
  const auto [stop, error] = std::from_chars(parts[2].data(), end, count);
  if (error != std::errc() || stop != end || count == 0 || count > kMostTimes) {
    Refuse(place, word, fmt::format("FROM:TO:COUNT with a count from 1 to {}", kMostTimes));
  }
  if (!(*from < *to) && !(count == 1 && *from == *to)) {
    Refuse(place, word, "FROM:TO:COUNT with FROM below TO");
  }
  return {*from, *to, count};
}

void CheckAmount(const Place& place, double numbers, std::string_view factors) {
  constexpr double kMost = 5e8;  // numbers in four gigabytes
  if (numbers <= kMost) return;
  ThrowInput(place.command, place.option,
             fmt::format("times {} is {:.3g} numbers, must be at most {:.0e} to fit in memory",
                         factors, numbers, kMost));
}

namespace {

// The calendar of words whose calendar is not known yet: it accepts numbers and dates.
constexpr Calendar kAnyCalendar{.unit = 1};

std::string_view AcceptedTime(const Calendar& calendar) {
  return calendar.IsSet() ? "a number, or a date such as 2004-03-10 or 2004-03-10T18:00"
                          : "a number";
}

// Returns the time that a word names, or nothing.
std::optional<double> TimeOf(std::string_view word, const Calendar& calendar) {
  std::optional<double> time = gpode::ParseTime(word, calendar);
  if (!time) time = internal::ToNumber(word);
  return time && IsWithin(*time, kSaneNumber) ? time : std::nullopt;
}

// Parses FROM:TO:COUNT, where FROM and TO are numbers or dates. Since dates may contain colons, all
// ways of splitting the word are tried. Returns nothing if none is valid.
std::optional<Range> ParseDateRange(std::string_view word, const Calendar& calendar) {
  const std::size_t last = word.rfind(':');
  if (last == std::string_view::npos) return {};
  Range range;
  const std::string_view count = word.substr(last + 1);
  const auto [stop, error] =
      std::from_chars(count.data(), count.data() + count.size(), range.count);
  if (error != std::errc() || stop != count.data() + count.size()) return {};
  if (range.count == 0 || range.count > kMostTimes) return {};
  const std::string_view ends = word.substr(0, last);
  for (std::size_t at = ends.find(':'); at != std::string_view::npos; at = ends.find(':', at + 1)) {
    const auto from = TimeOf(ends.substr(0, at), calendar),
               to = TimeOf(ends.substr(at + 1), calendar);
    if (!from || !to || !(*from < *to || (*from == *to && range.count == 1))) continue;
    range.from = *from;
    range.to = *to;
    return range;
  }
  return {};
}

}  // namespace

double ParseTime(const Place& place, std::string_view word, const Calendar& calendar) {
  const std::optional<double> time = TimeOf(word, calendar);
  if (time) return *time;
  if (internal::ToNumber(word)) return ParseNumber(place, word, kSaneNumber);  // throws
  Refuse(place, word, AcceptedTime(calendar));
}

void CheckTimeWord(const Place& place, std::string_view word) {
  if (TimeOf(word, kAnyCalendar)) return;
  ParseNumber(place, word, kSaneNumber);
}

std::vector<double> ParseTimes(const Place& place, std::string_view word,
                               const Calendar& calendar) {
  const bool has_dates = calendar.IsSet() && word.find_first_of("-/TZ") != std::string_view::npos;
  if (has_dates) {
    if (const std::optional<Range> range = ParseDateRange(word, calendar)) {
      return RegularTimes(range->from, range->to, range->count);
    }
  } else if (word.find(':') != std::string_view::npos) {
    const Range range = ParseRange(place, word);
    return RegularTimes(range.from, range.to, range.count);
  }
  std::vector<double> times;
  if (has_dates) {
    for (const std::string_view part : Split(word, ',')) {
      const auto time = TimeOf(internal::Trimmed(part), calendar);
      if (!time) Refuse(place, word, "FROM:TO:COUNT or increasing times, as numbers or dates");
      times.push_back(*time);
    }
  } else {
    times = ParseNumbers(place, word, kSaneNumber);
  }
  const auto later = [](double a, double b) { return !(a < b); };
  if (std::adjacent_find(times.begin(), times.end(), later) != times.end()) {
    Refuse(place, word, "increasing times");
  }
  return times;
}

void CheckTimeList(const Place& place, std::string_view word) {
  ParseTimes(place, word, kAnyCalendar);
}

CLI::Option* AddWord(CLI::App* command, const std::string& names, const std::string& kind,
                     std::function<void(const Place&, const std::string&)> parse,
                     const std::string& help) {
  const Place place{command->get_name(), LongName(names)};
  return command
      ->add_option_function<std::string>(
          names, [place, parse = std::move(parse)](const std::string& word) { parse(place, word); },
          help)
      ->type_name(kind);
}

CLI::Option* AddText(CLI::App* command, const std::string& names, const std::string& kind,
                     std::optional<std::string>* value, const std::string& help) {
  return AddWord(
      command, names, kind, [value](const Place&, const std::string& word) { *value = word; },
      help);
}

CLI::Option* AddList(CLI::App* command, const std::string& names, const std::string& kind,
                     std::vector<std::string>* value, const std::string& help) {
  return AddWord(
      command, names, kind,
      [value](const Place& place, const std::string& word) { *value = ParseWords(place, word); },
      help);
}

CLI::Option* AddTime(CLI::App* command, const std::string& names, std::optional<std::string>* value,
                     const std::string& help) {
  return AddWord(
      command, names, "T",
      [value](const Place& place, const std::string& word) {
        CheckTimeWord(place, word);
        *value = word;
      },
      help);
}

CLI::Option* AddName(CLI::App* command, const std::string& names, const std::string& kind,
                     std::string* value, const std::string& help) {
  return AddWord(
      command, names, kind,
      [=](const Place& place, const std::string& word) {
        if (word.empty()) Refuse(place, word, kind == "FILE" ? "a file" : "a name");
        *value = word;
      },
      help);
}

CLI::Option* AddSwitch(CLI::App* command, const std::string& names, bool* value,
                       const std::string& help) {
  return command->add_flag(names, *value, help)->disable_flag_override();
}

CLI::Option* AddCount(CLI::App* command, const std::string& names, std::size_t* value,
                      const CountRange& range, const std::string& help) {
  return AddWord(
      command, names, "N",
      [=](const Place& place, const std::string& word) {
        *value = static_cast<std::size_t>(ParseCount(place, word, range));
      },
      help);
}

CLI::Option* AddNumber(CLI::App* command, const std::string& names, double* value,
                       const NumberRange& range, const std::string& help) {
  return AddWord(
      command, names, "X",
      [=](const Place& place, const std::string& word) {
        *value = ParseNumber(place, word, range);
      },
      help);
}

CLI::Option* AddChoice(CLI::App* command, const std::string& names, std::string* value,
                       const std::vector<std::string>& choices, const std::string& help) {
  return AddWord(
      command, names, fmt::format("{}", fmt::join(choices, "|")),
      [=](const Place& place, const std::string& word) {
        if (std::find(choices.begin(), choices.end(), word) == choices.end()) {
          Refuse(place, word, fmt::format("one of {}", fmt::join(choices, ", ")));
        }
        *value = word;
      },
      help);
}

std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  // Among equally similar words, prefers one that begins with `word`: --draw means --draws rather
  // than --raw.
  const auto distance = [&](const std::string& a) {
    return std::pair(EditDistance(word, a), !a.starts_with(word));
  };
  const auto nearest =
      std::min_element(known.begin(), known.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest == known.end() || EditDistance(word, *nearest) > 1 + nearest->size() / 4) return {};
  return *nearest;
}

}  // namespace gpode::tool
