// The Hamiltonian system of a target density pi: its energy H and leapfrog steps of its equations
// of motion, for a position q, a momentum p and a mass matrix M (metric.h).
//
//   H(q, p) = -log pi(q) + p^T M^-1 p / 2
//   dq/dt = M^-1 p,  dp/dt = d log pi / dq
#pragma once

#include <cstddef>

#include "gpode/nuts.h"
#include "sample/metric.h"

namespace gpode {

struct PhasePoint {
  Vector position, momentum, gradient;  // (n); the gradient is that of log pi at the position
  double log_density = 0;

  explicit PhasePoint(std::size_t dim = 0);
};

class Hamiltonian {
 public:
  Hamiltonian(std::size_t dim, MassMatrix mass_matrix, LogDensity target);

  std::size_t dim() const { return metric_.dim(); }
  Metric& metric() { return metric_; }
  const Metric& metric() const { return metric_; }
  std::size_t evaluations() const { return evaluations_; }
  void set_evaluations(std::size_t evaluations) { evaluations_ = evaluations; }

  // Sets the log density and its gradient at the position. If either is not finite, the log density
  // is -infinity and the gradient zero.
  void Evaluate(PhasePoint& point);
  double Energy(const PhasePoint& point);
  // Takes one leapfrog step; a negative step goes backwards in time.
  void Leapfrog(double step, PhasePoint& point);

 private:
  LogDensity target_;
  Metric metric_;
  Vector velocity_;
  std::size_t evaluations_ = 0;
};

}  // namespace gpode
