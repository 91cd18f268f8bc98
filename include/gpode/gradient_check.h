// Compares a gradient somebody derived by hand with what the function itself says.
//
// Each entry is differentiated numerically by Ridders' method: central differences
//   A_k0 = (f(x + h_k e_i) - f(x - h_k e_i)) / (2 h_k),    h_k = h_0 / 2^k,
// are extrapolated to h = 0 by Neville's rule
//   A_kj = (4^j A_k,j-1 - A_k-1,j-1) / (4^j - 1),
// and the A_kj with the smallest estimated error is taken: its distance from the two entries it was
// made of, plus the rounding error of f divided by h_k. When that is not good enough, or f is not
// finite so far from x, the whole table is made again with smaller steps. On smooth functions whose
// values are not huge beside their derivatives, 1e-9 relative is the rule.
//   C. J. F. Ridders (1982), Accurate computation of F'(x) and F'(x)F''(x), Adv. Eng. Software
//   4(2).
//
// The relative error of an entry is
//   |analytic - numeric| / max(|analytic|, |numeric|, scale),
//   scale = max(relative_floor * largest |entry| of both gradients, absolute_floor):
// f's rounding error is the same for every entry, so entries far below the largest one cannot be
// known to as many digits, and are judged against `scale` instead of against themselves.
//
// Shapes: point, gradient (n). Costs 2 levels n evaluations, up to (1 + restarts) times that where
// derivatives are hard or zero.
// Thread safety: no state; `value` is called from the calling thread only.
//
//   GradientCheck check = CheckGradient(bound, parameters, gradient);
//   if (!check.ok(1e-8)) fmt::print("{}\n", check.message);
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace gpode {

struct GradientCheckOptions {
  double initial_step = 0.1;     // h_0 = initial_step * max(1, |x_i|)
  int levels = 8;                // step sizes per table, at least 2
  int restarts = 2;              // tables with smaller steps, where the first is not good enough
  double relative_floor = 1e-3;  // see above; zero judges every entry against itself
  double absolute_floor = 0.0;   // for points where the whole gradient vanishes
};

struct GradientCheck {
  double max_relative_error = 0.0;  // infinite when an entry is not finite
  std::size_t worst_index = 0;      // where that is, and both derivatives there
  double analytic = 0.0;
  double numeric = 0.0;
  double numeric_error = 0.0;  // estimated error of `numeric`
  std::string message;         // one line about the worst entry, for people

  bool ok(double tolerance) const { return max_relative_error <= tolerance; }
};

// Throws InputError when the sizes differ or there is nothing to check.
GradientCheck CheckGradient(const std::function<double(std::span<const double>)>& value,
                            std::span<const double> point, std::span<const double> gradient,
                            const GradientCheckOptions& options = {});

}  // namespace gpode
