#include "sample/metric.h"

namespace gpode {
namespace {

// Estimates are shrunk towards kPriorVariance as if kPriorDraws more draws had this variance.
constexpr double kPriorDraws = 5;
constexpr double kPriorVariance = 1e-3;

Matrix UnitInverseMass(std::size_t dim, MassMatrix kind) {
  const auto n = static_cast<Eigen::Index>(dim);
  if (kind == MassMatrix::kDense) return Matrix::Identity(n, n);
  return Matrix::Ones(1, n);
}

}  // namespace

DrawMoments::DrawMoments(std::size_t dim, MassMatrix kind)
    : kind_(kind),
      mean_(Vector::Zero(static_cast<Eigen::Index>(dim))),
      delta_(mean_),
      squares_(0.0 * UnitInverseMass(dim, kind)) {}

void DrawMoments::Add(const Vector& draw) {
  ++count_;
  delta_ = draw - mean_;
  mean_ += delta_ / static_cast<double>(count_);
  if (kind_ == MassMatrix::kDense) {
    squares_.noalias() += (draw - mean_) * delta_.transpose();
  } else {
    squares_.row(0) += (draw - mean_).cwiseProduct(delta_).transpose();
  }
}

void DrawMoments::Clear() {
  count_ = 0;
  mean_.setZero();
  squares_.setZero();
}

Matrix DrawMoments::InverseMass() const {
  const Matrix unit = UnitInverseMass(static_cast<std::size_t>(mean_.size()), kind_);
  if (count_ < 2 || kind_ == MassMatrix::kIdentity) return unit;
  const double n = static_cast<double>(count_);
  return n / (n + kPriorDraws) / (n - 1) * squares_ +
         kPriorVariance * kPriorDraws / (n + kPriorDraws) * unit;
}

Matrix DrawMoments::InverseMassNear(const Matrix& given) const {
  if (count_ < 2) return given;
  const double n = static_cast<double>(count_), weight = static_cast<double>(mean_.size());
  return n / (n + weight) / (n - 1) * squares_ + weight / (n + weight) * given;
}

Metric::Metric(std::size_t dim, MassMatrix kind) : kind_(kind) { Set(UnitInverseMass(dim, kind)); }

bool Metric::Set(const Matrix& inverse_mass) {
  if (!inverse_mass.allFinite()) return false;
  if (kind_ == MassMatrix::kDense) {
    const Eigen::LLT<Eigen::MatrixXd> llt(inverse_mass);
    if (llt.info() != Eigen::Success) return false;
    factor_ = llt.matrixL();
  } else {
    if (!(inverse_mass.minCoeff() > 0)) return false;
    deviations_ = inverse_mass.row(0).cwiseSqrt().transpose();
  }
  inverse_mass_ = inverse_mass;
  return true;
}

void Metric::Velocity(const Vector& momentum, Vector& velocity) const {
  if (kind_ == MassMatrix::kDense) {
    velocity.noalias() = inverse_mass_ * momentum;
  } else {
    velocity = inverse_mass_.row(0).transpose().cwiseProduct(momentum);
  }
}

void Metric::ToMomentum(Vector& normals) const {
  if (kind_ == MassMatrix::kDense) {
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(normals);
  } else {
    normals.array() /= deviations_.array();
  }
}

}  // namespace gpode
