#include "commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "arguments.h"
#include "gpode/error.h"
#include "options/option_values.h"

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
  } else if (word == "space" || word == " ") {
    *separator = ' ';
  } else {
    Refuse(place, word, "comma, semicolon, tab or space");
  }
}

// Sets the order of dates or the format of times that a word names.
void ParseDates(const Place& place, const std::string& word, ReadOptions* read) {
  read->date_order = word == "dmy"   ? DateOrder::kDayFirst
                     : word == "mdy" ? DateOrder::kMonthFirst
                                     : DateOrder::kFound;
  read->time_format = word == "epoch"      ? TimeFormat::kEpochSeconds
                      : word == "epoch-ms" ? TimeFormat::kEpochMilliseconds
                      : word == "number"   ? TimeFormat::kNumber
                                           : TimeFormat::kFound;
  if (read->date_order == DateOrder::kFound && read->time_format == TimeFormat::kFound) {
    Refuse(place, word, "dmy, mdy, epoch, epoch-ms or number");
  }
}

void ParseDuplicates(const Place& place, const std::string& word, DuplicateTimes* duplicates) {
  for (const auto& [name, meaning] : internal::WordsOf(DuplicateTimes())) {
    if (name != word) continue;
    *duplicates = meaning;
    return;
  }
  Refuse(place, word, "refuse, average, first or last");
}

// Sets the columns that "name=A,value=B" names.
void ParseLong(const Place& place, const std::string& word, ReadOptions* read) {
  for (const auto& [key, column] : ParseAssignments(place, word)) {
    if (key == "name") read->long_name = column;
    if (key == "value") read->long_value = column;
    if (key != "name" && key != "value") Refuse(place, word, "name=COLUMN,value=COLUMN");
  }
  read->names_are_hints = false;
  if (read->long_name.empty() || read->long_value.empty()) {
    Refuse(place, word, "name=COLUMN,value=COLUMN");
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
            "do not widen bands, even if held-back data say that they are too narrow "
            "(fit --holdout)");
}

void AddJson(CLI::App* command, CommonOptions* common) {
  AddSwitch(command, "--json", &common->json, "print one JSON object instead of text");
}

