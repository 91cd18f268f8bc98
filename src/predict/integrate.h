// Integrations as forecasts need them: to times on either side of the start.
#pragma once

#include <cstdint>
#include <span>

#include "gpode/ode.h"

namespace gpode {

// Forecasts have random streams of their own: step numbers that training never reaches.
inline constexpr std::uint64_t kForecastStep = std::uint64_t{1} << 62;

// Throws an InputError unless the times are finite and do not decrease.
void CheckForecastTimes(std::span<const double> times);

// States (T, D) at non-decreasing times on either side of 0, where the state is x0; false if it
// diverged.
bool IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                       std::span<const double> times, std::span<double> states);

}  // namespace gpode
