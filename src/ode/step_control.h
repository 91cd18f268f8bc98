// Control of the step size. See Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I,
// sections II.4 (norms, first step) and IV.2 of volume II (PI control).
#pragma once

#include <cstddef>
#include <span>

namespace gpode {

// Returns the largest over the states of a batch of
//   sqrt(mean_i (e_i / (atol + rtol max(|x_i|, |y_i|)))^2),
// or NaN if any e is NaN.
double ErrorNorm(std::span<const double> e, std::span<const double> x, std::span<const double> y,
                 std::size_t dim, double atol, double rtol);

// Proportional-integral control of the step size, for an error that shrinks like h^error_power.
//
//   StepControl control(5);
//   h *= error <= 1 ? control.Accept(error) : control.Reject(error);
class StepControl {
 public:
  explicit StepControl(int error_power) : power_(error_power) {}

  // Returns the factor for the next step after an accepted one with this error (1 is just
  // acceptable).
  double Accept(double error);
  // Returns the factor for trying again. An error that is not finite shrinks the step most.
  double Reject(double error);

 private:
  double power_;
  double last_error_ = 1e-4;
  bool rejected_ = false;
};

}  // namespace gpode
