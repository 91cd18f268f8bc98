// Tests of the names of kernels with a linear or polynomial part.
#include "kernel/kernel_sum.h"

#include <gtest/gtest.h>

#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

TEST(KernelSum, HasOneCanonicalName) {
  for (const auto& [text, name, degree] :
       std::vector<std::tuple<std::string, std::string, std::size_t>>{
           {"matern52", "matern52", 0},
           {" se ", "squared-exponential", 0},
           {"se+linear", "squared-exponential + linear", 1},
           {"squared-exponential +  linear", "squared-exponential + linear", 1},
           {"matern52 + polynomial2", "matern52 + polynomial2", 2},
           {"matern32+ polynomial3 ", "matern32 + polynomial3", 3}}) {
    const KernelSum sum = GetKernelSum(text);
    EXPECT_EQ(sum.Name(), name) << text;
    EXPECT_EQ(sum.degree, degree) << text;
    EXPECT_EQ(GetKernelSum(sum.Name()).Name(), name);
  }
}

TEST(KernelSum, RefusesEverythingElse) {
  for (const char* text :
       {"", "linear", "se + ", "+ linear", "se + polynomial1", "se + polynomial4", "linear + se",
        "se + matern52", "se linear", "se + linear + linear"}) {
    EXPECT_FALSE(FindKernelSum(text)) << text;
  }
  EXPECT_EQ(MessageOf([] { GetKernelSum("se + cubic"); }),
            "GetKernelSum: kernel is 'se + cubic', must be " + AcceptedKernelSums());
}

}  // namespace
}  // namespace gpode
