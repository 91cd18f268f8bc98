// The latent variables z of a process f that is the sum of a sparse process g and a polynomial
// (polynomial.h) with terms psi and weights beta:
//
//   f(x) = g(x) + psi(x)^T beta,   g(Z) = L v,   beta = S b,   v and b standard normal a priori.
//
// L is the Cholesky factor of k(Z, Z), S is diagonal, Psi = psi(Z). Data determine f(Z), but hardly
// how it is divided into g(Z) and Psi beta: the posterior of v and b would be a narrow ridge, which
// is hard to learn. Therefore z whitens f(Z) and beta instead:
//
//   [f(Z); beta] = F z,   F F^T = [[L L^T + Psi S^2 Psi^T, Psi S^2], [S^2 Psi^T, S^2]],
//
// with F lower triangular. Let B = L^-1 Psi S, N N^T = I + B B^T with N lower triangular, and
// T T^T = I + B^T B with T upper triangular. Then F = [[L N, 0], [S B^T N^-T, S T^-T]], and for
// z = [z_1; z_2]
//
//   v = p - B r,   b = B^T p + r,   p = N^-T z_1,   r = T^-T z_2.
//
// This map from z to [v; b] is orthogonal, so that z is standard normal a priori, too. There is one
// whitening for each row of the hyperparameters.
//
// Thread safety: const functions may be called from any thread.
//
//   whitening.Set(factor, terms, scales);
//   whitening.Apply(z, inner, latent);                      // latent is [v, b]
//   whitening.ApplyPullback(inner, blatent, bz);            // for any number of z
//   whitening.Finish(bfactor, bterms, blog_scales);
#pragma once

#include <span>

#include "gpode/matrix.h"

namespace gpode {

class PolynomialWhitening {
 public:
  // Takes L (M, M), Psi (M, J) and the diagonal of S (J), and sets all cotangents to zero.
  void Set(const Matrix& factor, const Matrix& terms, const Eigen::Ref<const Vector>& scales);

  // Computes [v, b] (M + J) for z (M + J), and `inner` [p, r] (M + J), which the reverse needs.
  void Apply(std::span<const double> z, std::span<double> inner, std::span<double> latent) const;
  // Does the same for all columns (M + J, n) together.
  void Apply(const Matrix& z, Matrix& inner, Matrix& latent) const;
  // Returns the columns z (M + J, n) that Apply maps to the columns [v; b] of `latent`. Since Apply
  // is orthogonal, this is its transpose.
  Matrix Inverse(const Matrix& latent) const;

  // Writes bz, the cotangent of z, from that of [v, b] (M + J): the reverse of Apply for fixed
  // matrices. Uses a workspace.
  void ApplyTransposed(std::span<const double> blatent, std::span<double> bz);

  // Sets the cotangents to zero.
  void SetZero();
  // Reverses Apply: writes bz, and adds to the cotangents (gpode/field.h) of B, N and T, which this
  // object holds.
  void ApplyPullback(std::span<const double> inner, std::span<const double> blatent,
                     std::span<double> bz);
  // Does the same for all columns (M + J, n) together, but does not write bz, which is
  // Inverse(blatent).
  void ApplyPullback(const Matrix& inner, const Matrix& blatent);
  // Reverses Set for the sum of all cotangents since SetZero: adds to the lower triangle of
  // bfactor, the cotangent of L, and writes bterms, the cotangent of Psi, and blog_scales (J), that
  // of the logarithms of S. The latter leaves out that beta = S b.
  void Finish(Matrix& bfactor, Matrix& bterms, Vector& blog_scales);

 private:
  Eigen::Index m() const { return mix_.rows(); }
  Eigen::Index j() const { return mix_.cols(); }

  Matrix factor_;      // L
  Vector scales_;      // diagonal of S
  Matrix mix_;         // B
  Matrix of_values_;   // N
  Matrix of_weights_;  // T with rows and columns in reverse order, which is lower triangular
  Matrix turned_;      // T^-T
  Matrix bfactor_, bmix_, bof_values_, bof_weights_;  // cotangents of the matrices above
  // Workspace of the sizes (M, M), (J, J) and (J).
  Matrix square_, small_;
  Vector row_;
};

}  // namespace gpode
