#include "gpode/observation.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <numbers>
#include <vector>

namespace gpode {
namespace {

std::vector<Eigen::Index> SeenChannels(const Matrix& values, Eigen::Index row) {
  std::vector<Eigen::Index> seen;
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    if (!std::isnan(values(row, c))) seen.push_back(c);
  }
  return seen;
}

// y_c - (C x + b)_c.
double Residual(const ObservationMap& map, std::size_t c, double y, std::span<const double> x) {
  double predicted = map.offset[c];
  for (std::size_t k = 0; k < x.size(); ++k) predicted += map.matrix(c, k) * x[k];
  return y - predicted;
}

double WeightOf(std::span<const double> weights, std::size_t c) {
  return weights.empty() ? 1.0 : weights[c];
}

double LogNormal(double residual, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + residual * residual / variance);
}

}  // namespace

ObservationMap ObservationMap::Identity(std::size_t dim) {
  const auto d = static_cast<Eigen::Index>(dim);
  return {Matrix::Identity(d, d), Vector::Zero(d)};
}

bool ObservationMap::IsDiagonal() const {
  return matrix.rows() == matrix.cols() && matrix.isDiagonal(0) &&
         (matrix.diagonal().array() != 0).all();
}

Matrix ObservationMap::Apply(const Matrix& states) const {
  return (states * matrix.transpose()).rowwise() + offset.transpose();
}

Matrix ObservationMap::StatesOf(const Matrix& values) const {
  Matrix states = Matrix::Constant(values.rows(), matrix.cols(), NAN);
  const bool diagonal = IsDiagonal();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    if (diagonal) {
      states.row(i) = (values.row(i).transpose() - offset).cwiseQuotient(matrix.diagonal());
      continue;
    }
    const std::vector<Eigen::Index> seen = SeenChannels(values, i);
    if (static_cast<Eigen::Index>(seen.size()) < matrix.cols()) continue;
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix(seen, Eigen::all));
    if (qr.rank() < matrix.cols()) continue;
    states.row(i) = qr.solve(values.row(i).transpose()(seen) - offset(seen)).transpose();
  }
  return states;
}

StateGuess GuessStates(const ObservationMap& map, const Vector& noise_variance,
                       const Matrix& values) {
  const Eigen::Index dim = map.matrix.cols();
  const Vector weights = noise_variance.cwiseInverse();
  StateGuess guess{Matrix(values.rows(), dim), Matrix(values.rows(), dim)};
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const std::vector<Eigen::Index> seen = SeenChannels(values, i);
    const Matrix a = map.matrix(seen, Eigen::all);
    const Vector y = values.row(i).transpose()(seen) - map.offset(seen);
    const Matrix weighted = a.transpose() * weights(seen).asDiagonal();
    const Eigen::LLT<Matrix> precision(weighted * a + Matrix::Identity(dim, dim));
    guess.mean.row(i) = precision.solve(weighted * y).transpose();
    guess.variance.row(i) = precision.solve(Matrix::Identity(dim, dim)).diagonal().transpose();
  }
  return guess;
}

double LogLikelihood(const ObservationMap& map, std::span<const double> noise_variance,
                     std::span<const double> y, std::span<const double> x,
                     std::span<const double> weights) {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (std::isnan(y[c])) continue;
    sum += WeightOf(weights, c) * LogNormal(Residual(map, c, y[c], x), noise_variance[c]);
  }
  return sum;
}

double LogLikelihoodPullback(const ObservationMap& map, std::span<const double> noise_variance,
                             std::span<const double> y, std::span<const double> x,
                             std::span<double> bx, std::span<double> bnoise,
                             std::span<const double> weights) {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (std::isnan(y[c])) continue;
    const double variance = noise_variance[c], weight = WeightOf(weights, c);
    const double residual = Residual(map, c, y[c], x);
    const double scaled = residual / variance;
    sum += weight * LogNormal(residual, variance);
    bnoise[c] += 0.5 * weight * (scaled * scaled - 1.0 / variance);
    for (std::size_t k = 0; k < x.size(); ++k) bx[k] += weight * scaled * map.matrix(c, k);
  }
  return sum;
}

}  // namespace gpode
