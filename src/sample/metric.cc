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

DrawMoments::DrawMoments(std::size_t dim, MassMatrix mass_matrix)
    : kind(mass_matrix),
      mean(Vector::Zero(static_cast<Eigen::Index>(dim))),
      squares(0.0 * UnitInverseMass(dim, mass_matrix)) {}

void DrawMoments::Add(const Vector& draw) {
  ++count;
  const Vector delta = draw - mean;
  mean += delta / static_cast<double>(count);
  if (kind == MassMatrix::kDense) {
    squares.noalias() += (draw - mean) * delta.transpose();
  } else {
    squares.row(0) += (draw - mean).cwiseProduct(delta).transpose();
  }
}

void DrawMoments::Clear() {
  count = 0;
  mean.setZero();
  squares.setZero();
}

Matrix DrawMoments::InverseMass() const {
  const Matrix unit = UnitInverseMass(static_cast<std::size_t>(mean.size()), kind);
  if (count < 2 || kind == MassMatrix::kIdentity) return unit;
  const double n = static_cast<double>(count);
  return n / (n + kPriorDraws) / (n - 1) * squares +
         kPriorVariance * kPriorDraws / (n + kPriorDraws) * unit;
}

Matrix DrawMoments::InverseMassNear(const Matrix& given) const {
  if (count < 2) return given;
  const double n = static_cast<double>(count), weight = static_cast<double>(mean.size());
  return n / (n + weight) / (n - 1) * squares + weight / (n + weight) * given;
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
