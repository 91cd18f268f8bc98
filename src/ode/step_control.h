// Control of the step size. See Hairer, Norsett, Wanner: Solving Ordinary Differential Equations,
// volume I, section II.4 (norms, first step) and volume II, section IV.2 (PI control).
#pragma once

#include <cstddef>
#include <span>

namespace gpode {

// Returns the size of an error estimate e relative to the tolerances, where x and y are the states
// before and after the step: the largest over the states of a batch of
//   sqrt(mean_i (e_i / (atol + rtol max(|x_i|, |y_i|)))^2),
// where i runs over the `dim` components of a state; or NaN if an e_i is NaN.
double ErrorNorm(std::span<const double> e, std::span<const double> x, std::span<const double> y,
                 std::size_t dim, double atol, double rtol);

// Proportional-integral control of the step size h, for an error that shrinks like h^error_power.
//
//   StepControl control(5);
//   h *= error <= 1 ? control.Accept(error) : control.Reject(error);
class StepControl {
 public:
  explicit StepControl(int error_power) : power_(error_power) {}

  // Returns the ratio of the next step's size to that of an accepted step, whose ErrorNorm is
  // `error` (at most 1).
  double Accept(double error);
  // Returns the factor, less than 1, by which a rejected step is to be shortened. It is smallest if
  // the error is not finite.
  double Reject(double error);

 private:
  double power_;
  double last_error_ = 1e-4;
  bool rejected_ = false;
};

}  // namespace gpode
