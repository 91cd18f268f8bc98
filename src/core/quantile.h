// Quantiles of sorted numbers, with linear interpolation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace gpode {

// Returns the quantile p, from 0 to 1, of at least one number in increasing order.
inline double SortedQuantile(std::span<const double> sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace gpode
