#include "train/minibatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gpode {
namespace {

using Indices = std::vector<std::size_t>;

Indices Chosen(Minibatches& batches, std::size_t step) {
  SegmentChoice choice;
  batches.Choose(step, choice);
  return choice.segments;
}

TEST(Minibatches, AnEpochSeesEverySegmentOnce) {
  constexpr std::size_t kCount = 700, kSize = 35;
  Minibatches batches(3, 0, kCount, kSize);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < kCount / kSize; ++i) {
      const Indices batch = Chosen(batches, epoch * (kCount / kSize) + i);
      EXPECT_EQ(batch.size(), kSize);
      EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end()));
      seen.insert(batch.begin(), batch.end());
    }
    EXPECT_EQ(seen.size(), kCount);
    EXPECT_EQ(*seen.rbegin(), kCount - 1);
  }
}

TEST(Minibatches, BatchesDependOnSeedPhaseAndStepAlone) {
  Minibatches batches(3, 1, 300, 20), again(3, 1, 300, 20);
  Minibatches other_seed(4, 1, 300, 20), other_phase(3, 0, 300, 20);
  const Indices late = Chosen(batches, 47);
  EXPECT_EQ(Chosen(again, 47), late) << "without the steps before";
  EXPECT_NE(Chosen(again, 2), late);
  EXPECT_EQ(Chosen(again, 47), late) << "and back again";
  EXPECT_NE(Chosen(again, 32), late) << "the epoch before";
  EXPECT_NE(Chosen(other_seed, 47), late);
  EXPECT_NE(Chosen(other_phase, 47), late);
}

// Each segment is equally likely in each step, even if the number of segments is not a multiple of
// the batch size.
TEST(Minibatches, NoSegmentIsPreferred) {
  constexpr std::size_t kCount = 11, kSize = 4, kSteps = 20000;
  Minibatches batches(5, 0, kCount, kSize);
  std::vector<double> times(kCount, 0.0);
  SegmentChoice choice;
  for (std::size_t step = 0; step < kSteps; ++step) {
    batches.Choose(step, choice);
    for (std::size_t i : choice.segments) times[i] += 1;
  }
  EXPECT_DOUBLE_EQ(choice.weight, 11.0 / 4.0);
  const double expected = kSteps * static_cast<double>(kSize) / kCount;
  for (double t : times) EXPECT_NEAR(t, expected, 0.03 * expected);
}

TEST(Minibatches, WithoutASizeOrWithALargeOneAllAreChosen) {
  for (std::size_t size : {0, 3, 9}) {
    Minibatches batches(1, 0, 3, size);
    SegmentChoice choice;
    batches.Choose(8, choice);
    EXPECT_TRUE(batches.whole());
    EXPECT_EQ(choice.segments, (Indices{0, 1, 2}));
    EXPECT_EQ(choice.weight, 1.0);
  }
}

}  // namespace
}  // namespace gpode
