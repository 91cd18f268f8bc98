// The pieces of time on which the process noise of a model is a constant force.
//
// Process noise is a random force w(t) that is added to the field: dx/dt = f(x) + w(t). It is
// constant on pieces of equal length h, where component d is normal with the variance s_d^2 / h.
// Over a time T, the force moves state d by a normal number of variance s_d^2 T, as a Brownian
// motion with the standard deviation s_d per square root of time does.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace gpode {

struct NoisePieces {
  // For each trajectory, the number of its pieces, their length in the model's time, and their
  // ends. The first piece begins at time zero, the start of the trajectory.
  std::vector<std::size_t> counts;
  std::vector<double> lengths;
  std::vector<std::vector<double>> ends;

  // The number of pieces of all trajectories, and of those before trajectory n.
  std::size_t count() const { return Before(counts.size()); }
  std::size_t Before(std::size_t n) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += counts[i];
    return sum;
  }
};

// Cuts trajectories with these time spans into equal pieces. `counts` is empty if there is no
// process noise; the result then has no pieces either.
inline NoisePieces CutIntoPieces(std::span<const std::size_t> counts,
                                 std::span<const double> spans) {
  NoisePieces pieces;
  pieces.counts.assign(counts.begin(), counts.end());
  for (std::size_t n = 0; n < counts.size(); ++n) {
    const auto count = static_cast<double>(counts[n]);
    pieces.lengths.push_back(spans[n] / count);
    pieces.ends.emplace_back();
    for (std::size_t p = 1; p <= counts[n]; ++p) {
      pieces.ends.back().push_back(p == counts[n] ? spans[n]
                                                  : spans[n] * static_cast<double>(p) / count);
    }
  }
  return pieces;
}

}  // namespace gpode
