// The seasonal forecast, which repeats the values observed one period earlier.
//
// It is one of the simple forecasts with which the forecasts of a learnt field are compared. The
// period is given, or estimated from the autocorrelation of the data.
//
// Thread safety: all functions may be called from any thread.
//
//   const double period = GuessPeriod(data);  // 0 if there is none
//   Matrix forecast = SeasonalValues(data.trajectories[0], period, times);
#pragma once

#include <span>

#include "gpode/dataset.h"

namespace gpode {

// Estimates the period of the data, in units of their time. It is the lag of the first of the
// highest peaks in the autocorrelation of the longest trajectory, averaged over the channels.
// Returns 0 if the peak is below 0.3, or if the trajectory is shorter than two periods.
double GuessPeriod(const Dataset& data);

// Returns the forecast (T, channels): for each of `times`, the values of the trajectory,
// interpolated linearly, at the latest time before its end that is a whole number of periods
// earlier. A channel without any value is NaN. Throws an InputError unless the period is positive.
Matrix SeasonalValues(const Trajectory& seen, double period, std::span<const double> times);

}  // namespace gpode
