// Simulated data that resemble motion capture, for benchmarks.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gpode/dataset.h"
#include "support/noise.h"

namespace gpode::testing_support {

// Returns sequences that resemble a walking body: 50 channels mixed from five smooth oscillations.
inline Dataset WalkingData(std::size_t sequences, std::size_t frames) {
  constexpr Eigen::Index kChannels = 50, kStates = 5;
  Numbers numbers(17);
  const Matrix mixing = numbers.Normals(kStates, kChannels);
  Dataset data;
  for (Eigen::Index c = 0; c < kChannels; ++c) data.channels.push_back(fmt::format("c{}", c));
  for (std::size_t n = 0; n < sequences; ++n) {
    Matrix states(static_cast<Eigen::Index>(frames), kStates);
    std::vector<double> times;
    for (std::size_t i = 0; i < frames; ++i) {
      times.push_back(0.01 * static_cast<double>(i + 1));
      for (Eigen::Index k = 0; k < kStates; ++k) {
        const double rate = 5 * (1 + static_cast<double>(k / 2)) + 0.2 * static_cast<double>(n);
        const double phase = 1.6 * static_cast<double>(k % 2) + 0.3 * static_cast<double>(k);
        states(static_cast<Eigen::Index>(i), k) = std::sin(rate * times.back() + phase);
      }
    }
    data.trajectories.push_back({"", times, WithNoise(states * mixing, 0.05, 20 + n), 0.0});
  }
  return data;
}

}  // namespace gpode::testing_support
