// Coordinates in which latent variables are about standard normal a posteriori, whatever the
// hyperparameters are. This is not the paper's whitening of inducing values, U = L v (section
// S2.2), which is in field/sparse_gp.cc (L) and field/gp_draw.cc.
//
// Latent variables z are standard normal a priori. The data determine values of the function and
// initial states, which are a matrix times z, and this matrix depends on the hyperparameters. The
// posterior of z and the hyperparameters together is therefore a narrow, bent ridge, along which a
// sampler moves slowly. With a Gaussian approximation of the likelihood (linearised_likelihood.h),
//   log p(data | z) = -|W z - c|^2 / 2 + constant,
// the posterior of z is N(m, A^-1) with A = I + W^T W and m = A^-1 W^T c. In coordinates e with
//   z = m + R^-T e,   A = R R^T  (R lower triangular),
// it is standard normal for every W. Draws are right for any W and c, since the change of
// coordinates is exact (LogJacobian); a poor approximation only makes the sampler slower. The idea
// is the "surrogate data" of
//   I. Murray, R. P. Adams (2010), Slice sampling covariance hyperparameters of latent Gaussian
//   models, NIPS 23.
//
// Thread safety: an object belongs to one thread at a time.
//
//   Whitening whitening;
//   whitening.SetDesign(design);
//   whitening.SetTarget(target);
//   whitening.ToLatent(e, z);                    // and log |dz/de| = whitening.LogJacobian()
#pragma once

#include <Eigen/Dense>

#include "gpode/matrix.h"

namespace gpode {

class Whitening {
 public:
  // Takes W (r, n) as `design`, for n latent variables and r rows. Returns false if A cannot be
  // factored.
  bool SetDesign(const Eigen::MatrixXd& design);
  // Takes c (r) as `target`, after W. Returns false if m is not finite.
  bool SetTarget(const Vector& target);

  void ToLatent(const Vector& e, Vector& z);
  void FromLatent(const Vector& z, Vector& e) const;
  double LogJacobian() const;

  // Returns the log evidence of the approximation, log N(c; 0, I + W W^T) up to a constant. Its
  // reverse sets bdesign (r, n), the gradient with respect to W.
  double LogEvidence() const;
  void EvidenceReverse(Eigen::MatrixXd& bdesign) const;

  // Computes the reverse of ToLatent, at the e of its last call, and of LogJacobian: sets be (n),
  // bdesign (r, n) and btarget (r) to the gradient of  bz^T z + LogJacobian()  with respect to e, W
  // and c.
  void Reverse(const Vector& bz, Vector& be, Eigen::MatrixXd& bdesign, Vector& btarget) const;
  // Computes only the cotangent `be` of the coordinates, which is much faster.
  void ReverseToCoordinates(const Vector& bz, Vector& be) const;

 private:
  Eigen::MatrixXd design_;  // W
  Vector target_;           // c
  Eigen::MatrixXd root_;    // R
  Vector mean_, away_;      // m and R^-T e
};

}  // namespace gpode
