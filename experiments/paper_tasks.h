// The simulated tasks of the paper (Hegde et al. 2022, sections 4.1 to 4.3), regenerated: noise and
// irregular times come from NumPy's legacy generator with the seeds of the original data sets.
//
// The initial state is one observation gap before the first observation. Test values have no noise.
//
// Thread safety: any thread may call these functions; they share no state that changes.
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

// Both return 50 noisy observations on [0, 7]. The test times follow on an interval of about the
// same length: 50 for the regular and 100 for the irregular task.
PaperTask VanDerPolRegular();
PaperTask VanDerPolIrregular();

// Returns noisy observations at `points` times on [0, 5]; the original data sets have 25 and 50.
// Times at which the truth has x1 > 0 and x2 < 0 are left out, and are the test times.
PaperTask FitzHughNagumoGap(std::size_t points = 25);

// Returns 4 T noisy observations on [0, T], where T is `length`. The test data are the next 50
// times at the same spacing.
PaperTask LongVanDerPol(std::size_t length, double noise_variance);

}  // namespace gpode::experiments
