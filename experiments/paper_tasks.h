// The simulated tasks of the paper (Hegde et al. 2022, sections 4.1 to 4.3), regenerated: noise and
// irregular times come from NumPy's legacy generator with the seeds of the original data sets.
//
// The initial state is one observation gap before the first observation. Test values have no noise.
//
// Thread safety: plain values and functions.
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
  std::vector<double> start;  // (2), the state at time 0
};

// Returns 50 noisy observations on [0, 7]. The test interval follows, equally long, with 50 points
// for the regular and 100 for the irregular task.
PaperTask VanDerPolRegular();
PaperTask VanDerPolIrregular();

// Returns 25 (or 50) noisy observations on [0, 5], without those with x1 > 0 and x2 < 0, which are
// the test.
PaperTask FitzHughNagumoGap(std::size_t points = 25);

// Returns 4 T noisy observations on [0, T]. The test consists of the next 50 points at the same
// spacing.
PaperTask LongVanDerPol(std::size_t length, double noise_variance);

}  // namespace gpode::experiments
