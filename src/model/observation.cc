#include "gpode/observation.h"

#include <cmath>
#include <numbers>

namespace gpode {
namespace {

// y_c - (C x + b)_c.
double Residual(const ObservationMap& map, std::size_t c, double y, std::span<const double> x) {
  double predicted = map.offset[c];
  for (std::size_t k = 0; k < x.size(); ++k) predicted += map.matrix(c, k) * x[k];
  return y - predicted;
}

double LogNormal(double residual, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + residual * residual / variance);
}

}  // namespace

ObservationMap ObservationMap::Identity(std::size_t dim) {
  const auto d = static_cast<Eigen::Index>(dim);
  return {Matrix::Identity(d, d), Vector::Zero(d)};
}

Matrix ObservationMap::Apply(const Matrix& states) const {
  return (states * matrix.transpose()).rowwise() + offset.transpose();
}

double LogLikelihood(const ObservationMap& map, std::span<const double> noise_variance,
                     std::span<const double> y, std::span<const double> x) {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (!std::isnan(y[c])) sum += LogNormal(Residual(map, c, y[c], x), noise_variance[c]);
  }
  return sum;
}

double LogLikelihoodPullback(const ObservationMap& map, std::span<const double> noise_variance,
                             std::span<const double> y, std::span<const double> x,
                             std::span<double> bx, std::span<double> bnoise) {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (std::isnan(y[c])) continue;
    const double variance = noise_variance[c];
    const double residual = Residual(map, c, y[c], x);
    const double scaled = residual / variance;
    sum += LogNormal(residual, variance);
    bnoise[c] += 0.5 * (scaled * scaled - 1.0 / variance);
    for (std::size_t k = 0; k < x.size(); ++k) bx[k] += scaled * map.matrix(c, k);
  }
  return sum;
}

}  // namespace gpode
