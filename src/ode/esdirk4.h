// An implicit Runge-Kutta method for stiff systems: ESDIRK4(3)6L[2]SA.
//   C. A. Kennedy, M. H. Carpenter (2003), Additive Runge-Kutta schemes for convection-diffusion-
//   reaction equations, Applied Numerical Mathematics 44: the implicit half of ARK4(3)6L[2]SA.
//
// The method is L-stable and has order 4, with an embedded method of order 3. The first of its six
// stages is explicit, and the others share the diagonal coefficient gamma = 1/4. Stage i solves
//
//   Y_i = r_i + h gamma k_i,   k_i = f(t + c_i h, Y_i),   r_i = x + h sum_{j<i} a_ij k_j
//
// by a simplified Newton method with the exact Jacobian of the field at the start of the step,
// which is computed again if convergence is slow. The last stage is the end of the step (the method
// is stiffly accurate). If a stage does not converge, the step is rejected. The error estimate is
// multiplied by (I - h gamma J)^-1, so that stiff components do not make steps small. Dense output
// is the cubic Hermite polynomial through the states and slopes at both ends.
//
// The reverse follows from the implicit function theorem. With the cotangents bY_i and bk_i,
//
//   (I - h gamma J_i)^T l = bY_i + J_i^T bk_i,   g = bk_i + h gamma l,
//   br_i = bY_i + J_i^T g,                       bparameters += (df/dparameters)^T g
//
// which needs the Jacobian of each stage, but no second derivatives.
//
// Thread safety: that of Stepper.
//
//   Solver solver({.method = Method::kEsdirk4});
#pragma once

#include "gpode/stepper.h"

namespace gpode {

class Esdirk4 final : public Stepper {
 public:
  std::string_view name() const override { return "esdirk4"; }
  int order() const override { return 4; }
  bool has_error_estimate() const override { return true; }
  std::size_t most_evaluations() const override;
  std::size_t closing() const override;
  std::size_t memory_size(const Field& field, std::size_t n) const override;
  double Advance(Step& step) const override;
  void Interpolate(Step& step, double theta, std::span<double> y) const override;
  void ReverseAdvance(StepReverse& step) const override;
  void ReverseInterpolate(StepReverse& step, double theta,
                          std::span<const double> by) const override;
};

}  // namespace gpode
