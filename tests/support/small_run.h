// A training run so small that it ends at once, for tests of what is done with runs.
#pragma once

#include "gpode/simulate.h"
#include "gpode/training.h"
#include "support/noise.h"

namespace gpode::testing_support {

// Two trajectories, one with a start time of its own, one with a gap; odd names.
inline Dataset SmallData() {
  const std::vector<double> times = RegularTimes(0, 3, 9);
  Dataset data{
      .channels = {"x", "y\n\\n"},
      .trajectories = {
          {"a b", times,
           WithNoise(SolveSystem("vdp", std::vector<double>{-1.5, 2.5}, times), 0.05, 3), -0.25},
          {"",
           times,
           WithNoise(SolveSystem("vdp", std::vector<double>{1, 0}, times), 0.05, 4),
           {}}}};
  data.trajectories[1].values(2, 0) = NAN;
  return data;
}

inline FitOptions SmallOptions() {
  FitOptions options;
  options.inducing = 4;
  options.features = 16;
  options.steps = 12;
  options.threads = 1;
  return options;
}

}  // namespace gpode::testing_support
