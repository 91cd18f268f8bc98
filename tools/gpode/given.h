// The option --given: new observations on which a model is conditioned before it forecasts
// (gpode/condition.h).
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <string>
#include <vector>

#include "commands.h"
#include "future_inputs.h"
#include "gpode/model_file.h"

namespace gpode::tool {

struct GivenArguments {
  std::vector<std::string> files;  // empty if the option is not given
};

// Adds --given.
void AddGivenOption(CLI::App* command, GivenArguments* arguments);

// Reads a model. If `raw` is true, its bands are not widened. If there are given data, conditions
// the model on them and replaces its data by them, so that the result forecasts their trajectories.
// Prints a summary of the conditioning, and warnings even with --quiet. Inputs are those of the
// given files or, if these have none, those of --inputs-from. `changes` are the reading options of
// the command line.
TrainedModel LoadConditioned(const std::string& command, const std::string& file, bool raw,
                             const GivenArguments& given, const ReadChanges& changes,
                             const InputArguments& inputs, std::size_t draws,
                             const CommonOptions& common);

}  // namespace gpode::tool
