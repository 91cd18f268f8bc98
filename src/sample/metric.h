// The mass matrix M of a Hamiltonian sampler, and the moments of draws from which it is set.
//
// M^-1 should be near the covariance of the target: a trajectory then goes equally far, in standard
// deviations, in every direction.
#pragma once

#include <Eigen/Cholesky>
#include <cstddef>

#include "gpode/nuts.h"

namespace gpode {

// Running mean and (co)variance (Welford).
class DrawMoments {
 public:
  DrawMoments(std::size_t dim, MassMatrix kind);

  void Add(const Vector& draw);
  void Clear();
  std::size_t count() const { return count_; }

  // The estimate of M^-1, (1, n) or (n, n), shrunk towards 1e-3 as if five draws had said so
  // (Stan); one where there are not two draws.
  Matrix InverseMass() const;

 private:
  MassMatrix kind_;
  std::size_t count_ = 0;
  Vector mean_, delta_;
  Matrix squares_;  // sums of squared deviations: (1, n) or (n, n)
};

class Metric {
 public:
  Metric(std::size_t dim, MassMatrix kind);

  std::size_t dim() const { return static_cast<std::size_t>(inverse_mass_.cols()); }
  const Matrix& inverse_mass() const { return inverse_mass_; }
  // (1, n) or (n, n). One that is not finite and positive definite is left out: false.
  bool Set(const Matrix& inverse_mass);

  // M^-1 p.
  void Velocity(const Vector& momentum, Vector& velocity) const;
  // p ~ N(0, M), made of standard normals in place.
  void ToMomentum(Vector& normals) const;

 private:
  MassMatrix kind_;
  Matrix inverse_mass_;     // (1, n); dense: (n, n)
  Vector deviations_;       // of the diagonal of M^-1
  Eigen::MatrixXd factor_;  // dense: L, L L^T = M^-1
};

}  // namespace gpode
