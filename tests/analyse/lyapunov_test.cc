// Tests of Lyapunov exponents, on systems whose exponents are published or known exactly.
#include "gpode/lyapunov.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gpode/systems.h"

namespace gpode {
namespace {

// script/test --long averages over ten times as much time.
double Longer() { return std::getenv("GPODE_LONG_TESTS") != nullptr ? 10 : 1; }

TEST(Lyapunov, LinearSystemHasItsEigenvalues) {
  const LinearSystem field(Matrix{{-0.1, 0, 0}, {3, -0.5, 0}, {0, 1, -2}});
  const StateBox box{Vector::Constant(3, -1), Vector::Constant(3, 1)};
  const LyapunovSpectrum spectrum = LyapunovExponents(field, box, Vector{{0.5, 0, 0}});
  ASSERT_TRUE(spectrum.ok());
  EXPECT_NEAR(spectrum.exponents[0], -0.1, 1e-4);
  EXPECT_NEAR(spectrum.exponents[1], -0.5, 1e-4);
  EXPECT_NEAR(spectrum.exponents[2], -2, 1e-4);
}

TEST(Lyapunov, LorenzHasThePublishedExponents) {
  // Viswanath, Lyapunov exponents from random Fibonacci sequences to the Lorenz equations (1998):
  // 0.9056, 0, -14.5723.
  const StateBox box{Vector{{-25, -30, -5}}, Vector{{25, 30, 55}}};
  const LyapunovSpectrum spectrum =
      LyapunovExponents(*MakeSystem("lorenz63"), box, Vector{{1, 1, 20}},
                        {.time = 3000 * Longer(), .tolerance = 1e-7});
  ASSERT_TRUE(spectrum.ok());
  EXPECT_NEAR(spectrum.exponents[0], 0.9056, 0.009);
  EXPECT_NEAR(spectrum.exponents[1], 0, 0.003);
  EXPECT_NEAR(spectrum.exponents[2], -14.5723, 0.02);
  EXPECT_LT(spectrum.standard_errors[0], 0.01);
  EXPECT_NEAR(spectrum.dimension, 2.062, 0.01);
}

TEST(Lyapunov, RosslerHasThePublishedExponent) {
  // Sprott, Chaos and Time-Series Analysis (2003), for a = b = 0.2, c = 5.7: 0.0714, 0, -5.3943.
  const StateBox box{Vector{{-15, -15, -5}}, Vector{{15, 15, 30}}};
  const LyapunovSpectrum spectrum =
      LyapunovExponents(Rossler(0.2, 0.2, 5.7), box, Vector{{1, 1, 0}},
                        {.time = 20000 * Longer(), .transient = 200, .tolerance = 1e-7});
  ASSERT_TRUE(spectrum.ok());
  EXPECT_NEAR(spectrum.exponents[0], 0.0714, 0.000714 * (Longer() > 1 ? 1 : 3));
  EXPECT_NEAR(spectrum.exponents[2], -5.3943, 0.02);
}

TEST(Lyapunov, SolutionThatLeavesHasNone) {
  const LinearSystem field(Matrix{{1.0, 0}, {0, 1.0}});
  const StateBox box{Vector::Constant(2, -1), Vector::Constant(2, 1)};
  EXPECT_FALSE(LyapunovExponents(field, box, Vector{{0.5, 0}}).ok());
}

}  // namespace
}  // namespace gpode
