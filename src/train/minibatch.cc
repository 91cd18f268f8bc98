#include "train/minibatch.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "gpode/random.h"

namespace gpode {

Minibatches::Minibatches(std::uint64_t seed, std::uint64_t phase, std::size_t count,
                         std::size_t size)
    : seed_(seed), phase_(phase), count_(count), size_(size == 0 ? count : std::min(size, count)) {}

void Minibatches::Choose(std::size_t step, SegmentChoice& choice) {
  choice.segments.resize(size_);
  choice.weight = static_cast<double>(count_) / static_cast<double>(size_);
  if (whole()) {
    std::iota(choice.segments.begin(), choice.segments.end(), std::size_t{0});
    return;
  }
  const std::size_t per_epoch = count_ / size_;
  Shuffle(step / per_epoch);
  std::copy_n(order_.begin() + static_cast<std::ptrdiff_t>(step % per_epoch * size_), size_,
              choice.segments.begin());
  std::sort(choice.segments.begin(), choice.segments.end());
}

// Makes the permutation of an epoch by the method of Fisher and Yates. Word i of the epoch's random
// stream decides which segment gets place i.
void Minibatches::Shuffle(std::size_t epoch) {
  if (!order_.empty() && epoch_ == epoch) return;
  epoch_ = epoch;
  order_.resize(count_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const RandomStream stream(seed_, epoch, phase_, Purpose::kMinibatch);
  std::array<std::uint64_t, 256> words;
  std::size_t known = count_;  // the number of the first word in `words`
  for (std::size_t i = count_; i-- > 1;) {
    if (i < known) {
      known = i + 1 - std::min(i + 1, words.size());
      stream.Words(words, known);
    }
    std::swap(order_[i], order_[words[i - known] % (i + 1)]);
  }
}

}  // namespace gpode
