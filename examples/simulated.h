// Noisy observations of a Van der Pol oscillator, for the other examples.
#pragma once

#include <gpode/gpode.h>

#include <vector>

inline std::vector<double> Regular(double from, double to, int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(from + (to - from) * i / (count - 1));
  return times;
}

inline gpode::Matrix Observe(const std::vector<double>& times, double noise, int seed) {
  const std::vector<double> start = {-1.5, 2.5};
  const std::size_t count = 2 * times.size();
  gpode::Matrix values(static_cast<int>(times.size()), 2);
  gpode::Solver().Solve(gpode::VanDerPol(0.5), start, 0.0, times, {values.data(), count});
  std::vector<double> normals(count);
  gpode::RandomStream(seed, 0, 0, gpode::Purpose::kObservationNoise).Normals(normals);
  for (std::size_t i = 0; i < count; ++i) values.data()[i] += noise * normals[i];
  return values;
}
