// Parsing of the words of the command line.
//
// Errors are InputErrors of one line, "COMMAND: --option is 'word', must be ...". Options that are
// added by these functions check their value as soon as it is read, before any work is done.
//
//   AddCount(fit, "--inducing", &inducing, {1, 1'000'000}, "inducing points");
//   std::vector<double> times = ParseTimes({"forecast", "--times"}, "0:14:281");
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpode/calendar.h"

namespace gpode::tool {

// The command and the option whose value is parsed, for messages.
struct Place {
  std::string command, option;
};

// Throws an InputError "COMMAND: OPTION is 'word', must be RIGHT".
[[noreturn]] void Refuse(const Place& place, std::string_view word, std::string_view right);

struct CountRange {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
};
struct NumberRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // if true, `least` is excluded, and so is `most` if it is finite
};
inline constexpr NumberRange kAnyNumber{};
inline constexpr NumberRange kPositiveNumber{.least = 0, .above = true};
// The range of times and states. The product of three numbers in this range is still finite.
inline constexpr NumberRange kSaneNumber{.least = -1e100, .most = 1e100};

std::uint64_t ParseCount(const Place& place, std::string_view word, const CountRange& range = {});
double ParseNumber(const Place& place, std::string_view word, const NumberRange& range = {});
// Parses a list such as "0.05,0.5,0.95".
std::vector<double> ParseNumbers(const Place& place, std::string_view word,
                                 const NumberRange& range = {});
// Parses a list such as "a,b,c"; an empty list and repeated words are errors.
std::vector<std::string> ParseWords(const Place& place, std::string_view word);
// Parses a list such as "x=1,y=-2.5".
using Assignment = std::pair<std::string, std::string>;
std::vector<Assignment> ParseAssignments(const Place& place, std::string_view word);
// Equally spaced numbers, "FROM:TO:COUNT".
struct Range {
  double from = 0, to = 0;
  std::size_t count = 0;
};
Range ParseRange(const Place& place, std::string_view word);
// Parses a time: a number or, if the calendar is set, a date.
double ParseTime(const Place& place, std::string_view word, const Calendar& calendar);
// Throws an InputError unless the word is a number or a date, for options that are read before the
// calendar is known.
void CheckTimeWord(const Place& place, std::string_view word);
// Parses a range, FROM:TO:COUNT, or a list of increasing times, as numbers or dates.
std::vector<double> ParseTimes(const Place& place, std::string_view word,
                               const Calendar& calendar = {});
void CheckTimeList(const Place& place, std::string_view word);

// Throws an InputError if this many numbers would not fit in memory. `factors` says for the message
// with what the option's value is multiplied, as in "points and channels".
void CheckAmount(const Place& place, double numbers, std::string_view factors);

// These functions add an option whose value is a number in a range.
CLI::Option* AddCount(CLI::App* command, const std::string& names, std::size_t* value,
                      const CountRange& range, const std::string& help);
CLI::Option* AddNumber(CLI::App* command, const std::string& names, double* value,
                       const NumberRange& range, const std::string& help);
// Adds an option with a value, for which parse(place, word) is called.
CLI::Option* AddWord(CLI::App* command, const std::string& names, const std::string& kind,
                     std::function<void(const Place&, const std::string&)> parse,
                     const std::string& help);
// Adds an option whose value is kept as text until more is known.
CLI::Option* AddText(CLI::App* command, const std::string& names, const std::string& kind,
                     std::optional<std::string>* value, const std::string& help);
// Adds an option whose value is a list of words, "A,B,...".
CLI::Option* AddList(CLI::App* command, const std::string& names, const std::string& kind,
                     std::vector<std::string>* value, const std::string& help);
// Adds an option whose value is a time or date. It is kept as text until the data's calendar is
// known.
CLI::Option* AddTime(CLI::App* command, const std::string& names, std::optional<std::string>* value,
                     const std::string& help);
// Adds an option whose value is a name or, if `kind` is FILE, a file name. An empty value is an
// error.
CLI::Option* AddName(CLI::App* command, const std::string& names, const std::string& kind,
                     std::string* value, const std::string& help);
// Adds an option without a value.
CLI::Option* AddSwitch(CLI::App* command, const std::string& names, bool* value,
                       const std::string& help);
// Adds an option whose value is one of these words.
CLI::Option* AddChoice(CLI::App* command, const std::string& names, std::string* value,
                       const std::vector<std::string>& choices, const std::string& help);

// Returns the known word that is most similar to a misspelt one, or nothing if none is similar.
std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace gpode::tool
