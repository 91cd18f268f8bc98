// The simulated tasks of the paper (Hegde et al. 2022, sections 4.1 to 4.3), regenerated: noise and
// irregular times come from NumPy's legacy generator with the seeds of the original data sets.
//
// The initial state sits one gap before the first observation. Test values are without noise.
//
//   PaperTask task = VanDerPolRegular();
//   Model model = Fit(task.data, {});
#pragma once

#include <string>
#include <vector>

#include "gpode/dataset.h"

namespace gpode::experiments {

struct PaperTask {
  std::string name;
  Dataset data;                    // one trajectory of two states
  std::vector<double> test_times;  // (T)
  Matrix test_values;              // (T, 2)
  double noise_variance;
  std::string system;         // see gpode/systems.h
  std::vector<double> start;  // (2), its state at time 0
};

// 50 noisy points on [0, 7]; the test is as long again, with 50 and 100 points.
PaperTask VanDerPolRegular();
PaperTask VanDerPolIrregular();

// 25 (or 50) points on [0, 5]; those with x1 > 0 and x2 < 0 are taken out and are the test.
PaperTask FitzHughNagumoGap(std::size_t points = 25);

// 4 T points on [0, T]; the test are the 50 points after them, at the same spacing.
PaperTask LongVanDerPol(std::size_t length, double noise_variance);

}  // namespace gpode::experiments
