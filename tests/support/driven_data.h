// Data of a system that a held input drives, for tests.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "data/data_inputs.h"
#include "gpode/dataset.h"
#include "gpode/ode.h"
#include "support/driven_field.h"
#include "support/random_gp.h"

namespace gpode::testing_support {

// Returns samples of one input with random levels that hold for a unit of time, from 0 to `end`.
inline InputSamples RandomLevels(std::uint64_t seed, double end) {
  Numbers numbers(seed);
  InputSamples samples;
  for (double t = 0; t <= end; t += 1) samples.times.push_back(t);
  samples.values.resize(std::ssize(samples.times), 1);
  for (double& u : samples.values.reshaped()) u = numbers.Uniform(2, 6);
  return samples;
}

// Returns n observations from time 0 to `end` of  x1' = x2,  x2' = -x1 - x2 + u,  both states seen
// with a little noise.
inline Trajectory DrivenTrajectory(const std::string& name, const InputSamples& samples,
                                   std::size_t n, double end, double noise,
                                   InputHold hold = InputHold::kPrevious) {
  const InputRule rule{.names = {"u", "off"}, .hold = hold};
  InputSamples both{.times = samples.times, .values = Matrix::Zero(samples.values.rows(), 2)};
  both.values.col(0) = samples.values.col(0);
  const DataInputs inputs(rule, both, Coordinates::Identity(2, 2), 0);
  Trajectory t{name, {}, Matrix(static_cast<Eigen::Index>(n), 2), {}, samples};
  for (std::size_t i = 0; i < n; ++i) {
    t.times.push_back(end * static_cast<double>(i) / static_cast<double>(n - 1));
  }
  const std::vector<double> x0 = {3, 0};
  Solver({.rtol = 1e-9, .atol = 1e-9})
      .Solve(DrivenOscillator(1, 1, 1), x0, 0, t.times,
             {t.values.data(), static_cast<std::size_t>(t.values.size())}, 0, &inputs);
  Numbers numbers(99);
  for (double& y : t.values.reshaped()) y += noise * numbers.Normal();
  return t;
}

inline Dataset DrivenData(std::uint64_t seed, std::size_t n, double end,
                          InputHold hold = InputHold::kPrevious) {
  Dataset data;
  data.channels = {"x", "v"};
  data.trajectories = {DrivenTrajectory("run", RandomLevels(seed, end), n, end, 0.02, hold)};
  data.inputs = {"u"};
  return data;
}

// Returns data of the same system with u = 4 + 2 cos(2 pi t / period), without measured inputs.
inline Dataset ClockData(double period, std::size_t n, double end) {
  InputSamples samples;
  for (double t = 0; t <= end + 0.005; t += 0.01) samples.times.push_back(t);
  samples.values.resize(std::ssize(samples.times), 1);
  for (Eigen::Index i = 0; i < samples.values.rows(); ++i) {
    const double phase = 2 * std::numbers::pi * samples.times[static_cast<std::size_t>(i)] / period;
    samples.values(i, 0) = 4 + 2 * std::cos(phase);
  }
  Dataset data;
  data.channels = {"x", "v"};
  data.trajectories = {DrivenTrajectory("run", samples, n, end, 0.02, InputHold::kLinear)};
  data.trajectories[0].inputs = {};
  return data;
}

}  // namespace gpode::testing_support
