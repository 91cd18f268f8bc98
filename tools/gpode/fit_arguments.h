// The options of `gpode fit`. Every member of FitOptions has an option. Its name and help text come
// from the table of ListOptions, but are written by hand for frequently used options.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "config.h"
#include "gpode/training.h"

namespace gpode::tool {

struct FitArguments {
  std::vector<std::string> files;
  std::string first_file;  // a data file that follows --positive; see TakePositive
  std::string out, config, validation;
  std::string model = "auto";  // "auto" or a name of ListModels
  std::optional<std::string> holdout, holdout_after;
  bool resume = false, no_refit = false, force = false;
  double checkpoint_seconds = 5;
  Device device = Device::kCpu;
  CommonOptions common;
  // The changes that the command line makes to the configuration, in the order of its options.
  std::vector<std::function<void(RunConfig&)>> changes;
  std::vector<std::string> given;      // names of the members of FitOptions that `changes` sets
  std::string equations;               // the file of --equations
  std::optional<std::string> observe;  // the word of --observe, parsed when the channels are known
};

void AddFitOptions(CLI::App* command, FitArguments* arguments);
// Each function adds some of these options to a command that trains models: the options of the
// model and its training, those of held-back data (`help` ends the help text of --holdout), and
// those for reading data, which override a configuration file.
void AddModelOptions(CLI::App* command, FitArguments* arguments);
void AddHoldout(CLI::App* command, FitArguments* arguments, const std::string& help);
void AddDataOptions(CLI::App* command, FitArguments* arguments);

// Returns the default configuration, changed by the configuration file and then by the options of
// the command line.
RunConfig ConfigOf(const FitArguments& arguments);

// Sets the observation map y = C x from "identity", "pca", the rows of C as in "1,0;0,1", or an
// .npy file that holds C. Without --observe, channels are the first states, in order.
void SetObservation(const std::optional<std::string>& observe, std::size_t channels,
                    FitOptions* options);

}  // namespace gpode::tool
