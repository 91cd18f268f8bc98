// Natural-gradient steps of scale parameters, as steps of their logarithm.
//
// For residuals r ~ N(0, variance), the natural gradient of the mean log density with respect to
// log variance is  E r^2 / variance - 1.  To first order, a step of size one reaches the maximum,
// variance = E r^2. With steps of size a, the variance follows a running average of E r^2 over
// about 1 / a steps. Such a step needs no learning rate of its own and does not depend on units.
#pragma once

#include <algorithm>

namespace gpode {

// The step size a.
inline constexpr double kNaturalStep = 0.03;

// Returns the step of log variance, where `ratio` is E r^2 / variance. The natural gradient is
// limited to [-1, 1], so that a few huge residuals cannot inflate the variance in one step.
inline double NaturalLogStep(double ratio) {
  return kNaturalStep * std::clamp(ratio - 1.0, -1.0, 1.0);
}

}  // namespace gpode
