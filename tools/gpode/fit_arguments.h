// The options of `gpode fit`. Every member of FitOptions has one; common ones have names and help
// texts of their own.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "config.h"

namespace gpode::tool {

struct FitArguments {
  std::vector<std::string> files;
  std::string out, config, validation;
  std::string model = "auto";  // "auto" or a name of ListModels
  std::optional<std::string> holdout, holdout_after;
  bool resume = false, no_refit = false;
  double checkpoint_seconds = 5;
  CommonOptions common;
  // The changes that words make to the configuration file, in the order of the words.
  std::vector<std::function<void(RunConfig&)>> changes;
  std::optional<std::string> observe;  // parsed when the channels are known
};

void AddFitOptions(CLI::App* command, FitArguments* arguments);

// Returns the defaults, changed by the configuration file and then by the words.
RunConfig ConfigOf(const FitArguments& arguments);

// Sets the observation map y = C x from "identity", "pca", rows "1,0;0,1" or an .npy file. Without
// any of these it follows from the numbers of channels and states.
void SetObservation(const std::optional<std::string>& observe, std::size_t channels,
                    FitOptions* options);

}  // namespace gpode::tool
