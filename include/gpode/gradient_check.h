// Compares a gradient that was derived by hand with finite differences of the function.
//
// Each entry is differentiated numerically by Ridders' method: central differences
//   A_k0 = (f(x + h_k e_i) - f(x - h_k e_i)) / (2 h_k),    h_k = h_0 / 2^k,
// are extrapolated to h = 0 by Neville's rule
//   A_kj = (4^j A_k,j-1 - A_k-1,j-1) / (4^j - 1),
// and the A_kj with the smallest estimated error is taken. That error is the larger of the
// distances of A_kj from the two entries it is computed from, plus the rounding error of f divided
// by h_k. If the estimated error is too large, or f is not finite at x +- h_k e_i, the table is
// computed again with smaller steps. For smooth functions whose values are not huge compared with
// their derivatives, relative errors of 1e-9 are typical.
//   C. J. F. Ridders (1982), Accurate computation of F'(x) and F'(x)F''(x), Adv. Eng. Software
//   4(2).
//
// The relative error of an entry is
//   |analytic - numeric| / max(|analytic|, |numeric|, scale),
//   scale = max(relative_floor * largest |entry| of both gradients, absolute_floor).
// The rounding error of f is the same for every entry, so an entry that is far smaller than the
// largest one has fewer correct digits. The error of an entry below `scale` is therefore divided by
// `scale`.
//
// Shapes: point, gradient (n). A check takes 2 * levels * n evaluations of f, and up to
// (1 + restarts) times as many if derivatives are hard to compute or zero.
// Thread safety: any thread may call CheckGradient, which calls `value` (f) on that thread only.
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
  int restarts = 2;              // the most further tables, each with smaller steps
  double relative_floor = 1e-3;  // see above; with 0 every error is divided by its own entry
  double absolute_floor = 0.0;   // see above; needed where the whole gradient vanishes
};

struct GradientCheck {
  double max_relative_error = 0.0;  // infinite when an entry is not finite
  std::size_t worst_index = 0;      // the entry with that error, whose two derivatives follow
  double analytic = 0.0;
  double numeric = 0.0;
  double numeric_error = 0.0;  // estimated error of `numeric`
  std::string message;         // one line about the worst entry

  bool ok(double tolerance) const { return max_relative_error <= tolerance; }
};

// Throws an InputError if the sizes differ or are zero.
GradientCheck CheckGradient(const std::function<double(std::span<const double>)>& value,
                            std::span<const double> point, std::span<const double> gradient,
                            const GradientCheckOptions& options = {});

}  // namespace gpode
