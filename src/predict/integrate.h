// Integrations of forecasts, to times on either side of the start.
#pragma once

#include <span>

#include "gpode/ode.h"

namespace gpode {

// Throws an InputError unless the times are finite and do not decrease.
void CheckForecastTimes(std::span<const double> times);

// Computes the states (T, D) at non-decreasing times on either side of 0, where the state is x0.
// Returns false if the integration failed before one of them.
bool IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                       std::span<const double> times, std::span<double> states);

}  // namespace gpode
