// How long a step may be. See Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I,
// sections II.4 (norms, first step) and IV.2 of volume II (PI control).
#pragma once

#include <cstddef>
#include <span>

#include "ode/tableau.h"

namespace gpode {

// The largest over the states of a batch of  sqrt(mean_i (e_i / (atol + rtol max(|x_i|,
// |y_i|)))^2). NaN if any e is.
double ErrorNorm(std::span<const double> e, std::span<const double> x, std::span<const double> y,
                 std::size_t dim, double atol, double rtol);

// Proportional-integral control of the step size.
class StepControl {
 public:
  explicit StepControl(int error_power) : power_(error_power) {}

  // The factor for the next step after an accepted one with this error (1 is just acceptable).
  double Accept(double error);
  // The factor for trying again; an error that is not finite shrinks the step most.
  double Reject(double error);

 private:
  double power_;
  double last_error_ = 1e-4;
  bool rejected_ = false;
};

}  // namespace gpode
