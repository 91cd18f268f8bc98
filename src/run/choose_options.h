// The sizes and options by which ChooseOptions and ChooseModel decide.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/fit_options.h"

namespace gpode::internal {

// Returns the total number of rows of all trajectories.
std::size_t CountTimes(const Dataset& data);
// Returns the number of states that a model of the data would have.
std::size_t CountStates(const Dataset& data, const FitOptions& options);
// Returns true if one of the names is an option that only trained posteriors use.
bool HasTrainingOption(const std::vector<std::string>& given);

}  // namespace gpode::internal
