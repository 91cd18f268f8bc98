// q(U), its factorisations, exact moments and divergence. See gp.h.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "gpode/error.h"
#include "gpode/gp.h"

namespace gpode {
namespace {

constexpr double kJitterGrowth = 10.0;
constexpr double kLargestJitter = 0.01;  // as a share of the variance

std::span<const double> Entries(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

void CheckMatrix(const char* name, const Matrix& m, Eigen::Index rows, Eigen::Index cols) {
  if (m.rows() != rows || m.cols() != cols) {
    ThrowInput("SparseGp::Set", name,
               fmt::format("is ({}, {}), must be ({}, {})", m.rows(), m.cols(), rows, cols));
  }
  CheckFinite("SparseGp::Set", name, Entries(m));
}

void CheckParameters(const GpParameters& p) {
  const Eigen::Index m = p.inducing_locations.rows(), d = p.inducing_locations.cols();
  CheckAtLeast("SparseGp::Set", "the number of inducing points", m, 1);
  CheckAtLeast("SparseGp::Set", "the number of dimensions", d, 1);
  CheckMatrix("inducing_locations", p.inducing_locations, m, d);
  CheckMatrix("inducing_mean", p.inducing_mean, d, m);
  CheckSize("SparseGp::Set", "inducing_chol", p.inducing_chol.size(), d);
  for (const Matrix& chol : p.inducing_chol) CheckMatrix("inducing_chol", chol, m, m);
  const Eigen::Index rows = p.variances.size();
  if (rows != d && rows != 1) {
    ThrowInput("SparseGp::Set", "variances",
               fmt::format("has {} values, must have {} or, to be shared, 1", rows, d));
  }
  CheckMatrix("lengthscales", p.lengthscales, rows, d);
  CheckPositive("SparseGp::Set", "lengthscales", Entries(p.lengthscales));
  CheckPositive("SparseGp::Set", "variances", {p.variances.data(), static_cast<size_t>(rows)});
}

// K's cotangent from its Cholesky factor's (Murray, "Differentiation of the Cholesky
// decomposition", 2016): with P = lower(L^T bL), diagonal halved, bK is the symmetric part of L^-T
// P L^-1.
Matrix CholeskyPullback(const Matrix& factor, const Matrix& bfactor) {
  const auto lower = factor.triangularView<Eigen::Lower>();
  Matrix p = (factor.transpose() * bfactor).triangularView<Eigen::Lower>();
  p.diagonal() *= 0.5;
  factor.transpose().triangularView<Eigen::Upper>().solveInPlace(p);
  lower.solveInPlace<Eigen::OnTheRight>(p);
  return 0.5 * (p + p.transpose());
}

}  // namespace

std::string_view Message(FactorStatus status) {
  switch (status) {
    case FactorStatus::kOk:
      return "factored";
    case FactorStatus::kNotPositiveDefinite:
      return "the kernel matrix of the inducing points is not positive definite, even with jitter "
             "of "
             "a hundredth of the variance: inducing points coincide or lengthscales are far too "
             "long";
  }
  return "unknown status";
}

GpGradient::GpGradient(const GpParameters& shape)
    : parameters(shape),
      factor(shape.variances.size(),
             Matrix(shape.inducing_locations.rows(), shape.inducing_locations.rows())) {
  SetZero();
}

void GpGradient::SetZero() {
  parameters.inducing_locations.setZero();
  parameters.inducing_mean.setZero();
  for (Matrix& chol : parameters.inducing_chol) chol.setZero();
  parameters.lengthscales.setZero();
  parameters.variances.setZero();
  for (Matrix& f : factor) f.setZero();
}

SparseGp::SparseGp(const Kernel& kernel, double jitter) : kernel_(&kernel), jitter_(jitter) {
  CheckNonNegative("SparseGp", "jitter", jitter);
}

FactorStatus SparseGp::Set(const GpParameters& parameters) {
  CheckParameters(parameters);
  parameters_ = parameters;
  const std::size_t rows = parameters.variances.size();
  hyper_.resize(rows);
  factor_.resize(rows);
  jitter_used_.resize(rows);
  bool ok = true;
  for (std::size_t row = 0; row < rows; ++row) {
    hyper_[row] = {parameters.lengthscales.row(row).transpose(), parameters.variances[row]};
    ok = FactorRow(row) && ok;
  }
  return ok ? FactorStatus::kOk : FactorStatus::kNotPositiveDefinite;
}

bool SparseGp::FactorRow(std::size_t row) {
  const Matrix& z = parameters_.inducing_locations;
  const Matrix k = KernelMatrix(*kernel_, hyper_[row], z, z);
  const double most = std::max(jitter_, kLargestJitter * hyper_[row].variance);
  Eigen::LLT<Matrix> llt;
  double jitter = jitter_;
  while (true) {
    Matrix shifted = k;
    shifted.diagonal().array() += jitter;
    llt.compute(shifted);
    factor_[row] = llt.matrixL();
    jitter_used_[row] = jitter;
    if (llt.info() == Eigen::Success && factor_[row].allFinite()) return true;
    if (jitter >= most) return false;
    jitter = std::min(most, std::max(jitter * kJitterGrowth, 1e-12 * hyper_[row].variance));
  }
}

// a (M, n) = L_d^-1 k_d(Z, x).
Matrix SparseGp::Whitened(const Matrix& x, std::size_t output) const {
  Matrix a = KernelMatrix(*kernel_, Hyper(output), parameters_.inducing_locations, x);
  Factor(output).triangularView<Eigen::Lower>().solveInPlace(a);
  return a;
}

Matrix SparseGp::Mean(const Matrix& x) const {
  Matrix mean(x.rows(), dim());
  for (std::size_t d = 0; d < dim(); ++d) {
    mean.col(d) = Whitened(x, d).transpose() * parameters_.inducing_mean.row(d).transpose();
  }
  return mean;
}

Matrix SparseGp::Variance(const Matrix& x) const {
  Matrix variance(x.rows(), dim());
  for (std::size_t d = 0; d < dim(); ++d) {
    const Matrix a = Whitened(x, d);
    const Matrix b = parameters_.inducing_chol[d].triangularView<Eigen::Lower>().transpose() * a;
    variance.col(d) =
        (Hyper(d).variance - a.colwise().squaredNorm().array() + b.colwise().squaredNorm().array())
            .transpose();
  }
  return variance;
}

Matrix SparseGp::Covariance(const Matrix& x, std::size_t output) const {
  const Matrix a = Whitened(x, output);
  const Matrix b = parameters_.inducing_chol[output].triangularView<Eigen::Lower>().transpose() * a;
  return KernelMatrix(*kernel_, Hyper(output), x, x) - a.transpose() * a + b.transpose() * b;
}

double SparseGp::InducingKl() const {
  double kl = 0.5 * parameters_.inducing_mean.squaredNorm();
  for (const Matrix& chol : parameters_.inducing_chol) {
    const Matrix lower = chol.triangularView<Eigen::Lower>();
    kl += 0.5 * (lower.squaredNorm() - static_cast<double>(chol.rows())) -
          lower.diagonal().array().abs().log().sum();
  }
  return kl;
}

void SparseGp::InducingKlPullback(double scale, GpGradient& gradient) const {
  gradient.parameters.inducing_mean += scale * parameters_.inducing_mean;
  for (std::size_t d = 0; d < dim(); ++d) {
    const Matrix& chol = parameters_.inducing_chol[d];
    Matrix& bchol = gradient.parameters.inducing_chol[d];
    bchol.triangularView<Eigen::Lower>() += scale * chol;
    bchol.diagonal().array() -= scale / chol.diagonal().array();
  }
}

void SparseGp::FinishGradient(GpGradient& gradient) const {
  const Matrix& z = parameters_.inducing_locations;
  for (std::size_t row = 0; row < hyper_.size(); ++row) {
    const Matrix bk = CholeskyPullback(factor_[row], gradient.factor[row]);
    Hyperparameters bhyper{Vector::Zero(static_cast<Eigen::Index>(dim())), 0.0};
    Matrix& bz = gradient.parameters.inducing_locations;
    KernelMatrixPullback(*kernel_, hyper_[row], z, z, bk, bz, bz, bhyper);
    gradient.parameters.lengthscales.row(row) += bhyper.lengthscales.transpose();
    gradient.parameters.variances[row] += bhyper.variance;
    gradient.factor[row].setZero();
  }
}

}  // namespace gpode
