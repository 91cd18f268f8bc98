// Notices that a random estimate of the bound no longer grows, by comparing means over windows of
// steps.
#pragma once

#include <cstddef>

namespace gpode {

// The members are public, so that checkpoints can save and restore them.
struct Plateau {
  static constexpr std::size_t kWindow = 250;

  // Adds the value of one step. After every kWindow values, compares their mean with the best mean
  // of an earlier window. The window is stale unless its mean is larger by more than twice the
  // standard error of the difference.
  void Add(double value);

  double sum = 0, squares = 0;      // sums of the values in the present window and their squares
  std::size_t count = 0;            // values in the present window
  double best = 0, best_error = 0;  // the best mean of a window, and its standard error
  std::size_t windows = 0;          // number of complete windows
  std::size_t stale = 0;            // number of stale windows since the last one that was not stale

  bool operator==(const Plateau&) const = default;
};

}  // namespace gpode
