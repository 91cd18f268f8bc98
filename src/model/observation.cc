#include "gpode/observation.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
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

void ObservationMap::ApplyTo(std::span<const double> x, std::span<double> channels) const {
  const auto rows = static_cast<std::size_t>(matrix.rows());
  const double* row = matrix.data();
  for (std::size_t c = 0; c < rows; ++c, row += x.size()) {
    double sum = offset[static_cast<Eigen::Index>(c)];
    for (std::size_t k = 0; k < x.size(); ++k) sum += row[k] * x[k];
    channels[c] = sum;
  }
}

void ObservationMap::AddReverse(std::span<const double> bchannels, std::span<double> bx) const {
  const double* row = matrix.data();
  for (std::size_t c = 0; c < bchannels.size(); ++c, row += bx.size()) {
    for (std::size_t k = 0; k < bx.size(); ++k) bx[k] += bchannels[c] * row[k];
  }
}

std::optional<StateEstimate> ObservationMap::StateOf(std::span<const double> values,
                                                     const Matrix& covariance) const {
  const Eigen::Map<const Vector> all(values.data(), static_cast<Eigen::Index>(values.size()));
  const std::vector<Eigen::Index> seen = SeenChannels(all.transpose(), 0);
  const auto count = static_cast<Eigen::Index>(seen.size());
  if (count < matrix.cols()) return std::nullopt;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix(seen, Eigen::all));
  if (qr.rank() < matrix.cols()) return std::nullopt;
  StateEstimate state{.mean = qr.solve(all(seen) - offset(seen))};
  if (covariance.size() > 0) {
    const Matrix inverse = qr.solve(Eigen::MatrixXd::Identity(count, count));
    state.covariance = inverse * covariance(seen, seen) * inverse.transpose();
  }
  return state;
}

Matrix ObservationMap::StatesOf(const Matrix& values) const {
  Matrix states = Matrix::Constant(values.rows(), matrix.cols(), NAN);
  const bool diagonal = IsDiagonal();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    if (diagonal) {
      states.row(i) = (values.row(i).transpose() - offset).cwiseQuotient(matrix.diagonal());
    } else if (const auto state = StateOf({values.row(i).data(), channels()})) {
      states.row(i) = state->mean.transpose();
    }
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

}  // namespace gpode
