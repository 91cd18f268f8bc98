// Small data and networks for tests of neural ODEs.
#pragma once

#include <cmath>

#include "gpode/neural.h"
#include "gpode/simulate.h"
#include "neural/neural_problem.h"
#include "support/noise.h"
#include "support/random_gp.h"

namespace gpode::testing_support {

// A damped rotation seen with noise, from two starts.
inline Dataset RotationData(double noise_share = 0.05) {
  const std::vector<double> times = RegularTimes(0.2, 4, 20);
  Dataset data{.channels = {"x", "y"}, .trajectories = {}};
  std::uint64_t seed = 1;
  for (const Vector& x0 : {Vector{{1.0, 0.5}}, Vector{{-0.3, -1.2}}}) {
    Matrix states(20, 2);
    for (Eigen::Index i = 0; i < 20; ++i) {
      const double t = 1.5 * times[i], decay = std::exp(-0.1 * times[i]);
      states.row(i) << decay * (x0[0] * std::cos(t) + x0[1] * std::sin(t)),
          decay * (x0[1] * std::cos(t) - x0[0] * std::sin(t));
    }
    data.trajectories.push_back({"", times, WithNoise(states, noise_share, seed++), 0.0});
  }
  return data;
}

// Two states seen through three channels, two trajectories, gaps; steps of fixed size, so that the
// log likelihood is smooth.
inline NeuralProblem SmallProblem() {
  NeuralProblem problem;
  problem.map.matrix = Matrix(3, 2);
  problem.map.matrix << 1, 0.2, -0.3, 1.1, 0.5, 0.5;
  problem.map.offset = Vector{{0.1, -0.2, 0}};
  Numbers numbers(3);
  for (const std::vector<double>& times : {std::vector<double>{0.0, 0.3, 1.0, 1.1}, {0.5, 0.9}}) {
    Matrix values(static_cast<Eigen::Index>(times.size()), 3);
    for (double& v : values.reshaped()) v = numbers.Normal();
    problem.trajectories.push_back({times, values});
  }
  problem.trajectories[0].values(1, 2) = NAN;
  problem.trajectories[1].values.row(0).setConstant(NAN);
  problem.hidden = {4, 3};
  problem.weight_scale = WeightScales(2, problem.hidden, 1.3);
  problem.log_noise_centre = Vector{{-1, -2, -0.5}};
  problem.log_noise_deviation = Vector{{0.5, 1, 2}};
  problem.solver.fixed_step = 0.05;
  return problem;
}

inline std::vector<double> SomeFlat(const NeuralProblem& problem, std::uint64_t seed = 4) {
  Numbers numbers(seed);
  std::vector<double> flat(problem.flat_size());
  for (double& v : flat) v = 0.7 * numbers.Normal();
  return flat;
}

}  // namespace gpode::testing_support
