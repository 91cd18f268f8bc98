#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gpode/error.h"
#include "gpode/forecast.h"
#include "predict/quantile.h"

namespace gpode {
namespace {

constexpr double kVarianceFloor = 1e-8;

constexpr std::array kMeans = {&Scores::mnll,        &Scores::mse,         &Scores::crps,
                               &Scores::coverage_50, &Scores::coverage_90, &Scores::coverage_95};

// log (1/S) sum_s N(y | x_s, variance).
double LogMixture(double y, std::span<const double> x, double variance) {
  double largest = -std::numeric_limits<double>::infinity();
  std::vector<double> logs(x.size());
  for (std::size_t s = 0; s < x.size(); ++s) {
    const double r = y - x[s];
    logs[s] = std::isnan(r) ? -std::numeric_limits<double>::infinity()
                            : -0.5 * (std::log(2 * std::numbers::pi * variance) + r * r / variance);
    largest = std::max(largest, logs[s]);
  }
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (double l : logs) sum += std::exp(l - largest);
  return largest + std::log(sum / static_cast<double>(x.size()));
}

// E |N(m, s^2)|.
double MeanAbsolute(double m, double s) {
  const double z = m / s;
  return m * std::erf(z / std::numbers::sqrt2) +
         s * std::sqrt(2 / std::numbers::pi) * std::exp(-0.5 * z * z);
}

// CRPS of the mixture of normals around the draws: E|Y - y| - E|Y - Y'| / 2. Infinite when a draw
// diverged: the integral of (F(z) - [y <= z])^2 is.
double MixtureCrps(double y, std::span<const double> x, double variance) {
  if (!std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) {
    return std::numeric_limits<double>::infinity();
  }
  const double s = std::sqrt(variance), s2 = std::sqrt(2 * variance);
  double first = 0, second = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    first += MeanAbsolute(x[i] - y, s);
    for (std::size_t j = 0; j < x.size(); ++j) second += MeanAbsolute(x[i] - x[j], s2);
  }
  const double n = static_cast<double>(x.size());
  return first / n - 0.5 * second / (n * n);
}

bool Covers(double y, std::span<const double> sorted, double level) {
  return y >= SortedQuantile(sorted, 0.5 - level / 2) &&
         y <= SortedQuantile(sorted, 0.5 + level / 2);
}

}  // namespace

Scores Score(const Forecast& forecast, const Vector& noise_variance, const Matrix& observed) {
  if (observed.rows() != static_cast<Eigen::Index>(forecast.times.size()) ||
      observed.cols() != noise_variance.size()) {
    ThrowInput("Score", "observed", "must have a row per time and a column per channel");
  }
  Scores scores{.diverged = forecast.diverged};
  std::vector<double> x(forecast.draws.size());
  for (Eigen::Index i = 0; i < observed.rows(); ++i) {
    for (Eigen::Index c = 0; c < observed.cols(); ++c) {
      const double y = observed(i, c);
      if (std::isnan(y)) continue;
      double mean = 0;
      for (std::size_t s = 0; s < x.size(); ++s) {
        x[s] = forecast.draws[s](i, c);
        mean += x[s] / static_cast<double>(x.size());
      }
      const double variance = noise_variance[c] + kVarianceFloor;
      scores.mnll -= LogMixture(y, x, variance);
      scores.mse +=
          std::isnan(mean) ? std::numeric_limits<double>::infinity() : (y - mean) * (y - mean);
      scores.crps += MixtureCrps(y, x, variance);
      std::vector<double> sorted = x;
      sorted.erase(
          std::remove_if(sorted.begin(), sorted.end(), [](double v) { return std::isnan(v); }),
          sorted.end());
      if (!sorted.empty()) {
        std::sort(sorted.begin(), sorted.end());
        scores.coverage_50 += Covers(y, sorted, 0.5);
        scores.coverage_90 += Covers(y, sorted, 0.9);
        scores.coverage_95 += Covers(y, sorted, 0.95);
      }
      ++scores.values;
    }
  }
  const double n = static_cast<double>(std::max<std::size_t>(scores.values, 1));
  for (double Scores::*mean : kMeans) scores.*mean /= n;
  return scores;
}

Scores Pool(std::span<const Scores> parts) {
  Scores all;
  for (const Scores& part : parts) {
    // Infinity times zero would be no number.
    if (part.values > 0) {
      for (double Scores::*mean : kMeans) {
        all.*mean += part.*mean * static_cast<double>(part.values);
      }
    }
    all.values += part.values;
    all.diverged += part.diverged;
  }
  const double n = static_cast<double>(std::max<std::size_t>(all.values, 1));
  for (double Scores::*mean : kMeans) all.*mean /= n;
  return all;
}

}  // namespace gpode
