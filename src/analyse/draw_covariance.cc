#include "analyse/draw_covariance.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

namespace gpode {
namespace {

constexpr double kFarthest = 5;  // the distance from the median, in robust standard deviations

void CentreColumn(Eigen::Ref<Vector> column) {
  std::vector<double> sorted(column.begin(), column.end());
  std::erase_if(sorted, [](double v) { return !std::isfinite(v); });
  if (sorted.empty()) {
    column.setZero();
    return;
  }
  std::ranges::sort(sorted);
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double middle = at(0.5), deviation = (at(0.75) - at(0.25)) / 1.349;
  const double low = deviation > 0 ? middle - kFarthest * deviation : sorted.front(),
               high = deviation > 0 ? middle + kFarthest * deviation : sorted.back();
  double sum = 0;
  for (double v : sorted) sum += std::clamp(v, low, high);
  const double mean = sum / static_cast<double>(sorted.size());
  for (double& v : column) v = std::isfinite(v) ? std::clamp(v, low, high) - mean : 0;
}

}  // namespace

// The observation of values: the factor of their covariance with noise, and the values without what
// earlier observations tell.
struct DrawCovariance::Observation {
  Eigen::MatrixXd left;               // (n, s): W Y
  Eigen::LLT<Eigen::MatrixXd> noisy;  // of the covariance of Y with noise
  double directions = 0;              // d, those that stand out of the noise
};

DrawCovariance::DrawCovariance(const Matrix& targets)
    : original_(targets),
      targets_(targets),
      basis_(targets.rows(), 0),
      degrees_(static_cast<double>(targets.rows() - 1)) {}

double DrawCovariance::TargetVariance() const {
  return original_.cwiseProduct(targets_).sum() / static_cast<double>(original_.rows() - 1);
}

DrawCovariance::Observation DrawCovariance::Observe(const Matrix& seen, const Vector& noise) const {
  const double n = static_cast<double>(original_.rows() - 1);
  Observation made;
  made.left = seen;
  made.left.noalias() -= basis_ * (basis_.transpose() * seen);
  const Eigen::MatrixXd own = seen.transpose() * made.left / n;
  Eigen::MatrixXd noisy = own;
  // A small share of the variance keeps the factor positive definite where there is no noise.
  const double least = 1e-12 * own.diagonal().maxCoeff() + 1e-300;
  noisy.diagonal() += noise.cwiseMax(least);
  made.noisy.compute(noisy);
  made.directions = made.noisy.solve(own).trace();
  return made;
}

double DrawCovariance::Reduction(const Matrix& seen, const Vector& noise) const {
  const Observation made = Observe(seen, noise);
  const double n = static_cast<double>(original_.rows() - 1);
  const Eigen::MatrixXd across = targets_.transpose() * seen / n;
  const double raw = (across * made.noisy.solve(across.transpose())).trace();
  const double chance = made.directions / degrees_;
  if (!(chance < 1)) return 0;
  return std::max(0.0, (raw - TargetVariance() * chance) / (1 - chance));
}

void DrawCovariance::Condition(const Matrix& seen, const Vector& noise) {
  const Observation made = Observe(seen, noise);
  const double n = static_cast<double>(original_.rows() - 1);
  Eigen::MatrixXd added =
      made.noisy.matrixL().solve(made.left.transpose()).transpose() / std::sqrt(n);
  targets_ -= added * (added.transpose() * original_);
  basis_.conservativeResize(Eigen::NoChange, basis_.cols() + added.cols());
  basis_.rightCols(added.cols()) = added;
  degrees_ = std::max(1.0, degrees_ - made.directions);
}

void CentreColumns(Matrix* values) {
  for (Eigen::Index k = 0; k < values->cols(); ++k) {
    Vector column = values->col(k);
    CentreColumn(column);
    values->col(k) = column;
  }
}

}  // namespace gpode
