// Configuration files: everything that `gpode fit` needs to repeat a run, as TOML.
//
//   bound = "shooting"            # every member of FitOptions, see docs/formats.md
//   steps = 20000
//   data.files = ["a.csv"]        # the data files, and the options for reading them
//   data.time = "t"
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"
#include "gpode/holdout.h"
#include "gpode/model.h"

namespace gpode::tool {

// The prefix of the names of a sidecar's times (sidecar.h). These times are ignored when a sidecar
// is read as a configuration file.
inline constexpr std::string_view kTimingPrefix = "timing.";
// The name of the list of checksums in a sidecar (sidecar.h). It is ignored in the same way.
inline constexpr std::string_view kChecksums = "model.checksums";

// The accepted values of the time of the initial state.
inline constexpr std::string_view kInitialWords = "first, gap or a time";
bool IsInitial(std::string_view word);
// Returns true for a number or a date.
bool IsTime(std::string_view word);

struct RunConfig {
  FitOptions fit;
  std::vector<std::string> files;
  ReadOptions read;
  std::string inputs_from;        // the file of the inputs; empty if they are in the data files
  std::string validation;         // the file of validation data; empty if there is none
  std::string initial = "first";  // the time of the initial state: "first", "gap" or a time
  // The data that are held back from training: a share of each trajectory's rows, such as 0.2 or
  // 20%, or all rows after a time. Both are empty if no data are held back.
  std::string holdout, holdout_after;
  bool refit = true;  // if true, trains again on all data after the comparison with held-back ones
};

// The accepted values of `holdout`.
inline constexpr std::string_view kShareWords =
    "a share of the rows above 0 and up to 0.9, such as 0.2 or 20%";
// Returns the share that the word stands for, or nothing if it is not valid.
std::optional<double> ParseShare(std::string_view word);

// Returns which data are held back, or nothing if none are. The texts must have been checked. The
// calendar turns dates into times.
std::optional<HoldoutOptions> HoldoutOf(const RunConfig& config, const Calendar& calendar);

// Returns `base` with the values that the file sets. Throws an InputError with file and line for
// unknown names and invalid values.
RunConfig ReadConfig(const std::filesystem::path& path, const RunConfig& base);

// Returns the text of a configuration file, which begins with this comment.
std::string ConfigText(const RunConfig& config, std::string_view comment);

}  // namespace gpode::tool
