// Noise for states that are not simulated by gpode/simulate.h.
#pragma once

#include "gpode/field.h"
#include "support/random_gp.h"

namespace gpode::testing_support {

// Returns the states plus noise whose standard deviation is the given share of each channel's
// standard deviation.
inline Matrix WithNoise(Matrix states, double share, std::uint64_t seed) {
  Numbers numbers(seed);
  const Matrix centred = states.rowwise() - states.colwise().mean();
  const Vector spread = (centred.colwise().squaredNorm() / static_cast<double>(states.rows()))
                            .cwiseSqrt()
                            .transpose();
  for (Eigen::Index i = 0; i < states.rows(); ++i) {
    for (Eigen::Index k = 0; k < states.cols(); ++k)
      states(i, k) += share * spread[k] * numbers.Normal();
  }
  return states;
}

}  // namespace gpode::testing_support
