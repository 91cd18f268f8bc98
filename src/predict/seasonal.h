// The seasonal forecast: what was observed one period before.
//
// It is one of the simple forecasts that those of a learnt field are compared with. The period is
// given, or guessed from the autocorrelation of the data.
//
// Thread safety: all functions may be called from any thread.
//
//   const double period = GuessPeriod(data);  // 0 if there is none
//   Matrix forecast = SeasonalValues(data.trajectories[0], period, times);
#pragma once

#include <span>

#include "gpode/dataset.h"

namespace gpode {

// Returns the period of the data, in units of their time, or 0 if none is visible. It is the first
// of the highest peaks of the autocorrelation of the longest trajectory, averaged over the
// channels, if the peak is at least 0.3 and the trajectory is at least twice as long.
double GuessPeriod(const Dataset& data);

// Returns (T, channels): the values of a trajectory at the latest times before its end that are a
// whole number of periods before `times`, interpolated linearly. A channel without any value is
// NaN. Throws an InputError unless the period is positive.
Matrix SeasonalValues(const Trajectory& seen, double period, std::span<const double> times);

}  // namespace gpode
