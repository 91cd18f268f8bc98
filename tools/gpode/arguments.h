// Parsing of the words of the command line.
//
// Every function throws an InputError of one line, "COMMAND: --option is 'word', must be ...".
// Registered options check their word when it is read, before any work is done.
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

// The option of a command that a word was given for.
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
  bool above = false;  // `least` itself is excluded
};
inline constexpr NumberRange kAnyNumber{};
inline constexpr NumberRange kPositiveNumber{.least = 0, .above = true};
// The range of times and states, whose squares must be finite.
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
// Parses a range, or a list of increasing times.
std::vector<double> ParseTimes(const Place& place, std::string_view word);

// Throws if so many numbers would not fit in memory. `factors` names what the option is multiplied
// by, as in "points and channels".
void CheckAmount(const Place& place, double numbers, std::string_view factors);

// These add options that are checked when they are read.
CLI::Option* AddCount(CLI::App* command, const std::string& names, std::size_t* value,
                      const CountRange& range, const std::string& help);
CLI::Option* AddNumber(CLI::App* command, const std::string& names, double* value,
                       const NumberRange& range, const std::string& help);
// Adds an option with a value, which parse(place, word) reads.
CLI::Option* AddWord(CLI::App* command, const std::string& names, const std::string& kind,
                     std::function<void(const Place&, const std::string&)> parse,
                     const std::string& help);
// Adds an option with a name or, if `kind` is FILE, a file; it must not be empty.
CLI::Option* AddName(CLI::App* command, const std::string& names, const std::string& kind,
                     std::string* value, const std::string& help);
// Adds an option without a value.
CLI::Option* AddSwitch(CLI::App* command, const std::string& names, bool* value,
                       const std::string& help);
// Adds an option with one of the given words.
CLI::Option* AddChoice(CLI::App* command, const std::string& names, std::string* value,
                       const std::vector<std::string>& choices, const std::string& help);

// Returns the known word that is most similar to a misspelt one, or nothing if none is similar.
std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace gpode::tool
