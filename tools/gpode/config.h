// Configuration files: all that `gpode fit` needs to repeat a run, as TOML.
//
//   bound = "shooting"            # every member of FitOptions, see docs/formats.md
//   steps = 20000
//   data.files = ["a.csv"]        # and how the data are read
//   data.time = "t"
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/data_files.h"
#include "gpode/model.h"

namespace gpode::tool {

// Names of a configuration file that say how long a run took, see sidecar.h; passed over here.
inline constexpr std::string_view kTimingPrefix = "timing.";

// When the initial state may be.
inline constexpr std::string_view kInitialWords = "first, gap or a time";
bool IsInitial(std::string_view word);

struct RunConfig {
  FitOptions fit;
  std::vector<std::string> files;
  ReadOptions read;
  std::string validation;         // a file, or none
  std::string initial = "first";  // when the initial state is: "first", "gap" or a time
};

// `base` with what the file sets. Unknown names and impossible values are errors with file and
// line.
RunConfig ReadConfig(const std::filesystem::path& path, const RunConfig& base);

// All of it; `comment` comes first.
std::string ConfigText(const RunConfig& config, std::string_view comment);

}  // namespace gpode::tool
