#include "field/polynomial_whitening.h"

#include <Eigen/Cholesky>

#include "field/cholesky_pullback.h"

namespace gpode {
namespace {

using ConstVectorMap = Eigen::Map<const Vector>;
using VectorMap = Eigen::Map<Vector>;

// Replaces a positive definite matrix by its lower Cholesky factor.
void FactorInPlace(Matrix& a) {
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(a);
  a.triangularView<Eigen::StrictlyUpper>().setZero();
}

}  // namespace

void PolynomialWhitening::Set(const Matrix& factor, const Matrix& terms,
                              const Eigen::Ref<const Vector>& scales) {
  const Eigen::Index m = factor.rows(), j = terms.cols();
  factor_ = factor;
  scales_ = scales;
  mix_ = terms * scales.asDiagonal();
  factor_.triangularView<Eigen::Lower>().solveInPlace(mix_);
  of_values_.setIdentity(m, m);
  of_values_.noalias() += mix_ * mix_.transpose();
  FactorInPlace(of_values_);
  small_.setIdentity(j, j);
  small_.noalias() += mix_.transpose() * mix_;
  of_weights_ = small_.reverse();
  FactorInPlace(of_weights_);
  small_.setIdentity(j, j);
  of_weights_.transpose().triangularView<Eigen::Upper>().solveInPlace(small_);
  turned_ = small_.reverse();
  square_.resize(m, m);
  row_.resize(j);
  SetZero();
}

void PolynomialWhitening::Apply(std::span<const double> z, std::span<double> inner,
                                std::span<double> latent) const {
  VectorMap p(inner.data(), m()), r(inner.data() + m(), j());
  p = ConstVectorMap(z.data(), m());
  of_values_.transpose().triangularView<Eigen::Upper>().solveInPlace(p);
  r.noalias() = turned_ * ConstVectorMap(z.data() + m(), j());
  VectorMap v(latent.data(), m()), b(latent.data() + m(), j());
  v = p;
  v.noalias() -= mix_ * r;
  b = r;
  b.noalias() += mix_.transpose() * p;
}

void PolynomialWhitening::Apply(const Matrix& z, Matrix& inner, Matrix& latent) const {
  inner.resize(z.rows(), z.cols());
  inner.topRows(m()) = of_values_.transpose().triangularView<Eigen::Upper>().solve(z.topRows(m()));
  inner.bottomRows(j()).noalias() = turned_ * z.bottomRows(j());
  latent = inner;
  latent.topRows(m()).noalias() -= mix_ * inner.bottomRows(j());
  latent.bottomRows(j()).noalias() += mix_.transpose() * inner.topRows(m());
}

Matrix PolynomialWhitening::Inverse(const Matrix& latent) const {
  const Matrix v = latent.topRows(m()), b = latent.bottomRows(j());
  Matrix z(latent.rows(), latent.cols());
  z.topRows(m()) = of_values_.triangularView<Eigen::Lower>().solve(Matrix(v + mix_ * b));
  z.bottomRows(j()) = turned_.transpose() * (b - mix_.transpose() * v);
  return z;
}

void PolynomialWhitening::SetZero() {
  bfactor_.setZero(m(), m());
  bmix_.setZero(m(), j());
  bof_values_.setZero(m(), m());
  bof_weights_.setZero(j(), j());
}

void PolynomialWhitening::ApplyTransposed(std::span<const double> blatent, std::span<double> bz) {
  const ConstVectorMap bv(blatent.data(), m()), bb(blatent.data() + m(), j());
  VectorMap bp(bz.data(), m()), be(bz.data() + m(), j());
  bp = bv;
  bp.noalias() += mix_ * bb;
  row_ = bb;
  row_.noalias() -= mix_.transpose() * bv;
  // The reverse of p = N^-T z_1 and r = T^-T z_2.
  of_values_.triangularView<Eigen::Lower>().solveInPlace(bp);
  be.noalias() = turned_.transpose() * row_;
}

void PolynomialWhitening::ApplyPullback(std::span<const double> inner,
                                        std::span<const double> blatent, std::span<double> bz) {
  ApplyTransposed(blatent, bz);
  const ConstVectorMap p(inner.data(), m()), r(inner.data() + m(), j());
  const ConstVectorMap bv(blatent.data(), m()), bb(blatent.data() + m(), j());
  const ConstVectorMap bp(bz.data(), m()), be(bz.data() + m(), j());
  bmix_.noalias() -= bv * r.transpose();
  bmix_.noalias() += p * bb.transpose();
  bof_values_.noalias() -= p * bp.transpose();
  small_.noalias() = r * be.transpose();
  bof_weights_ -= small_.reverse();
}

void PolynomialWhitening::ApplyPullback(const Matrix& inner, const Matrix& blatent) {
  const auto p = inner.topRows(m()), r = inner.bottomRows(j());
  const auto bv = blatent.topRows(m()), bb = blatent.bottomRows(j());
  bmix_.noalias() -= bv * r.transpose();
  bmix_.noalias() += p * bb.transpose();
  const Matrix bz = Inverse(blatent);
  bof_values_.noalias() -= p * bz.topRows(m()).transpose();
  small_.noalias() = r * bz.bottomRows(j()).transpose();
  bof_weights_ -= small_.reverse();
}

void PolynomialWhitening::Finish(Matrix& bfactor, Matrix& bterms, Vector& blog_scales) {
  // The reverse of N N^T = I + B B^T, and of T T^T = I + B^T B, whose T is factored with rows and
  // columns in reverse order.
  CholeskyPullback(of_values_, bof_values_, square_);
  bmix_.noalias() += square_ * mix_;
  bmix_.noalias() += square_.transpose() * mix_;
  CholeskyPullback(of_weights_, bof_weights_, small_);
  bof_weights_ = (small_ + small_.transpose()).reverse();
  bmix_.noalias() += mix_ * bof_weights_;
  // The reverse of B = L^-1 Psi S, whose column j is proportional to scale j.
  blog_scales = bmix_.cwiseProduct(mix_).colwise().sum().transpose();
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(bmix_);
  bfactor_.noalias() -= bmix_ * mix_.transpose();
  bfactor.triangularView<Eigen::Lower>() += bfactor_;
  bterms.noalias() = bmix_ * scales_.asDiagonal();
}

}  // namespace gpode
