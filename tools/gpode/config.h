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
#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"
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
};

// Returns `base` with the values that the file sets. Unknown names and invalid values are
// InputErrors with file and line.
RunConfig ReadConfig(const std::filesystem::path& path, const RunConfig& base);

// Returns the text of a configuration file that begins with a comment.
std::string ConfigText(const RunConfig& config, std::string_view comment);

}  // namespace gpode::tool
