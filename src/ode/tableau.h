// Explicit Runge-Kutta methods as tables of coefficients. A step of size h from x = x(t) is
//
//   X_i = x + h sum_{j < i} a_ij k_j,   k_i = f(t + c_i h, X_i),   x(t + h) = x + h sum_i b_i k_i
//   error estimate:  h sum_i error_i k_i
//   dense output:    x(t + theta h) = x + h sum_i k_i sum_p dense_ip theta^(p+1)
//
// The nodes are c_i = sum_j a_ij.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gpode/stepper.h"

namespace gpode {

struct Tableau {
  static constexpr std::size_t kMostStages = 16;

  std::string_view name;
  int order;
  int error_power;                       // the error estimate shrinks like h^error_power
  std::size_t stages;                    // number of stages that every step evaluates
  std::size_t all_stages;                // number of stages with those that only dense output needs
  std::size_t closing;                   // the stage that is f(t + h, x(t + h)), or Stepper::kNone
  std::span<const double> c;             // (all_stages)
  std::span<const double> a;             // rows 1 .. all_stages-1 of the lower triangle
  std::span<const double> b;             // (stages)
  std::span<const double> error;         // (stages), or empty
  std::span<const double> second_error;  // (stages), or empty: DOP853's lower-order estimate
  std::span<const double> dense;         // (all_stages, degree)
  std::size_t degree;

  // Returns the coefficients a_ij, j < i, of stage i.
  const double* Row(std::size_t stage) const { return a.data() + stage * (stage - 1) / 2; }
  // Returns B_i(theta) = sum_p dense_ip theta^(p+1) of stage i.
  double DenseWeight(std::size_t stage, double theta) const {
    const double* row = dense.data() + stage * degree;
    double sum = 0;
    for (std::size_t p = degree; p-- > 0;) sum = (sum + row[p]) * theta;
    return sum;
  }
};

// Returns the tableaus of the built-in methods.
std::span<const Tableau> RungeKuttaTableaus();

}  // namespace gpode
