// Explicit Runge-Kutta methods as steppers. The formulas are in tableau.h.
//
// The reverse of a step, given the cotangents bnext of its end and by_o of its dense outputs o at
// theta_o (B_i(theta) is tableau.h's weight of k_i in the dense output):
//   bk_i = h b_i bnext + h sum_o B_i(theta_o) by_o,      bx = bnext + sum_o by_o
//   for i from the last stage to the first:  bX = (df/dx)^T bk_i,  bx += bX,  bk_j += h a_ij bX
//
// Thread safety: as for Stepper.
//
//   RungeKutta method(tableau);
//   RegisterStepper(std::make_unique<RungeKutta>(tableau));
#pragma once

#include "gpode/stepper.h"
#include "ode/tableau.h"

namespace gpode {

class RungeKutta final : public Stepper {
 public:
  // The tableau must outlive the stepper.
  explicit RungeKutta(const Tableau& tableau) : tableau_(tableau) {}

  const Tableau& tableau() const { return tableau_; }

  std::string_view name() const override { return tableau_.name; }
  int order() const override { return tableau_.order; }
  bool has_error_estimate() const override { return !tableau_.error.empty(); }
  int error_power() const override { return tableau_.error_power; }
  std::size_t most_evaluations() const override { return tableau_.all_stages; }
  std::size_t closing() const override { return tableau_.closing; }
  double Advance(Step& step) const override;
  // Compares the slopes and states of the last two stages if these are at the same time, and
  // returns zero otherwise (Hairer, Wanner, Solving ordinary differential equations II, IV.2).
  double Stiffness(Step& step) const override;
  void Interpolate(Step& step, double theta, std::span<double> y) const override;
  void ReverseAdvance(StepReverse& step) const override;
  void ReverseInterpolate(StepReverse& step, double theta,
                          std::span<const double> by) const override;

 private:
  void EvaluateStage(Step& step, std::size_t stage) const;

  const Tableau& tableau_;
};

}  // namespace gpode
