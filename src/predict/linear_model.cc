#include "predict/linear_model.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "data/fill_gaps.h"

namespace gpode {
namespace {

constexpr double kShrinkage = 0.01;  // ridge penalty of A, relative to the variance of a channel
// A window has 1 / kWindowsPer of a trajectory's rows, but at most kMostRows rows.
constexpr std::size_t kMostRows = 10;
constexpr std::size_t kWindowsPer = 8;

// Returns the matrix exponential exp(m), as the Taylor series of exp(m / 2^k), squared k times.
Eigen::MatrixXd Exponential(const Eigen::MatrixXd& m) {
  constexpr int kTerms = 14;
  const double size = m.cwiseAbs().rowwise().sum().maxCoeff();
  const int halvings = size > 0.5 ? static_cast<int>(std::ceil(std::log2(size / 0.5))) : 0;
  const Eigen::MatrixXd small = m * std::ldexp(1.0, -halvings);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Identity(m.rows(), m.cols());
  for (int k = kTerms; k > 0; --k) {
    sum = Eigen::MatrixXd::Identity(m.rows(), m.cols()) + (small * sum / k).eval();
  }
  for (int k = 0; k < halvings; ++k) sum = (sum * sum).eval();
  return sum;
}

// Returns `a` with the positive real parts of its eigenvalues set to zero, so that no solution of
// x' = a x grows exponentially.
Matrix Stabilised(const Matrix& a) {
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(a);
  Eigen::VectorXcd values = eigen.eigenvalues();
  const double most = values.real().maxCoeff();
  if (!(most > 0)) return a;
  const Eigen::MatrixXcd vectors = eigen.eigenvectors();
  const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(vectors);
  const auto with = [&](const Eigen::VectorXcd& d) -> Matrix {
    return (vectors * d.asDiagonal() * lu.inverse()).real();
  };
  // If the eigenvectors are almost linearly dependent, their inverse is inaccurate. All eigenvalues
  // are then shifted to the left instead.
  const Matrix again = with(values);
  if (!((again - a).norm() <= 1e-6 * a.norm())) {
    return a - most * Matrix::Identity(a.rows(), a.cols());
  }
  for (std::complex<double>& v : values) v = {std::min(v.real(), 0.0), v.imag()};
  return with(values);
}

}  // namespace

LinearModel::LinearModel(const Dataset& data)
    : moments_(MomentsOf(data)), units_(moments_.Units()) {
  Fit(data);
}

Matrix LinearModel::Filled(const Trajectory& t) const {
  Matrix values = t.values;
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    Vector column = (values.col(c).array() - moments_.mean[c]) / units_[c];
    FillGaps(t.times, 0, column);
    values.col(c) = column;
  }
  return values;
}

void LinearModel::Fit(const Dataset& data) {
  const Eigen::Index channels = units_.size();
  Matrix products = Matrix::Zero(channels + 1, channels + 1),
         targets = Matrix::Zero(channels + 1, channels);
  for (const Trajectory& t : data.trajectories) {
    const std::size_t rows = t.times.size();
    if (rows < 2) continue;
    const Matrix x = Filled(t);
    const auto lag =
        static_cast<Eigen::Index>(std::clamp<std::size_t>(rows / kWindowsPer, 1, kMostRows));
    const auto time = [&](Eigen::Index i) { return t.times[static_cast<std::size_t>(i)]; };
    Matrix integral = Matrix::Zero(x.rows(), channels);
    for (Eigen::Index i = 1; i < x.rows(); ++i) {
      integral.row(i) =
          integral.row(i - 1) + 0.5 * (time(i) - time(i - 1)) * (x.row(i) + x.row(i - 1));
    }
    Vector inputs(channels + 1);
    for (Eigen::Index i = 0; i + lag < x.rows(); ++i) {
      const double span = time(i + lag) - time(i);
      inputs << (integral.row(i + lag) - integral.row(i)).transpose() / span, 1;
      products += inputs * inputs.transpose();
      targets += inputs * (x.row(i + lag) - x.row(i)) / span;
    }
  }
  const double windows = products(channels, channels);
  if (!(windows > 0)) {
    a_ = Matrix::Zero(channels, channels);
    b_ = Vector::Zero(channels);
    return;
  }
  products.diagonal().head(channels).array() += kShrinkage * windows;
  const Matrix both = Eigen::LDLT<Eigen::MatrixXd>(products).solve(Eigen::MatrixXd(targets));
  a_ = Stabilised(both.topRows(channels).transpose());
  b_ = both.row(channels).transpose();
}

Matrix LinearModel::Continue(const Trajectory& seen, std::span<const double> times) const {
  const Eigen::Index channels = units_.size();
  Eigen::MatrixXd rate = Eigen::MatrixXd::Zero(channels + 1, channels + 1), step;
  rate.topLeftCorner(channels, channels) = a_;
  rate.topRightCorner(channels, 1) = b_;
  Eigen::VectorXd state(channels + 1);
  state << Filled(seen).bottomRows(1).transpose(), 1;
  Matrix values(static_cast<Eigen::Index>(times.size()), channels);
  double now = seen.times.back(), last_gap = -1;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double gap = times[i] - now;
    if (!(std::fabs(gap - last_gap) <= 1e-9 * gap)) step = Exponential(gap * rate);
    last_gap = gap;
    now = times[i];
    state = (step * state).eval();
    values.row(static_cast<Eigen::Index>(i)) =
        (state.head(channels).array() * units_.array() + moments_.mean.array())
            .matrix()
            .transpose();
  }
  return values;
}

Vector LinearModel::LastValues(const Trajectory& seen) const {
  return (Filled(seen).bottomRows(1).transpose().array() * units_.array() + moments_.mean.array())
      .matrix();
}

Matrix LinearModel::Slope() const {
  return units_.asDiagonal() * a_ * units_.cwiseInverse().asDiagonal();
}

Vector LinearModel::Offset() const {
  return (units_.array() * b_.array()).matrix() - Slope() * moments_.mean;
}

}  // namespace gpode
