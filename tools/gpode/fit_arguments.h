// The options of `gpode fit`: every member of FitOptions has one, the common ones with names and
// help of their own.
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
  std::string model = "auto";  // a name of ListModels, or auto
  bool resume = false;
  double checkpoint_seconds = 5;
  Common common;
  // What the words set, in the order they were read; applied over the configuration file.
  std::vector<std::function<void(RunConfig&)>> changes;
  std::optional<std::string> observe;  // once the channels are known
};

void AddFitOptions(CLI::App* command, FitArguments* arguments);

// Defaults, then the configuration file, then the words.
RunConfig ConfigOf(const FitArguments& arguments);

// y = C x from "identity", "pca", rows "1,0;0,1" or an .npy file, for so many channels; what is not
// said follows from the number of states.
void SetObservation(const std::optional<std::string>& observe, std::size_t channels,
                    FitOptions* options);

}  // namespace gpode::tool
