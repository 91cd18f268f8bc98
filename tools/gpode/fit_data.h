// The data of a fit: reads them as the configuration says, and checks what can be learnt from them.
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
// configuration with what the files say (names of inputs, equations, the observation map). `observe`
// is the word of --observe, `equations` the file of --equations. Remarks on the reading are added to
// `notes`.
Dataset ReadFitData(const std::optional<std::string>& observe, const std::string& equations,
                    RunConfig* config, std::vector<std::string>* notes);

// Completes the equations of a fit with what the data say (gpode/fit_input.h). Messages name
// `file`, the file of --equations.
void TakeEquations(const std::string& file, const Dataset& data, RunConfig* config);

// Takes the inputs from a file, whose dates are counted as those of the data.
void TakeInputsFrom(const RunConfig& config, Dataset* data);

// Throws if a channel is constant or has no values, since nothing can be learnt about it. With
// principal components such channels do no harm. `rows` names the rows that `data` has, for the
// message.
void CheckChannelsMove(const Dataset& data, const RunConfig& config, std::string_view rows);

}  // namespace gpode::tool
