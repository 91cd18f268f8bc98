// The integration of a forecast, forwards and backwards from its start.
#pragma once

#include <span>

#include "gpode/ode.h"

namespace gpode {

// Throws an InputError unless the times are finite and do not decrease.
void CheckForecastTimes(std::span<const double> times);

// Computes the states (T, D) at non-decreasing times, positive or negative, of the solution that is
// x0 at time 0. Returns kOk if the integration reached all times, and otherwise its failure;
// kTooManySteps only if there was no other failure. States that were not reached are NaN.
SolveStatus IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                              std::span<const double> times, std::span<double> states);

// Returns that one of two statuses which says more about a draw: a failure rather than success, and
// any other failure rather than kTooManySteps.
SolveStatus Worse(SolveStatus one, SolveStatus other);

// Returns the number of steps that a solver may take for this span of time: `steps` for spans up to
// `usual`, and for longer spans more in proportion, up to ten million or `steps` if that is more.
std::size_t AllowedSteps(std::size_t steps, double span, double usual);

}  // namespace gpode
