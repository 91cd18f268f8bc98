// Loops over spans, such as the entries of a batch of states.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace gpode {

inline void Copy(std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
}

// Adds scale * from to `to`.
inline void AddScaled(double scale, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += scale * from[i];
}

inline bool AllZero(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
}

inline bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace gpode
