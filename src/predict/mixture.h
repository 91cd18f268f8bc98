// The mixture of normals around draws: what a forecast says of a new observation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "core/quantile.h"

namespace gpode {

inline double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// (1/S) sum_s P(N(x_s, deviation^2) <= y), of at least one x; deviation above zero.
inline double MixtureCdf(double y, std::span<const double> x, double deviation) {
  double sum = 0;
  for (double v : x) sum += NormalCdf((y - v) / deviation);
  return sum / static_cast<double>(x.size());
}

// The y with MixtureCdf(y) = p, of increasing x, at least one; p from 0 to 1.
inline double MixtureQuantile(double p, std::span<const double> sorted, double deviation) {
  if (!(deviation > 0)) return SortedQuantile(sorted, p);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (p <= 0) return -kInfinity;
  if (p >= 1) return kInfinity;
  // No normal has less than 1e-300 of its mass beyond 38 deviations.
  double low = sorted.front() - 38 * deviation, high = sorted.back() + 38 * deviation;
  const double precision = 1e-9 * deviation;
  while (high - low > precision) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (MixtureCdf(middle, sorted, deviation) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace gpode
