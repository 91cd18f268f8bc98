// Simulates data from systems with known equations (systems.h) and returns the exact states, too.
//
//   y_i = x(t_i) + noise,   dx/dt = f(x),   x(0) = start,   noise_k ~ N(0, variance_k)
//
// The solver's tolerances are so tight that its error is negligible beside any realistic noise. All
// random numbers are addressed by the seed (random.h), so that the same options give the same bits.
//
// Thread safety: all functions may be called from any thread.
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
  std::size_t points = 50;         // observation times per trajectory, the first at 0
  bool irregular = false;          // true for random (uniform) times, false for equally spaced ones
  // The noise is given either by its variances, one for all states or one for each, or by
  // noise_share: its standard deviation is then this share of a state's standard deviation over all
  // times and trajectories.
  std::vector<double> noise_variance = {};
  double noise_share = 0;
  // The first trajectory begins at `start`. The others begin at random states around it, whose
  // standard deviation is start_spread times that of each state along the first trajectory. The
  // random states are normal, or log-normal if the states must be positive.
  std::size_t trajectories = 1;
  double start_spread = 0.5;
  double missing = 0;  // each value is missing with this probability, less than 1
  // If `counts` is positive, observations are counts with the mean m = counts * max(x, 0) instead
  // of states with noise. Their distribution is Poisson or, if `dispersion` is positive, negative
  // binomial with the variance m + dispersion m^2.
  double counts = 0, dispersion = 0;
  // The probability that a value becomes a gross outlier: ten times the state's spread is added to
  // or subtracted from it.
  double outliers = 0;
  std::uint64_t seed = 1;
};

struct Simulation {
  Dataset data;               // the data with noise and gaps; channels are the system's states
  std::vector<Matrix> truth;  // (trajectories) of (points, D), without noise; for counts, the means
  Matrix starts;              // (trajectories, D), at time 0
  Vector noise_variance;      // (D), the variance of the noise in `data`

  std::vector<double> start(std::size_t trajectory) const;
};

// Throws an InputError for options that are out of range, or if the integration fails.
Simulation Simulate(const SimulationOptions& options);

// Returns the states (T, D), at increasing times, of the solution that is at `start` at time 0. The
// system is given as a field or by its name, with its default parameters.
Matrix SolveSystem(const Field& field, std::span<const double> start, std::span<const double> times,
                   bool stiff = false);
Matrix SolveSystem(std::string_view system, std::span<const double> start,
                   std::span<const double> times);

// Returns `count` times with equal gaps, from `from` to `to`.
std::vector<double> RegularTimes(double from, double to, std::size_t count);

}  // namespace gpode
