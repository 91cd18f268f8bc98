#include "core/special.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gpode {
namespace {

TEST(Special, Digamma) {
  EXPECT_NEAR(Digamma(1), -std::numbers::egamma, 1e-13);
  EXPECT_NEAR(Digamma(0.5), -std::numbers::egamma - 2 * std::numbers::ln2, 1e-13);
  EXPECT_NEAR(Digamma(20.5) - Digamma(19.5), 1 / 19.5, 1e-13);
  // The difference quotient of the logarithm of the gamma function.
  EXPECT_NEAR(Digamma(3.3), (LogGamma(3.3 + 1e-5) - LogGamma(3.3 - 1e-5)) / 2e-5, 1e-9);
}

// The reference sums the probabilities one by one.
TEST(Special, UpperGammaIsThePoissonCdf) {
  for (const double rate : {0.3, 4.0, 40.0, 900.0}) {
    double sum = 0;
    for (int k = 0; k < 1000; ++k) {
      sum += std::exp(k * std::log(rate) - rate - LogGamma(k + 1));
      if (k % 7 != 0) continue;
      EXPECT_NEAR(UpperGamma(k + 1, rate), sum, 1e-11) << rate << " " << k;
    }
  }
  EXPECT_EQ(UpperGamma(2, 0), 1);
}

TEST(Special, IncompleteBetaIsTheNegativeBinomialCdf) {
  for (const double r : {0.4, 2.5, 200.0}) {
    const double m = 12, p = r / (r + m);
    double sum = 0;
    for (int k = 0; k < 200; ++k) {
      sum += std::exp(LogGamma(k + r) - LogGamma(r) - LogGamma(k + 1) + r * std::log(p) +
                      k * std::log1p(-p));
      EXPECT_NEAR(IncompleteBeta(r, k + 1, p), sum, 1e-11) << r << " " << k;
    }
  }
  EXPECT_EQ(IncompleteBeta(2, 3, 0), 0);
  EXPECT_EQ(IncompleteBeta(2, 3, 1), 1);
}

}  // namespace
}  // namespace gpode
