// The start values of the process noise (data/noise_pieces.h) for a sampler.
#pragma once

#include <span>
#include <vector>

#include "data/noise_pieces.h"
#include "data/segments.h"
#include "gpode/field.h"
#include "gpode/matrix.h"
#include "gpode/ode.h"

namespace gpode {

// Returns the number of pieces of each trajectory: its number of intervals between observations,
// but at most 40 over the number of trajectories, or at most 4 if that is more. Returns nothing if
// a trajectory has only one time.
std::vector<std::size_t> ChoosePieces(const std::vector<TimedValues>& trajectories);

// Returns the force (P, D) with which the solution of `field` that starts at x0 (D) at time zero
// passes through `targets` (P, D) at the ends (P) of the pieces. If a piece cannot be integrated,
// the force is zero on it and on all later pieces.
std::vector<double> ForceThrough(const Field& field, std::span<const double> x0,
                                 std::span<const double> ends, const Matrix& targets,
                                 const SolverOptions& options, const InputSignal* inputs = nullptr);

}  // namespace gpode
