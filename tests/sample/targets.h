// Log densities of targets with known moments, up to constants. The functions also set the
// gradient.
#pragma once

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "gpode/nuts.h"

namespace gpode::testing_support {

// Returns a factory that gives every chain the same target.
inline MakeTarget ForEveryChain(LogDensity target) {
  return [target = std::move(target)](std::size_t) { return target; };
}

// Returns the log density of the Gaussian N(mean, covariance).
inline LogDensity Gaussian(const Vector& mean, const Matrix& covariance) {
  const Matrix precision = covariance.inverse();
  return [mean, precision](std::span<const double> q, std::span<double> gradient) {
    const auto n = static_cast<Eigen::Index>(q.size());
    const Vector away = Eigen::Map<const Vector>(q.data(), n) - mean;
    Eigen::Map<Vector> g(gradient.data(), n);
    g = -precision * away;
    return 0.5 * away.dot(g);
  };
}

// Neal's funnel in its centred form: v ~ N(0, 3^2), x_k ~ N(0, exp(v)).
inline double CentredFunnel(std::span<const double> q, std::span<double> gradient) {
  const double v = q[0], inverse = std::exp(-v);
  double sum = -v * v / 18, squares = 0;
  for (std::size_t k = 1; k < q.size(); ++k) {
    squares += q[k] * q[k];
    gradient[k] = -q[k] * inverse;
  }
  const double count = static_cast<double>(q.size() - 1);
  sum += -0.5 * inverse * squares - 0.5 * count * v;
  gradient[0] = -v / 9 + 0.5 * inverse * squares - 0.5 * count;
  return sum;
}

// Student's t with 5 degrees of freedom in each coordinate, whose variance is 5/3.
inline double StudentT(std::span<const double> q, std::span<double> gradient) {
  double sum = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    sum -= 3 * std::log1p(q[k] * q[k] / 5);
    gradient[k] = -6 * q[k] / (5 + q[k] * q[k]);
  }
  return sum;
}

// The banana-shaped density x ~ N(0, 1), y ~ N(x^2, 0.3^2). The mean of y is 1, its variance 2.09.
inline double Banana(std::span<const double> q, std::span<double> gradient) {
  const double away = (q[1] - q[0] * q[0]) / 0.09;
  gradient[0] = -q[0] + 2 * q[0] * away;
  gradient[1] = -away;
  return -0.5 * q[0] * q[0] - 0.5 * 0.09 * away * away;
}

}  // namespace gpode::testing_support
