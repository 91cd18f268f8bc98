// Data and options of a very short training run, for tests of model files and runs.
#pragma once

#include "gpode/simulate.h"
#include "gpode/training.h"
#include "support/noise.h"

namespace gpode::testing_support {

// Returns two trajectories, one with a start time and one with a missing value, and unusual names.
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
