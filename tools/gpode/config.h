// Configuration files: everything that `gpode fit` needs to repeat a run, as TOML.
//
//   bound = "shooting"            # every member of FitOptions, see docs/formats.md
//   steps = 20000
//   data.files = ["a.csv"]        # the data files, and the options for reading them
//   data.time = "t"
//
// Thread safety: plain values and functions.
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

// The prefix of names that say how long a run took (sidecar.h), which are ignored here.
inline constexpr std::string_view kTimingPrefix = "timing.";

// The accepted values of the time of the initial state.
inline constexpr std::string_view kInitialWords = "first, gap or a time";
bool IsInitial(std::string_view word);

struct RunConfig {
  FitOptions fit;
  std::vector<std::string> files;
  ReadOptions read;
  std::string validation;         // a file; empty: none
  std::string initial = "first";  // the time of the initial state: "first", "gap" or a time
  // The data that are held back from training: a share of each trajectory's rows, such as 0.2 or
  // 20%, or all rows after a time; empty: none.
  std::string holdout, holdout_after;
  bool refit = true;  // learn from all data after the comparison with held-back ones
};

// The accepted values of `holdout`.
inline constexpr std::string_view kShareWords =
    "a share of the rows above 0 and up to 0.9, such as 0.2 or 20%";
// Returns the share, or nothing if the word is not one.
std::optional<double> ParseShare(std::string_view word);

// Returns which data are held back, if any. The words must be valid.
std::optional<HoldoutOptions> HoldoutOf(const RunConfig& config);

// Returns `base` with the values that the file sets. Unknown names and invalid values are
// InputErrors with file and line.
RunConfig ReadConfig(const std::filesystem::path& path, const RunConfig& base);

// Returns the text of a configuration file that begins with a comment.
std::string ConfigText(const RunConfig& config, std::string_view comment);

}  // namespace gpode::tool
