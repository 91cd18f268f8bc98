// A random sample of windows of consecutive rows, taken while a file is read, so that the memory
// does not depend on the size of the file.
//
// The rows of every trajectory are cut into windows of kWindow rows. Each window has a random key,
// a function of its place in the file alone, and those with the smallest keys are kept. So every
// window has the same chance, and the same file always gives the same sample.
//
// Thread safety: an object belongs to one thread.
//
//   WindowSample sample(10000);
//   sample.Offer({.trajectory = 0, .number = 3, .first_row = 300, .times = t, .values = y});
//   std::vector<RowWindow> windows = std::move(sample).Take();
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpode/field.h"

namespace gpode::internal {

struct RowWindow {
  std::size_t trajectory = 0;  // the index of its trajectory
  std::size_t number = 0;      // its place among the windows of its trajectory
  std::size_t first_row = 0;   // its first row's place among the rows of its trajectory
  std::vector<double> times = {};
  Matrix values = {};     // (rows, channels)
  std::uint64_t key = 0;  // set by WindowSample
};

class WindowSample {
 public:
  static constexpr std::size_t kWindow = 100;  // rows

  // The sample has at most about `rows` rows, and at least one window.
  explicit WindowSample(std::size_t rows);

  // Adds the next window of the file to the sample, or skips it, as its key decides.
  void Offer(RowWindow window);
  // Returns the windows of the sample, ordered by trajectory and number. Windows that follow one
  // another are joined.
  std::vector<RowWindow> Take() &&;

 private:
  std::size_t most_;
  std::uint64_t offered_ = 0;
  std::vector<RowWindow> kept_;  // a heap, with the largest key at its front
};

}  // namespace gpode::internal
