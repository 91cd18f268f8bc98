// Natural-gradient steps of scale parameters, as steps of their logarithm.
//
// For n residuals r with r ~ N(0, variance), the natural gradient of the mean log density with
// respect to log variance is  E r^2 / variance - 1.  A step of size one would go to the maximum;
// smaller ones follow it as an average over steps does. Such a step needs no learning rate of its
// own and does not depend on units.
#pragma once

#include <algorithm>

namespace gpode {

// The step size, as a share of the natural gradient.
inline constexpr double kNaturalStep = 0.03;

// Returns the step of log variance where `ratio` is E r^2 / variance. The natural gradient is
// capped at one in size, so that no step is longer than kNaturalStep.
inline double NaturalLogStep(double ratio) {
  return kNaturalStep * std::clamp(ratio - 1.0, -1.0, 1.0);
}

}  // namespace gpode
