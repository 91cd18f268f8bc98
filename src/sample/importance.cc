#include "gpode/importance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpode {
namespace {

struct ParetoFit {
  double shape, scale;
};

// Fits the generalised Pareto distribution to positive values in increasing order: the posterior
// mean of theta = -shape / scale under its profile likelihood (J. Zhang, M. A. Stephens 2009), with
// the weakly informative prior of the shape of A. Vehtari et al. (2024).
ParetoFit FitPareto(std::span<const double> sorted) {
  const auto n = static_cast<double>(sorted.size());
  const auto candidates = static_cast<std::size_t>(30 + std::floor(std::sqrt(n)));
  const double quarter = sorted[static_cast<std::size_t>(std::floor(n / 4 + 0.5)) - 1];
  const double largest = sorted.back();
  std::vector<double> theta(candidates), profile(candidates);
  for (std::size_t j = 0; j < candidates; ++j) {
    const double at = static_cast<double>(j) + 0.5;
    theta[j] = 1 / largest + (1 - std::sqrt(static_cast<double>(candidates) / at)) / (3 * quarter);
    double mean = 0;
    for (double x : sorted) mean += std::log1p(-theta[j] * x) / n;
    profile[j] = n * (std::log(-theta[j] / mean) - mean - 1);
  }
  double sum = 0, best = 0;
  for (std::size_t j = 0; j < candidates; ++j) {
    double others = 0;
    for (double p : profile) others += std::exp(p - profile[j]);
    if (!(others > 0)) continue;
    sum += 1 / others;
    best += theta[j] / others;
  }
  best /= sum;
  double shape = 0;
  for (double x : sorted) shape += std::log1p(-best * x) / n;
  const double scale = -shape / best;
  constexpr double kPriorCount = 10, kPriorShape = 0.5;
  return {(n * shape + kPriorCount * kPriorShape) / (n + kPriorCount), scale};
}

double ParetoQuantile(const ParetoFit& fit, double p) {
  if (std::fabs(fit.shape) < 1e-12) return -fit.scale * std::log1p(-p);
  return fit.scale / fit.shape * std::expm1(-fit.shape * std::log1p(-p));
}

}  // namespace

SmoothedWeights SmoothWeights(std::span<const double> log_weights) {
  constexpr std::size_t kLeastTail = 5;
  SmoothedWeights result;
  const std::size_t s = log_weights.size();
  result.weights.assign(s, 0.0);
  double most = -std::numeric_limits<double>::infinity();
  std::size_t known = 0;
  for (double w : log_weights) {
    if (std::isnan(w)) continue;
    most = std::max(most, w);
    known += w > -std::numeric_limits<double>::infinity();
  }
  result.shape = std::numeric_limits<double>::infinity();
  if (known == 0) return result;  // all weights and the effective number of draws are zero
  for (std::size_t i = 0; i < s; ++i) {
    result.weights[i] = std::isnan(log_weights[i]) ? 0 : std::exp(log_weights[i] - most);
  }
  std::vector<std::size_t> order(s);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return result.weights[a] < result.weights[b];
  });
  const auto size = static_cast<double>(s);
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * size, 3 * std::sqrt(size))));
  if (known >= kLeastTail && tail >= kLeastTail && tail < s) {
    const double threshold = result.weights[order[s - tail - 1]];
    std::vector<double> above;
    for (std::size_t i = s - tail; i < s; ++i) {
      above.push_back(result.weights[order[i]] - threshold);
    }
    if (above.front() >= 0 && above.back() > 0) {
      std::vector<double> positive = above;
      for (double& x : positive) x = std::max(x, 1e-300);
      const ParetoFit fit = FitPareto(positive);
      result.shape = fit.shape;
      for (std::size_t i = 0; i < tail && std::isfinite(fit.shape); ++i) {
        const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(tail);
        result.weights[order[s - tail + i]] = std::min(threshold + ParetoQuantile(fit, p), 1.0);
      }
    } else {
      result.shape = -std::numeric_limits<double>::infinity();  // the largest weights are all equal
    }
  }
  const double sum = std::accumulate(result.weights.begin(), result.weights.end(), 0.0);
  double squares = 0;
  for (double& w : result.weights) {
    w /= sum;
    squares += w * w;
  }
  result.effective = 1 / squares;
  return result;
}

std::vector<std::size_t> Resample(std::span<const double> weights, std::size_t count,
                                  double uniform) {
  std::vector<std::size_t> chosen;
  double reached = 0;
  std::size_t i = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double level = (static_cast<double>(k) + uniform) / static_cast<double>(count);
    while (i + 1 < weights.size() && reached + weights[i] < level) reached += weights[i++];
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace gpode
