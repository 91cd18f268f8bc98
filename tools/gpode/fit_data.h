// Reads the data of a fit as configured, and checks that a model can be learnt from them.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config.h"

namespace gpode::tool {

// Reads the data files and inputs, sets the times of the initial states, and completes the
// configuration from the files (names of inputs, equations, the observation map). `observe` is the
// value of --observe, and `equations` the file of --equations. Adds remarks on the reading to
// `notes`.
Dataset ReadFitData(const std::optional<std::string>& observe, const std::string& equations,
                    RunConfig* config, std::vector<std::string>* notes);

// Completes the equations of a fit with the names of the data (CompleteEquations in
// gpode/fit_input.h). Error messages name `file`, the file of --equations.
void TakeEquations(const std::string& file, const Dataset& data, RunConfig* config);

// Reads the inputs from a file, whose dates are converted to the time unit of the data.
void TakeInputsFrom(const RunConfig& config, Dataset* data);

// Throws if a channel is constant or has no values, since nothing can be learnt about it. Such
// channels are accepted if principal components are observed. `rows` describes the rows of `data`
// in the message.
void CheckChannelsMove(const Dataset& data, const RunConfig& config, std::string_view rows);

}  // namespace gpode::tool
