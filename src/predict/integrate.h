// The integration of a forecast, forwards and backwards from its start.
#pragma once

#include <span>

#include "gpode/ode.h"

namespace gpode {

// Throws an InputError unless the times are finite and do not decrease.
void CheckForecastTimes(std::span<const double> times);

// Computes the states (T, D) at non-decreasing times, positive or negative, of the solution that is
// x0 at time 0. Returns false if the integration failed before it reached all times.
bool IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                       std::span<const double> times, std::span<double> states);

}  // namespace gpode
