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

// Reads a model; with `raw` its bands are not widened. If there are given data, conditions the model on
// them and makes them its data: the result forecasts their trajectories. Prints what came of it,
// warnings even with --quiet. Inputs are those of the given files or, if these have none, those of
// --inputs-from. `changes` are the options for reading that the command line has.
TrainedModel LoadConditioned(const std::string& command, const std::string& file, bool raw,
                             const GivenArguments& given, const ReadChanges& changes,
                             const InputArguments& inputs, std::size_t draws,
                             const CommonOptions& common);

}  // namespace gpode::tool
