#include "commands.h"

#include <fmt/format.h>

#include <memory>

#include "arguments.h"
#include "gpode/error.h"

namespace gpode::tool {
namespace {

constexpr std::uint64_t kMostThreads = 4096;

// Sets the separator that a word names: "comma" or "," and so on.
void ParseSeparator(const Place& place, const std::string& word, char* separator) {
  if (word == "comma" || word == ",") {
    *separator = ',';
  } else if (word == "semicolon" || word == ";") {
    *separator = ';';
  } else if (word == "tab" || word == "\t" || word == "\\t") {
    *separator = '\t';
  } else {
    Refuse(place, word, "comma, semicolon or tab");
  }
}

}  // namespace

void AddSeed(CLI::App* command, CommonOptions* common, const std::string& seeded) {
  AddWord(
      command, "--seed", "N",
      [common](const Place& place, const std::string& word) {
        common->seed = ParseCount(place, word);
      },
      fmt::format("seed of {}; the same seed gives the same numbers (default: 1)", seeded));
}

void AddThreads(CLI::App* command, CommonOptions* common) {
  AddCount(command, "--threads", &common->threads, {1, kMostThreads},
           "number of threads; results do not depend on it (default: all cores)");
}

void AddQuiet(CLI::App* command, CommonOptions* common) {
  AddSwitch(command, "-q,--quiet", &common->quiet, "print nothing but errors");
}

void AddVerbose(CLI::App* command, CommonOptions* common) {
  AddSwitch(command, "-v,--verbose", &common->verbose, "print more details");
}

void AddRaw(CLI::App* command, bool* raw) {
  AddSwitch(command, "--raw", raw,
            "leave bands as narrow as the draws are, whatever held-back data say (fit --holdout)");
}

void AddJson(CLI::App* command, CommonOptions* common) {
  AddSwitch(command, "--json", &common->json, "print one JSON object instead of text");
}

void AddReadOptions(CLI::App* command, ReadOptions* read) {
  const std::string group = "Reading data";
  AddName(command, "--time", "NAME", &read->time_column, "time column (default: time or t)")
      ->group(group);
  AddName(command, "--trajectories-by", "NAME", &read->trajectory_column,
          "column with the trajectory of each row (default: trajectory)")
      ->group(group);
  AddWord(
      command, "--channels", "A,B,...",
      [read](const Place& place, const std::string& word) {
        read->channels = ParseWords(place, word);
      },
      "use only these channels, in this order (default: all)")
      ->group(group);
  AddWord(
      command, "--separator", "SEP",
      [read](const Place& place, const std::string& word) {
        ParseSeparator(place, word, &read->separator);
      },
      "comma, semicolon or tab (default: that of the header)")
      ->group(group);
  AddWord(
      command, "--decimal", "MARK",
      [read](const Place& place, const std::string& word) {
        if (word != "." && word != ",") Refuse(place, word, "'.' or ','");
        read->decimal = word[0];
      },
      "decimal mark, . or , (default: that of the first number)")
      ->group(group);
  AddName(command, "--part", "NAME", &read->part,
          fmt::format("data set of an archive that has several: train, validation, test, ... "
                      "(default: {})",
                      read->part))
      ->group(group);
  AddNumber(command, "--frame-rate", &read->frame_rate, kPositiveNumber,
            "frames per second of motion capture (default: 120)")
      ->group(group);
  AddCount(command, "--every", &read->every, {1, 1'000'000},
           "use only every N-th frame of motion capture (default: 1)")
      ->group(group);
}

void AddExamples(CLI::App* command, const std::vector<std::string>& examples) {
  std::string footer = "Examples:";
  for (const std::string& example : examples) footer += "\n  " + example;
  command->footer(footer);
}

namespace {
std::string command_line;
}  // namespace

const std::string& CommandLine() { return command_line; }

void SetCommandLine(int argc, const char* const* argv) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
  std::string line = "gpode";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    std::string quoted;
    for (char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    line += plain ? " " + word : " '" + quoted + "'";
  }
  command_line = line;
}

}  // namespace gpode::tool
