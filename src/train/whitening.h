// Coordinates in which latent variables are about standard normal a posteriori, whatever the
// hyperparameters are.
//
// Latent variables z are a priori standard normal; what they stand for are values u = L z, whose
// factor L depends on the hyperparameters. Data that say much about u tie z to L: in z a sampler
// has to follow a narrow, bent ridge. With a Gaussian approximation of the likelihood in u,
//   log p(data | u) = h^T u - u^T P u / 2 + constant,
// the posterior of z given L is N(m, A^-1) with A = I + L^T P L and m = A^-1 L^T h. In coordinates e
//   z = m + R^-T e,   A = R R^T,
// it is standard normal for every L. The map is exact for any P and h: how good they are decides
// how fast a sampler moves, not what it draws. It is the "surrogate data" of
//   I. Murray, R. P. Adams (2010), Slice sampling covariance hyperparameters of latent Gaussian
//   models, NIPS 23.
//
// Thread safety: an object belongs to one thread at a time.
//
//   Whitening whitening(precision, shift);
//   whitening.Set(factor);
//   whitening.ToLatent(e, z);                    // and log |dz/de| = whitening.LogJacobian()
#pragma once

#include <Eigen/Dense>

#include "gpode/matrix.h"

namespace gpode {

// The Gaussian approximation of a likelihood: precision P (n, n), positive semidefinite, and
// shift h (n).
struct SurrogateLikelihood {
  Eigen::MatrixXd precision;
  Vector shift;
};

class Whitening {
 public:
  explicit Whitening(const SurrogateLikelihood& surrogate) : surrogate_(surrogate) {}

  // Takes the factor L (n, n), lower triangular. Returns false if A cannot be factored.
  bool Set(const Eigen::MatrixXd& factor);

  void ToLatent(const Vector& e, Vector& z);
  void FromLatent(const Vector& z, Vector& e) const;
  double LogJacobian() const;

  // Reverse of ToLatent and LogJacobian at the e of the last ToLatent, for cotangents bz and one:
  // sets be (n), and bfactor (n, n), of which the lower triangle counts.
  void Reverse(const Vector& bz, Vector& be, Eigen::MatrixXd& bfactor) const;

 private:
  SurrogateLikelihood surrogate_;
  Eigen::MatrixXd factor_, precision_factor_;  // L and P L
  Eigen::MatrixXd root_;                       // R
  Vector mean_, away_;                         // m and R^-T e
};

}  // namespace gpode
