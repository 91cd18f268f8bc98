// Natural-gradient steps of scale parameters, as steps of their logarithm.
//
// For n residuals r with r ~ N(0, variance), the natural gradient of the mean log density with
// respect to log variance is  E r^2 / variance - 1:  a step of size one would go to the maximum,
// smaller ones follow it as an average over steps does. It needs no learning rate of its own and
// does not care for the units.
#pragma once

#include <algorithm>

namespace gpode {

// Of what is left to go, in one step; and the most that a logarithm may move.
inline constexpr double kNaturalRate = 0.03;

// The step of log variance where `ratio` is E r^2 / variance.
inline double NaturalLogStep(double ratio) {
  return kNaturalRate * std::clamp(ratio - 1.0, -1.0, 1.0);
}

}  // namespace gpode
