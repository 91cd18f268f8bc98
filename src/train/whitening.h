// Coordinates in which latent variables are about standard normal a posteriori, whatever the
// hyperparameters are.
//
// Latent variables z are a priori standard normal; the data speak of values of the function and of
// initial states, which are linear in z by a matrix that depends on the hyperparameters. Data that
// say much tie z to that matrix: in z a sampler has to follow a narrow, bent ridge. With a Gaussian
// approximation of the likelihood (linearised_likelihood.h),
//   log p(data | z) = -|W z - c|^2 / 2 + constant,
// the posterior of z is N(m, A^-1) with A = I + W^T W and m = A^-1 W^T c. In coordinates e with
//   z = m + R^-T e,   A = R R^T,
// it is standard normal for every W. The map is exact for any W and c: how good they are decides
// how fast a sampler moves, not what it draws. The idea is the "surrogate data" of
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
  // Takes W (r, n). Returns false if A cannot be factored.
  bool SetDesign(const Eigen::MatrixXd& design);
  // Takes c (r), after W. Returns false if m is not finite.
  bool SetTarget(const Vector& target);

  void ToLatent(const Vector& e, Vector& z);
  void FromLatent(const Vector& z, Vector& e) const;
  double LogJacobian() const;

  // The log evidence of the linearised model, log N(c; 0, I + W W^T) up to a constant, and its
  // reverse: sets bdesign (r, n).
  double LogEvidence() const;
  void EvidenceReverse(Eigen::MatrixXd& bdesign) const;

  // Reverse of ToLatent and LogJacobian at the e of the last ToLatent, for cotangents bz and one:
  // sets be (n), bdesign (r, n) and btarget (r).
  // With W and c held fixed, there is be alone.
  void Reverse(const Vector& bz, Vector& be, Eigen::MatrixXd& bdesign, Vector& btarget) const;
  void ReverseToCoordinates(const Vector& bz, Vector& be) const;

 private:
  Eigen::MatrixXd design_;  // W
  Vector target_;           // c
  Eigen::MatrixXd root_;    // R
  Vector mean_, away_;      // m and R^-T e
};

}  // namespace gpode
