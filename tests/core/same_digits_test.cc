// Tests that results do not depend on the machine.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "gpode/error.h"

namespace gpode {
namespace {

// Eigen once ordered the sums of large products by the machine's cache sizes, so that a sampler
// made other draws on another CPU.
TEST(SameDigits, CacheSizesAreNotThoseOfTheMachine) {
  EXPECT_THROW(ThrowInput("f", "x", "is linked"), InputError);
  EXPECT_EQ(Eigen::l1CacheSize(), 32 << 10);
  EXPECT_EQ(Eigen::l2CacheSize(), 1 << 20);
  EXPECT_EQ(Eigen::l3CacheSize(), 320 << 20);
}

}  // namespace
}  // namespace gpode
