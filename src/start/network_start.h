// Where the training of a network starts from: random weights (Xavier), fitted to the slopes of
// smoothed data. Whole trajectories of a field that is far from the right one say little about how
// to change it.
#pragma once

#include "gpode/model.h"

namespace gpode {

// (P), in units of their prior (model/network_posterior.h); states and slopes (n, D).
Vector StartWeights(const Matrix& states, const Matrix& slopes, const FitOptions& options);

}  // namespace gpode
