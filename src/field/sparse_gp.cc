// The factorisations of a sparse process, and the exact moments of q(f). See gp.h. Draws from q(f)
// are in gp_draw.cc, KL[q(U) || p(U)] is in model/posterior_families.cc.
#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "field/cholesky_pullback.h"
#include "gpode/error.h"
#include "gpode/gp.h"

namespace gpode {
namespace {

constexpr double kJitterGrowth = 10.0;
constexpr double kLargestJitter = 0.01;  // the largest jitter, relative to the variance

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
  const Eigen::Index m = p.inducing_locations.rows(), inputs = p.inducing_locations.cols();
  const auto outputs = static_cast<Eigen::Index>(p.outputs());
  CheckAtLeast("SparseGp::Set", "the number of inducing points", m, 1);
  CheckAtLeast("SparseGp::Set", "the number of inputs", inputs, 1);
  CheckAtLeast("SparseGp::Set", "the number of outputs", outputs, 1);
  CheckMatrix("inducing_locations", p.inducing_locations, m, inputs);
  if (p.has_inducing_values()) CheckMatrix("inducing_mean", p.inducing_mean, outputs, m);
  CheckSize("SparseGp::Set", "inducing_chol", p.inducing_chol.size(),
            p.has_inducing_values() ? outputs : 0);
  for (const Matrix& chol : p.inducing_chol) CheckMatrix("inducing_chol", chol, m, m);
  const Eigen::Index rows = p.variances.size();
  if (rows != outputs && rows != 1) {
    ThrowInput("SparseGp::Set", "variances",
               fmt::format("has {} values, must have {} or, to be shared, 1", rows, outputs));
  }
  CheckMatrix("lengthscales", p.lengthscales, rows, inputs);
  CheckPositive("SparseGp::Set", "lengthscales", Entries(p.lengthscales));
  CheckPositive("SparseGp::Set", "variances", {p.variances.data(), static_cast<size_t>(rows)});
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
    : parameters(shape), white(shape.outputs(), shape.inducing()) {
  const Eigen::Index m = shape.inducing_locations.rows(), d = shape.inducing_locations.cols();
  rows.assign(shape.variances.size(), Row{Matrix(m, m),
                                          Matrix(m, d),
                                          Matrix(m, m),
                                          Vector(m),
                                          Vector(m),
                                          Vector(2 * m),
                                          {.lengthscales = Vector(d), .variance = 0}});
  SetZero();
}

void GpGradient::SetZero() {
  parameters.inducing_locations.setZero();
  for (std::size_t row = 0; row < rows.size(); ++row) SetRowZero(row);
}

void GpGradient::SetRowZero(std::size_t row) {
  for (std::size_t d = 0; d < parameters.inducing_chol.size(); ++d) {
    if (rows.size() > 1 && d != row) continue;
    parameters.inducing_mean.row(static_cast<Eigen::Index>(d)).setZero();
    parameters.inducing_chol[d].setZero();
  }
  parameters.lengthscales.row(static_cast<Eigen::Index>(row)).setZero();
  parameters.variances[static_cast<Eigen::Index>(row)] = 0;
  rows[row].factor.setZero();
  rows[row].locations.setZero();
}

SparseGp::SparseGp(const Kernel& kernel, double jitter) : kernel_(&kernel), jitter_(jitter) {
  CheckNonNegative("SparseGp", "jitter", jitter);
}

void SparseGp::Take(const GpParameters& parameters) {
  CheckParameters(parameters);
  ++version_;
  parameters_ = parameters;
  const std::size_t rows = parameters.variances.size();
  hyper_.resize(rows);
  factor_.resize(rows);
  kernel_matrix_.resize(rows);
  jitter_used_.resize(rows);
  factored_.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    hyper_[row].lengthscales = parameters.lengthscales.row(row).transpose();
    hyper_[row].variance = parameters.variances[row];
  }
}

FactorStatus SparseGp::Set(const GpParameters& parameters) {
  Take(parameters);
  for (std::size_t row = 0; row < hyper_.size(); ++row) factored_[row] = FactorRow(row);
  return Status();
}

FactorStatus SparseGp::Set(const GpParameters& parameters, ThreadPool& pool) {
  Take(parameters);
  pool.For(hyper_.size(), [this](std::size_t row) { factored_[row] = FactorRow(row); });
  return Status();
}

FactorStatus SparseGp::Status() const {
  for (const char ok : factored_) {
    if (!ok) return FactorStatus::kNotPositiveDefinite;
  }
  return FactorStatus::kOk;
}

bool SparseGp::FactorRow(std::size_t row) {
  const Matrix& z = parameters_.inducing_locations;
  Matrix &k = kernel_matrix_[row], &factor = factor_[row];
  KernelMatrix(*kernel_, hyper_[row], z, z, k);
  const double most = std::max(jitter_, kLargestJitter * hyper_[row].variance);
  double jitter = jitter_;
  while (true) {
    factor = k;
    factor.diagonal().array() += jitter;
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(factor);  // factors in place
    factor.triangularView<Eigen::StrictlyUpper>().setZero();
    jitter_used_[row] = jitter;
    if (llt.info() == Eigen::Success && factor.allFinite()) return true;
    if (jitter >= most) return false;
    jitter = std::min(most, std::max(jitter * kJitterGrowth, 1e-12 * hyper_[row].variance));
  }
}

void SparseGp::RequireInducingValues(const char* function) const {
  if (!parameters_.has_inducing_values()) {
    ThrowInput(function, "the process", "has no inducing_mean and inducing_chol, which this needs");
  }
}

// Returns L_d^-1 k_d(Z, x), (M, n).
Matrix SparseGp::Whitened(const Matrix& x, std::size_t output) const {
  Matrix a = KernelMatrix(*kernel_, Hyper(output), parameters_.inducing_locations, x);
  Factor(output).triangularView<Eigen::Lower>().solveInPlace(a);
  return a;
}

Matrix SparseGp::Mean(const Matrix& x) const {
  RequireInducingValues("SparseGp::Mean");
  Matrix mean(x.rows(), outputs());
  for (std::size_t d = 0; d < outputs(); ++d) {
    mean.col(d) = Whitened(x, d).transpose() * parameters_.inducing_mean.row(d).transpose();
  }
  return mean;
}

Matrix SparseGp::Variance(const Matrix& x) const {
  RequireInducingValues("SparseGp::Variance");
  Matrix variance(x.rows(), outputs());
  for (std::size_t d = 0; d < outputs(); ++d) {
    const Matrix a = Whitened(x, d);
    const Matrix b = parameters_.inducing_chol[d].triangularView<Eigen::Lower>().transpose() * a;
    variance.col(d) =
        (Hyper(d).variance - a.colwise().squaredNorm().array() + b.colwise().squaredNorm().array())
            .transpose();
  }
  return variance;
}

Matrix SparseGp::Covariance(const Matrix& x, std::size_t output) const {
  RequireInducingValues("SparseGp::Covariance");
  const Matrix a = Whitened(x, output);
  const Matrix b = parameters_.inducing_chol[output].triangularView<Eigen::Lower>().transpose() * a;
  return KernelMatrix(*kernel_, Hyper(output), x, x) - a.transpose() * a + b.transpose() * b;
}

void SparseGp::FinishRow(std::size_t row, GpGradient& gradient) const {
  const Matrix& z = parameters_.inducing_locations;
  GpGradient::Row& r = gradient.rows[row];
  CholeskyPullback(factor_[row], r.factor, r.kernel);
  r.hyper.lengthscales.setZero();
  r.hyper.variance = 0;
  KernelMatrixPullback(*kernel_, hyper_[row], z, z, r.kernel, r.locations, r.locations, r.hyper,
                       {r.scratch.data(), static_cast<std::size_t>(r.scratch.size())});
  gradient.parameters.lengthscales.row(row) += r.hyper.lengthscales.transpose();
  gradient.parameters.variances[row] += r.hyper.variance;
  r.factor.setZero();
}

void SparseGp::SumRows(GpGradient& gradient) const {
  for (GpGradient::Row& row : gradient.rows) {
    gradient.parameters.inducing_locations += row.locations;
    row.locations.setZero();
  }
}

void SparseGp::FinishGradient(GpGradient& gradient) const {
  for (std::size_t row = 0; row < hyper_.size(); ++row) FinishRow(row, gradient);
  SumRows(gradient);
}

}  // namespace gpode
