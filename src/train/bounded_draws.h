// Removes draws whose solutions leave the range of the data soon after the data.
//
// Most observed systems stay in a bounded region. A Gaussian process does not know that: beside the
// path of one trajectory its field is nearly free, so that many posterior draws leave the path
// where the data end, above all where the system comes to rest. The prior of a sampled process is
// therefore restricted. Let e be the largest distance of the solutions from the range of the data,
// in units of that range (the largest over states and trajectories), while they continue the data
// for kSpans times the time that the data span. The prior density is multiplied by
//
//   1        if e <= kNear,
//   leaving  otherwise: the option prior.leaving, 0.1 by default,
//   0        if e > kMostAway and the kernel has a polynomial part of degree two or three, whose
//            solutions can go to infinity in finite time.
//
// Draws are kept with a probability proportional to that factor, which is rejection sampling from
// the posterior under that prior. `leaving` is not zero because some systems do leave the range of
// their data, such as growing populations. If the share of draws with e <= kNear is less than
// kLeastNear, the data contradict the restriction, and `leaving` is taken as 1.
//
// Thread safety: any thread may call these functions.
//
//   KeepBoundedDraws(trajectories, start.states, model);
#pragma once

#include <span>
#include <vector>

#include "data/segments.h"
#include "gpode/field.h"
#include "gpode/model.h"

namespace gpode {

// The time after the data for which the restriction holds, in units of the time that the data span.
inline constexpr double kSpans = 1.25;
// Distances from the range of the data, in units of that range.
inline constexpr double kNear = 1, kMostAway = 10;
// The smallest share of draws near the range that does not contradict the restriction.
inline constexpr double kLeastNear = 1.0 / 3;

// Returns the factor of the prior density of a draw whose solutions are at most `distance` away.
// `degree` is that of the kernel's polynomial part.
double BoundedWeight(double distance, std::size_t degree, double leaving);

// Returns the distance of a path (times, D) from the range of the states seen (T, D), in units of
// that range; infinity if the path is not finite. States that do not vary are left out.
double DistanceFromRange(const Matrix& path, const Matrix& seen);

// Returns the distance, from the range of the states seen (T, D), of the solution that starts at
// `from` and takes the time `span`; infinity if it fails. Once the distance exceeds kMostAway, the
// solution is followed no further.
double DistanceOfSolution(const Field& field, std::span<const double> from, double span,
                          const Matrix& seen, const SolverOptions& options);

// Removes rows of model.draws. `states` are the smoothed states (T, D) of each trajectory in the
// model's coordinates. Does nothing if equations are known, if the posterior does not sample the
// residual of the unknown function, if the system has inputs, which are not known beyond the data,
// or if channels are learnt by their logarithm or square root: what decays leaves the range of its
// logarithms.
void KeepBoundedDraws(const std::vector<TimedValues>& trajectories,
                      const std::vector<Matrix>& states, Model& model);

}  // namespace gpode
