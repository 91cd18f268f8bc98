// The mass matrix M of a Hamiltonian sampler, and the moments of draws that it is estimated from.
//
// M^-1 should be close to the covariance of the target: a trajectory then moves by about the same
// number of standard deviations in every direction. For n coordinates, M^-1 is stored as (1, n) if
// it is diagonal and as (n, n) if it is dense.
#pragma once

#include <Eigen/Cholesky>
#include <cstddef>

#include "gpode/nuts.h"

namespace gpode {

// The running mean of draws, and their variances or covariances, by Welford's method.
struct DrawMoments {
  MassMatrix kind;
  std::size_t count = 0;
  Vector mean;
  // Sums of squares (1, n), or of products (n, n) if the mass matrix is dense, of deviations from
  // the mean.
  Matrix squares;

  explicit DrawMoments(std::size_t dim = 0, MassMatrix mass_matrix = MassMatrix::kDiagonal);

  void Add(const Vector& draw);
  void Clear();

  // Returns the estimate of M^-1, shrunk towards 1e-3 times the identity with the weight of five
  // draws, as Stan does. Returns the identity if there are fewer than two draws.
  Matrix InverseMass() const;
  // Returns the estimate of M^-1, shrunk towards a given one with the weight of n draws. Without
  // that, n or fewer draws would give a singular covariance.
  Matrix InverseMassNear(const Matrix& given) const;
};

class Metric {
 public:
  Metric(std::size_t dim, MassMatrix kind);

  std::size_t dim() const { return static_cast<std::size_t>(inverse_mass_.cols()); }
  const Matrix& inverse_mass() const { return inverse_mass_; }
  // Sets M^-1. Returns false and changes nothing unless it is finite and positive definite.
  bool Set(const Matrix& inverse_mass);

  // Sets velocity = M^-1 p.
  void Velocity(const Vector& momentum, Vector& velocity) const;
  // Turns standard normals into momenta p ~ N(0, M), in place.
  void ToMomentum(Vector& normals) const;

 private:
  MassMatrix kind_;
  Matrix inverse_mass_;     // (1, n) or (n, n)
  Vector deviations_;       // square roots of a diagonal M^-1
  Eigen::MatrixXd factor_;  // Cholesky factor L of a dense M^-1 = L L^T
};

}  // namespace gpode
