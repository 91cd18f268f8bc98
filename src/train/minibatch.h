// The segments that each step sees.
//
// A permutation of all segments is cut into batches, and changes when all of them were seen (but
// for the few at its end that do not fill a batch). It depends on seed, phase and epoch alone, so
// that a resumed run makes it anew.
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

  // Sets the segments of `step` and their weight. Takes time and memory in proportion to the batch,
  // on average over an epoch.
  void Choose(std::size_t step, SegmentChoice& choice);

 private:
  void Shuffle(std::size_t epoch);

  std::uint64_t seed_, phase_;
  std::size_t count_, size_;
  std::size_t epoch_ = 0;           // the epoch of `order_`, unless that is empty
  std::vector<std::size_t> order_;  // empty at first
};

}  // namespace gpode
