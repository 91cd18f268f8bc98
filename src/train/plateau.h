// Notices that an estimate no longer grows: compares means of windows of steps.
#pragma once

#include <cstddef>

namespace gpode {

// Its members are public, so that checkpoints can save and restore them.
struct Plateau {
  static constexpr std::size_t kWindow = 250;

  // Adds a step's value. A window whose mean is not above the best one so far, by twice the
  // standard error of the difference, is stale.
  void Add(double value);

  double sum = 0, squares = 0;  // of the window
  std::size_t count = 0;        // steps in the window
  double best = 0, best_error = 0;
  std::size_t windows = 0;  // complete ones
  std::size_t stale = 0;    // in a row, up to the last

  bool operator==(const Plateau&) const = default;
};

}  // namespace gpode
