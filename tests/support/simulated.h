// Data sets simulated from known systems, for tests.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/ode.h"
#include "gpode/systems.h"
#include "support/random_gp.h"

namespace gpode::testing_support {

// States (T, D) of a system from `start` at time 0.
inline Matrix Simulate(const std::string& system, const std::vector<double>& start,
                       const std::vector<double>& times) {
  const auto field = MakeSystem(system);
  Matrix states(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(start.size()));
  Solver({.rtol = 1e-9, .atol = 1e-9})
      .Solve(*field, start, 0.0, times, {states.data(), static_cast<std::size_t>(states.size())});
  return states;
}

inline std::vector<double> Regular(double from, double to, std::size_t count) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    times.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return times;
}

// Adds noise of the given share of each channel's spread.
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
