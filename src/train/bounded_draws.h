// Removes draws whose solutions run away soon after the data.
//
// With polynomials of degree two and three, solutions can go to infinity in finite time, and the
// data of one trajectory do not rule out that this happens just after the last observation. But
// observed systems stay in a bounded region. The prior of a sampled process with such a polynomial
// is therefore restricted: solutions that continue the data for kSpans times the time that the data
// span may leave the range of each state by at most kMostAway times that range. Draws that violate
// the condition are removed, which is rejection sampling from the posterior under that prior. If
// all draws violate it, all are kept.
//
// Thread safety: any thread may call this function.
//
//   KeepBoundedDraws(trajectories, start.states, model);
#pragma once

#include <vector>

#include "data/segments.h"
#include "gpode/model.h"

namespace gpode {

// The largest distance of a solution from the range of the data, in units of that range.
inline constexpr double kMostAway = 10;
// The time after the data for which this limit holds, in units of the time that the data span.
inline constexpr double kSpans = 1.25;

// Removes rows of model.draws. `states` are the smoothed states (T, D) of each trajectory in the
// model's coordinates. Does nothing if the kernel has no polynomial part of degree two or more, or
// if the system has inputs, which are not known beyond the data.
void KeepBoundedDraws(const std::vector<TimedValues>& trajectories,
                      const std::vector<Matrix>& states, Model& model);

}  // namespace gpode
