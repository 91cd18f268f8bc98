// The elementary functions and random numbers of the device's kernels, on the CPU.
#include "device/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "device/normals.h"
#include "gpode/random.h"

namespace gpode::device {
namespace {

TEST(DeviceArithmetic, PowersOfTwoAreAccurate) {
  constexpr Exponential kTerms;
  for (int i = 0; i < 20000; ++i) {
    const double t = -0.0033 * i * std::sqrt(1.0 + 0.01 * i);
    if (t < -1000) break;
    const double expected = std::exp2(t);
    EXPECT_NEAR(PowerOfTwo<true>(t, kTerms), expected, 4e-16 * expected) << t;
    EXPECT_NEAR(PowerOfTwo<false>(t, kTerms), expected, 4e-13 * expected) << t;
  }
  EXPECT_EQ(PowerOfTwo<true>(0.0, kTerms), 1.0);
  EXPECT_LT(PowerOfTwo<true>(-1e6, kTerms), 1e-300);
}

TEST(DeviceArithmetic, SinesOfTurnsAreAccurate) {
  for (int i = -20000; i < 20000; ++i) {
    const double t = 0.00123 * i;
    double s, c;
    SinCosTurns(t, s, c);
    const double angle = 2 * 3.14159265358979323846 * (t - std::round(t));
    EXPECT_NEAR(s, std::sin(angle), 1e-15) << t;
    EXPECT_NEAR(c, std::cos(angle), 1e-15) << t;
    float sf, cf;
    SinCosTurns(static_cast<float>(t), sf, cf);
    const auto rounded = static_cast<double>(static_cast<float>(t));
    const double own = 2 * 3.14159265358979323846 * (rounded - std::round(rounded));
    EXPECT_NEAR(sf, std::sin(own), 6e-7) << t;
    EXPECT_NEAR(cf, std::cos(own), 6e-7) << t;
  }
}

TEST(DeviceNormals, HaveTheBitsOfTheCpu) {
  for (std::uint64_t step : {0u, 7u, 123456u}) {
    std::vector<double> expected(501);
    RandomStream(42, step, 3, Purpose::kShootingState).Normals(expected);
    for (std::size_t pair = 0; pair < 250; ++pair) {
      double first, second;
      NormalPair(42, step, 3, static_cast<std::uint64_t>(Purpose::kShootingState), pair, first,
                 second);
      EXPECT_EQ(first, expected[2 * pair]);
      EXPECT_EQ(second, expected[2 * pair + 1]);
    }
  }
}

}  // namespace
}  // namespace gpode::device
