// Words of the command line and what they mean.
//
// Every function throws an InputError of one line, "COMMAND: --option is 'word', must be ...".
// Registered options check their word as soon as it is read, before any work.
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

namespace gpode::tool {

// Which option of which command a word was given for.
struct Place {
  std::string command, option;
};

// Throws "COMMAND: OPTION is 'word', must be RIGHT".
[[noreturn]] void Refuse(const Place& place, std::string_view word, std::string_view right);

struct CountRange {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
};
struct NumberRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // must be more than `least`
};
inline constexpr NumberRange kAnyNumber{};
inline constexpr NumberRange kPositiveNumber{.least = 0, .above = true};
// Of times and states: their squares must be numbers too.
inline constexpr NumberRange kSaneNumber{.least = -1e100, .most = 1e100};

std::uint64_t ParseCount(const Place& place, std::string_view word, const CountRange& range = {});
double ParseNumber(const Place& place, std::string_view word, const NumberRange& range = {});
// "0.05,0.5,0.95".
std::vector<double> ParseNumbers(const Place& place, std::string_view word,
                                 const NumberRange& range = {});
// "a,b,c"; an empty list and repeated words are refused.
std::vector<std::string> ParseWords(const Place& place, std::string_view word);
// "x=1,y=-2.5".
using Assignment = std::pair<std::string, std::string>;
std::vector<Assignment> ParseAssignments(const Place& place, std::string_view word);
// "from:to:count", with equal gaps; "from:to" where `count` may be left out.
struct Range {
  double from = 0, to = 0;
  std::size_t count = 0;
};
Range ParseRange(const Place& place, std::string_view word);
// A range, or a list of times, which must increase.
std::vector<double> ParseTimes(const Place& place, std::string_view word);

// Throws if so many numbers would not fit in memory; `factors` are what they grow with besides the
// option, as in "points and channels".
void CheckAmount(const Place& place, double numbers, std::string_view factors);

// Options that are checked as they are read.
CLI::Option* AddCount(CLI::App* command, const std::string& names, std::size_t* value,
                      const CountRange& range, const std::string& help);
CLI::Option* AddNumber(CLI::App* command, const std::string& names, double* value,
                       const NumberRange& range, const std::string& help);
// `take(place, word)` reads the word.
CLI::Option* AddWord(CLI::App* command, const std::string& names, const std::string& kind,
                     std::function<void(const Place&, const std::string&)> take,
                     const std::string& help);
// A name or, where `kind` is FILE, a file's; never empty.
CLI::Option* AddName(CLI::App* command, const std::string& names, const std::string& kind,
                     std::string* value, const std::string& help);
// Without a value.
CLI::Option* AddSwitch(CLI::App* command, const std::string& names, bool* value,
                       const std::string& help);
// One of some words.
CLI::Option* AddChoice(CLI::App* command, const std::string& names, std::string* value,
                       const std::vector<std::string>& choices, const std::string& help);

// The known word nearest to a misspelt one, if any is near.
std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace gpode::tool
