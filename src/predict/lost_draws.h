// Quantiles of forecasts some of whose draws are lost, because their integration failed. Nobody
// knows on which side of a band a lost draw would be (gpode/forecast.h).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "gpode/forecast.h"

namespace gpode {

// Returns true if fewer than 1 - kMostLost of the draws, or none, are kept.
inline bool AreTooManyLost(std::size_t kept, std::size_t draws) {
  return kept == 0 || static_cast<double>(draws - kept) > kMostLost * static_cast<double>(draws);
}

// Returns the level, among the kept draws, of the quantile p of all draws. Below the median, the
// lost draws count as smaller than all others, above it as larger. Returns NaN if the quantile
// would be one of the lost draws, or if too many are lost.
inline double LevelAmongKept(double p, std::size_t kept, std::size_t draws) {
  if (AreTooManyLost(kept, draws)) return std::numeric_limits<double>::quiet_NaN();
  if (kept == draws || p == 0.5) return p;
  constexpr double kRounding = 1e-9;
  const double share = static_cast<double>(kept) / static_cast<double>(draws);
  const double level = p < 0.5 ? (p - (1 - share)) / share : p / share;
  return level > kRounding && level < 1 - kRounding ? level
                                                    : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace gpode
