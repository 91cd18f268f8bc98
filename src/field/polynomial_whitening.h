// The latent variables of a process with a polynomial part, whose values at the inducing points
// data determine together:
//
//   f(x) = g(x) + psi(x)^T beta,   g(Z) = L v,   beta = S b,   v and b standard normal a priori.
//
// Data that determine f(Z) say little about its shares g(Z) and Psi beta, Psi = psi(Z). A posterior
// of v and b would be a narrow ridge. So the latent variables are those z that whiten [f(Z), beta]:
//
//   [f(Z); beta] = F z,   F F^T = [[L L^T + Psi S^2 Psi^T, Psi S^2], [S^2 Psi^T, S^2]],
//
// F lower triangular. With B = L^-1 Psi S, N N^T = I + B B^T, N lower triangular, and T T^T = I +
// B^T B, T upper triangular, it is F = [[L N, 0], [S B^T N^-T, S T^-T]], and
//
//   v = p - B r,   b = B^T p + r,   p = N^-T z_1,   r = T^-T z_2,
//
// an orthogonal map: the prior stays what it is. There is one whitening for each row of the
// hyperparameters.
//
// Thread safety: const functions may be called from any thread.
//
//   whitening.Set(factor, terms, scales);
//   whitening.Apply(z, inner, latent);                      // latent is [v, b]
//   whitening.ApplyPullback(inner, blatent, bz);            // for any number of z
//   whitening.Finish(bfactor, bterms);
#pragma once

#include <span>

#include "gpode/matrix.h"

namespace gpode {

class PolynomialWhitening {
 public:
  // Takes L (M, M), Psi (M, J) and the diagonal of S (J), and forgets all cotangents.
  void Set(const Matrix& factor, const Matrix& terms, const Eigen::Ref<const Vector>& scales);

  // Computes [v, b] (M + J) for z (M + J), and `inner` [p, r] (M + J), which the reverse needs.
  void Apply(std::span<const double> z, std::span<double> inner, std::span<double> latent) const;
  // Returns the z (M + J, n) of columns [v; b], to which the transpose of Apply is the inverse.
  Matrix Inverse(const Matrix& latent) const;

  // Sets the cotangents to zero.
  void SetZero();
  // Reverse of Apply: writes bz, and adds to the cotangents of this object.
  void ApplyPullback(std::span<const double> inner, std::span<const double> blatent,
                     std::span<double> bz);
  // Reverse of Set, for all cotangents since SetZero: adds to the lower triangle of L's, and writes
  // Psi's. Those of S are not needed.
  void Finish(Matrix& bfactor, Matrix& bterms);

 private:
  Eigen::Index m() const { return mix_.rows(); }
  Eigen::Index j() const { return mix_.cols(); }

  Matrix factor_;      // L
  Vector scales_;      // diagonal of S
  Matrix mix_;         // B
  Matrix of_values_;   // N
  Matrix of_weights_;  // T with rows and columns in reverse order, which is lower triangular
  Matrix turned_;      // T^-T
  Matrix bfactor_, bmix_, bof_values_, bof_weights_;
  // Workspace of the sizes (M, M), (J, J) and (J).
  Matrix square_, small_;
  Vector row_;
};

}  // namespace gpode
