#include "analyse/energy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analyse/evaluator.h"

namespace gpode {
namespace {

constexpr double kTolerance = 1e-6;  // of the symmetry, relative to the size of the derivatives
constexpr int kPieces = 16;          // pieces of a line, each with three nodes of Gauss's rule

}  // namespace

std::optional<double> HamiltonianLoss(const Field& field, const Matrix& states) {
  const auto dim = static_cast<Eigen::Index>(field.dim()), half = dim / 2;
  if (dim % 2 != 0 || states.rows() == 0) return {};
  const Evaluator evaluate(field);
  std::vector<Matrix> jacobians;
  double size = 0, sum = 0;
  for (const auto& row : states.rowwise()) {
    jacobians.push_back(evaluate.JacobianAt(row.transpose()));
    size = std::max(size, jacobians.back().cwiseAbs().maxCoeff());
    sum -= jacobians.back().trace();
  }
  if (!std::isfinite(size) || size == 0) return {};
  const double loss = sum / static_cast<double>(half * states.rows());
  for (const Matrix& jacobian : jacobians) {
    Matrix second(dim, dim);
    second.topRows(half) = -jacobian.bottomRows(half);
    second.topRightCorner(half, half).diagonal().array() -= loss;
    second.bottomRows(half) = jacobian.topRows(half);
    if ((second - second.transpose()).cwiseAbs().maxCoeff() > kTolerance * size) return {};
  }
  return std::abs(loss) > kTolerance * size ? loss : 0;
}

double EnergyDifference(const Field& field, double loss, const Vector& from, const Vector& to) {
  constexpr std::array kNodes = {0.1127016653792583, 0.5, 0.8872983346207417};
  constexpr std::array kWeights = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  const auto half = from.size() / 2;
  const Vector step = (to - from) / kPieces;
  Matrix states(kPieces * std::ssize(kNodes), from.size());
  for (Eigen::Index i = 0; i < states.rows(); ++i) {
    const double share = static_cast<double>(i / 3) + kNodes[static_cast<std::size_t>(i % 3)];
    states.row(i) = (from + share * step).transpose();
  }
  const Matrix f = Evaluator(field).At(states);
  double sum = 0;
  for (Eigen::Index i = 0; i < states.rows(); ++i) {
    const double by_q =
        -(f.row(i).tail(half) + loss * states.row(i).tail(half)).dot(step.head(half).transpose());
    const double by_p = f.row(i).head(half).dot(step.tail(half).transpose());
    sum += kWeights[static_cast<std::size_t>(i % 3)] * (by_q + by_p);
  }
  return sum;
}

}  // namespace gpode
