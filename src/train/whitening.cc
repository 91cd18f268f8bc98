// This is not the paper's whitening of inducing values, U = L v (section S2.2), which is in
// field/sparse_gp.cc (L) and field/gp_draw.cc.
#include "train/whitening.h"

#include <Eigen/Cholesky>
#include <cmath>

namespace gpode {

bool Whitening::SetDesign(const Eigen::MatrixXd& design) {
  const Eigen::Index n = design.cols();
  design_ = design;
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
  if (design.rows() > 0) a.selfadjointView<Eigen::Lower>().rankUpdate(design.transpose());
  const Eigen::LLT<Eigen::MatrixXd> llt(a);
  if (llt.info() != Eigen::Success) return false;
  root_ = llt.matrixL();
  return true;
}

bool Whitening::SetTarget(const Vector& target) {
  target_ = target;
  mean_ = Vector::Zero(design_.cols());
  if (design_.rows() > 0) mean_.noalias() += design_.transpose() * target;
  root_.triangularView<Eigen::Lower>().solveInPlace(mean_);
  root_.transpose().triangularView<Eigen::Upper>().solveInPlace(mean_);
  return mean_.allFinite();
}

void Whitening::ToLatent(const Vector& e, Vector& z) {
  away_ = e;
  root_.triangularView<Eigen::Lower>().transpose().solveInPlace(away_);
  z = mean_ + away_;
}

void Whitening::FromLatent(const Vector& z, Vector& e) const {
  e = root_.triangularView<Eigen::Lower>().transpose() * (z - mean_);
}

double Whitening::LogJacobian() const { return -root_.diagonal().array().log().sum(); }

double Whitening::LogEvidence() const {
  const Vector shift = design_.transpose() * target_;
  return LogJacobian() - 0.5 * (target_.squaredNorm() - shift.dot(mean_));
}

// The log evidence is -log|A| / 2 - (|c|^2 - c^T W m) / 2. The differential of log|A| / 2 is
// tr(A^-1 W^T dW), and the derivative of the second term with respect to W is (c - W m) m^T.
void Whitening::EvidenceReverse(Eigen::MatrixXd& bdesign) const {
  Eigen::MatrixXd solved = design_.transpose();
  root_.triangularView<Eigen::Lower>().solveInPlace(solved);
  root_.transpose().triangularView<Eigen::Upper>().solveInPlace(solved);
  bdesign = -solved.transpose();
  const Vector left = target_ - design_ * mean_;
  bdesign.noalias() += left * mean_.transpose();
}

void Whitening::ReverseToCoordinates(const Vector& bz, Vector& be) const {
  be = bz;
  root_.triangularView<Eigen::Lower>().solveInPlace(be);
}

void Whitening::Reverse(const Vector& bz, Vector& be, Eigen::MatrixXd& bdesign,
                        Vector& btarget) const {
  ReverseToCoordinates(bz, be);
  // The cotangent of R, from z = m + away with away = R^-T e and from the log Jacobian
  // -sum log R_ii:  bR = -away be^T - diag(1 / R_ii).
  Eigen::MatrixXd broot = -away_ * be.transpose();
  broot.diagonal() -= root_.diagonal().cwiseInverse();
  // Reverse of the Cholesky factorisation A = R R^T:  bA = R^-T Phi(R^T bR) R^-1, where Phi keeps
  // the lower triangle with half of the diagonal.
  Eigen::MatrixXd inner = Eigen::MatrixXd(broot.triangularView<Eigen::Lower>());
  inner = root_.transpose().triangularView<Eigen::Upper>() * inner;
  inner.triangularView<Eigen::StrictlyUpper>().setZero();
  inner.diagonal() *= 0.5;
  root_.transpose().triangularView<Eigen::Upper>().solveInPlace(inner);
  Eigen::MatrixXd ba = inner.transpose();
  root_.transpose().triangularView<Eigen::Upper>().solveInPlace(ba);
  // Reverse of m = A^-1 q with q = W^T c:  bq = A^-1 bm,  bA -= bq m^T.
  Vector bq = be;
  root_.transpose().triangularView<Eigen::Upper>().solveInPlace(bq);
  ba.noalias() -= bq * mean_.transpose();
  bdesign.resize(design_.rows(), design_.cols());
  btarget.resize(target_.size());
  if (design_.rows() == 0) return;
  // Reverse of A = I + W^T W:  bW = W (bA + bA^T).
  const Eigen::MatrixXd twice = ba + ba.transpose();
  bdesign.noalias() = design_ * twice;
  bdesign.noalias() += target_ * bq.transpose();
  btarget.noalias() = design_ * bq;
}

}  // namespace gpode
