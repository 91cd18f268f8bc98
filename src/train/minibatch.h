// Minibatches: chooses the segments of trajectories whose terms a training step evaluates.
//
// A permutation of all segments is cut into batches, one for each step; segments at its end that do
// not fill a batch are left out. After its last batch, the next epoch begins with a new
// permutation. A permutation depends on seed, phase and epoch alone, so that a resumed run can
// compute it again.
//
//   Minibatches batches(seed, phase, count, size);
//   batches.Choose(step, choice);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/bound.h"

namespace gpode {

class Minibatches {
 public:
  // Each step takes `size` of `count` segments; all of them if `size` is 0 or not less than
  // `count`.
  Minibatches(std::uint64_t seed, std::uint64_t phase, std::size_t count, std::size_t size);

  bool whole() const { return size_ == count_; }

  // Sets the segments of `step` and their weight. The time for one call is, on average over an
  // epoch, proportional to the size of the batch.
  void Choose(std::size_t step, SegmentChoice& choice);

 private:
  void Shuffle(std::size_t epoch);

  std::uint64_t seed_, phase_;
  std::size_t count_, size_;
  std::size_t epoch_ = 0;           // the epoch that `order_` belongs to
  std::vector<std::size_t> order_;  // the permutation; empty before the first call of Shuffle
};

}  // namespace gpode
