// Regions of states on the command line, and the observed states of a model.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <string_view>

#include "arguments.h"
#include "gpode/fixed_points.h"
#include "gpode/posterior.h"

namespace gpode::tool {

// Parses "x1=-3:3,x2=0:1". States that are not named have the range of the data, enlarged by 1.3.
StateBox ParseRegion(const Place& place, std::string_view word, const Posterior& posterior,
                     const Dataset& data);

// Returns the observed states (n, D) of the training data. Rows that do not determine the state are
// left out.
Matrix ObservedStates(const Posterior& posterior, const Dataset& data);

}  // namespace gpode::tool
