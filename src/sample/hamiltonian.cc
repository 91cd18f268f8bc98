// The dynamics of the sampler, not of the model: the model's ODE is solved in ode/solver.cc.
#include "sample/hamiltonian.h"

#include <cmath>
#include <limits>
#include <utility>

namespace gpode {

PhasePoint::PhasePoint(std::size_t dim)
    : position(Vector::Zero(static_cast<Eigen::Index>(dim))),
      momentum(position),
      gradient(position) {}

Hamiltonian::Hamiltonian(std::size_t dim, MassMatrix mass_matrix, LogDensity target)
    : target_(std::move(target)),
      metric_(dim, mass_matrix),
      velocity_(Vector::Zero(static_cast<Eigen::Index>(dim))) {}

void Hamiltonian::Evaluate(PhasePoint& point) {
  ++evaluations_;
  point.log_density = target_({point.position.data(), dim()}, {point.gradient.data(), dim()});
  if (std::isfinite(point.log_density) && point.gradient.allFinite()) return;
  point.log_density = -std::numeric_limits<double>::infinity();
  point.gradient.setZero();
}

double Hamiltonian::Energy(const PhasePoint& point) {
  metric_.Velocity(point.momentum, velocity_);
  return 0.5 * point.momentum.dot(velocity_) - point.log_density;
}

void Hamiltonian::Leapfrog(double step, PhasePoint& point) {
  point.momentum += 0.5 * step * point.gradient;
  metric_.Velocity(point.momentum, velocity_);
  point.position += step * velocity_;
  Evaluate(point);
  point.momentum += 0.5 * step * point.gradient;
}

}  // namespace gpode
