// Data simulated from systems with known equations (systems.h), and the truth beside it.
//
//   y_i = x(t_i) + noise,   dx/dt = f(x),   x(0) = start,   noise_k ~ N(0, variance_k)
//
// The solution is computed with tolerances so tight that its error is far below any noise of use.
// All randomness is addressed by the seed (random.h): the same options give the same bits.
//
// Thread safety: plain functions and values.
//
//   Simulation s = Simulate({.system = "vdp", .points = 60, .noise_share = 0.08, .seed = 3});
//   Matrix later = SolveSystem("vdp", s.start(0), RegularTimes(7, 14, 50));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/dataset.h"

namespace gpode {

struct SimulationOptions {
  std::string system = "vdp";      // a name of SystemNames()
  std::vector<double> start = {};  // (D); empty: the system's default
  double span = 0;                 // times are in [0, span]; 0: the system's default
  std::size_t points = 50;         // per trajectory, the first at time 0
  bool irregular = false;          // sorted uniform times, instead of equal gaps up to span
  // The noise: variances, one for all states or one for each, or a standard deviation as a share of
  // each state's spread (its standard deviation over all times and trajectories); not both.
  std::vector<double> noise_variance = {};
  double noise_share = 0;
  // The first trajectory begins at `start`, others at normals around it whose standard deviation is
  // this share of each state's spread along the first; log-normals where states are positive.
  std::size_t trajectories = 1;
  double start_spread = 0.5;
  double missing = 0;  // each value is missing with this probability, less than 1
  std::uint64_t seed = 1;
};

struct Simulation {
  Dataset data;               // with noise and gaps; channels are the system's states
  std::vector<Matrix> truth;  // (trajectories) of (points, D), without noise
  Matrix starts;              // (trajectories, D), at time 0
  Vector noise_variance;      // (D) what was added

  std::vector<double> start(std::size_t trajectory) const;
};

// Throws an InputError for options that make no sense, or when the system runs away from the start.
Simulation Simulate(const SimulationOptions& options);

// States (T, D) of a system, with its default parameters or given as a field, at increasing times
// from `start` at time 0 on.
Matrix SolveSystem(const Field& field, std::span<const double> start,
                   std::span<const double> times);
Matrix SolveSystem(std::string_view system, std::span<const double> start,
                   std::span<const double> times);

// `count` times with equal gaps, the first is `from`, the last `to`.
std::vector<double> RegularTimes(double from, double to, std::size_t count);

}  // namespace gpode