void AddReadOptions(CLI::App* command, const std::function<void(ReadChange)>& add,
                    const std::vector<std::string>& without) {
  // Adds an option; parse(place, word, read) checks its value at once, on options that are thrown
  // away, and is called again when the options are put together.
  const auto option = [&](const std::string& name, const std::string& kind, auto parse,
                          const std::string& help) {
    if (std::find(without.begin(), without.end(), name) != without.end()) return;
    AddWord(
        command, name, kind,
        [add, parse](const Place& place, const std::string& word) {
          ReadOptions trial;
          parse(place, word, trial);
          add([=](ReadOptions& read) { parse(place, word, read); });
        },
        help)
        ->group("Reading data");
  };
  const auto name = [](std::string ReadOptions::*member) {
    return [member](const Place& place, const std::string& word, ReadOptions& read) {
      if (word.empty()) Refuse(place, word, "a name");
      read.*member = word;
      read.names_are_hints = false;
    };
  };
  const auto words = [](std::vector<std::string> ReadOptions::*member) {
    return [member](const Place& place, const std::string& word, ReadOptions& read) {
      read.*member = ParseWords(place, word);
    };
  };
  const auto time = [](std::string ReadOptions::*member) {
    return [member](const Place& place, const std::string& word, ReadOptions& read) {
      CheckTimeWord(place, word);
      read.*member = word;
    };
  };
  const auto count = [](std::size_t ReadOptions::*member, std::uint64_t least) {
    return [=](const Place& place, const std::string& word, ReadOptions& read) {
      read.*member = static_cast<std::size_t>(ParseCount(place, word, {least, 1'000'000}));
    };
  };
  const auto number = [](double ReadOptions::*member) {
    return [=](const Place& place, const std::string& word, ReadOptions& read) {
      read.*member = ParseNumber(place, word, kPositiveNumber);
    };
  };
  option("--time", "NAME", name(&ReadOptions::time_column),
         "time column, or several as in Date,Time (default: time, t, Year, timestamp, ..., or the "
         "only column that holds dates or is sorted)");
  option("--trajectories-by", "NAME", name(&ReadOptions::trajectory_column),
         "column with the trajectory of each row, or several (default: trajectory)");
  option("--channels", "A,B,...", words(&ReadOptions::channels),
         "use only these channels, in this order; * and ? match any characters (default: all)");
  option("--inputs", "A,B,...", words(&ReadOptions::inputs),
         "columns that drive the system: measured inputs, not channels");
  option("--after", "T", time(&ReadOptions::after), "use only rows after this time or date");
  option("--until", "T", time(&ReadOptions::until), "use only rows up to this time or date");
  option("--every", "N", count(&ReadOptions::every, 1), "use only every N-th row (default: 1)");
  option("--only", "A,B,...", words(&ReadOptions::only),
         "use only these trajectories; * and ? match any characters (default: all)");
  option("--sample-rows", "N", count(&ReadOptions::sample_rows, 1),
         "keep only about N rows, windows of 100 drawn at random while the file is read: for files "
         "larger than memory");
  option(
      "--separator", "SEP",
      [](const Place& place, const std::string& word, ReadOptions& read) {
        ParseSeparator(place, word, &read.separator);
      },
      "comma, semicolon, tab or space (default: that of the file)");
  option(
      "--decimal", "MARK",
      [](const Place& place, const std::string& word, ReadOptions& read) {
        if (word != "." && word != ",") Refuse(place, word, "'.' or ','");
        read.decimal = word[0];
      },
      "decimal mark, . or , (default: that of the first number)");
  option("--missing", "A,B,...", words(&ReadOptions::missing),
         "further markers of missing values, such as -200 (default: NA, NaN, null, ?, -, ...)");
  option("--skip", "N", count(&ReadOptions::skip, 0), "lines to skip before the header");
  if (std::find(without.begin(), without.end(), "--no-header") == without.end()) {
    command
        ->add_flag_callback(
            "--no-header", [add] { add([](ReadOptions& read) { read.header = false; }); },
            "the first line is data, not a header; columns are then c1, c2, ...")
        ->disable_flag_override()
        ->group("Reading data");
  }
  option("--dt", "X", number(&ReadOptions::dt),
         "time between rows of a file without a time column");
  option(
      "--long", "name=A,value=B",
      [](const Place& place, const std::string& word, ReadOptions& read) {
        ParseLong(place, word, &read);
      },
      "long format, one value per row: columns with the channel's name and with its value");
  option(
      "--duplicates", "refuse|average|first|last",
      [](const Place& place, const std::string& word, ReadOptions& read) {
        ParseDuplicates(place, word, &read.duplicates);
      },
      "what to do with rows that have equal times (default: refuse)");
  option(
      "--dates", "HOW",
      [](const Place& place, const std::string& word, ReadOptions& read) {
        ParseDates(place, word, &read);
      },
      "dates begin with the day (dmy) or the month (mdy); or times are epoch seconds (epoch, "
      "epoch-ms) or plain numbers (number) (default: found)");
  option(
      "--time-unit", "UNIT",
      [](const Place& place, const std::string& word, ReadOptions& read) {
        if (!SecondsOf(word)) Refuse(place, word, "seconds, minutes, hours, days or years");
        read.time_unit = word;
      },
      "unit of times that are dates: seconds, minutes, hours, days or years (default: by their "
      "spacing)");
  option("--part", "NAME", name(&ReadOptions::part),
         "data set of an archive that has several: train, validation, test, ...");
  option("--frame-rate", "X", number(&ReadOptions::frame_rate),
         "frames per second of motion capture (default: 120)");
}

void AddReadOptions(CLI::App* command, ReadChanges* changes,
                    const std::vector<std::string>& without) {
  AddReadOptions(
      command, [changes](ReadChange change) { changes->push_back(std::move(change)); }, without);
}

ReadOptions Changed(ReadOptions options, const ReadChanges& changes) {
  for (const ReadChange& change : changes) change(options);
  return options;
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
