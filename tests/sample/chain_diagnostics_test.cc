#include "gpode/chain_diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/random.h"
#include "sample/chain_statistics.h"

namespace gpode {
namespace {

// Returns three deterministic chains of 41 draws.
Matrix SomeChains() {
  Matrix values(41, 3);
  for (Eigen::Index c = 0; c < 3; ++c) {
    double x = 0.3 * static_cast<double>(c);
    for (Eigen::Index t = 0; t < 41; ++t) {
      const double at = static_cast<double>(t);
      x = 0.6 * x + std::sin(1.7 * at * at + 2.3 * static_cast<double>(c) + 0.4);
      values(t, c) = x;
    }
  }
  return values;
}

// Returns stationary AR(1) chains of variance one.
Matrix Autoregressive(double phi, Eigen::Index draws, Eigen::Index chains, std::uint64_t seed) {
  Matrix values(draws, chains);
  Vector eps(draws);
  for (Eigen::Index c = 0; c < chains; ++c) {
    RandomStream(seed, 0, static_cast<std::uint64_t>(c), Purpose::kTest)
        .Normals({eps.data(), static_cast<std::size_t>(draws)});
    double x = eps[0];
    for (Eigen::Index t = 0; t < draws; ++t) {
      if (t > 0) x = phi * x + std::sqrt(1 - phi * phi) * eps[t];
      values(t, c) = x;
    }
  }
  return values;
}

// The expected values were computed by a separate program from the published formulas.
TEST(DiagnosticsTest, AgreesWithAnotherImplementation) {
  const Matrix values = SomeChains();
  EXPECT_NEAR(SplitRhat(values), 1.0085944761595713, 1e-12);
  EXPECT_NEAR(SplitRhat(NormalScores(values)), 1.0134852649144477, 1e-12);
  EXPECT_NEAR(Rhat(values), 1.0157766043082253, 1e-12);
  EXPECT_NEAR(BulkEss(values), 39.92947088018585, 1e-9);
  EXPECT_NEAR(MeanEss(values), 41.46761199523361, 1e-9);
  EXPECT_NEAR(TailEss(values), 76.87338632106518, 1e-9);
  EXPECT_NEAR(MeanError(values), 0.13266812789836357, 1e-12);
  EXPECT_NEAR(DeviationError(values), 0.04551780558008301, 1e-12);
  const Vector information = EnergyInformation(values);
  EXPECT_NEAR(information[0], 0.8622684281988106, 1e-12);
  EXPECT_NEAR(information[2], 0.6936808330487558, 1e-12);
}

// The halves (1, 3), (2, 6), (5, 7), (4, 8) have means 2, 4, 6, 6 and variances 2, 8, 2, 8.
TEST(DiagnosticsTest, RhatByHand) {
  Matrix values(4, 2);
  values << 1, 2, 3, 6, 5, 4, 7, 8;
  const double within = 5, between = 11.0 / 3;
  EXPECT_NEAR(SplitRhat(values), std::sqrt((within / 2 + between) / within), 1e-14);
}

TEST(DiagnosticsTest, NormalScoresShareTheRanksOfEqualValues) {
  Matrix values(4, 1);
  values << 7, -1, 7, 30;
  const Matrix scores = NormalScores(values);
  EXPECT_NEAR(scores(1), NormalQuantile((1 - 0.375) / 4.25), 1e-15);
  EXPECT_NEAR(scores(0), NormalQuantile((2.5 - 0.375) / 4.25), 1e-15);
  EXPECT_EQ(scores(0), scores(2));
  EXPECT_NEAR(scores(3), -scores(1), 1e-15);
}

TEST(DiagnosticsTest, NormalQuantileInvertsTheDistribution) {
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(NormalQuantile(0.5), 0.0, 1e-16);
  for (double p : {1e-300, 1e-12, 1e-5, 0.02, 0.3, 0.7, 0.9999}) {
    EXPECT_NEAR(0.5 * std::erfc(-NormalQuantile(p) / std::sqrt(2.0)) / p, 1.0, 1e-12) << p;
  }
}

// The autocorrelation time of AR(1) is (1 + phi) / (1 - phi).
TEST(DiagnosticsTest, EffectiveSampleSizeOfAutoregressiveChains) {
  for (double phi : {-0.5, 0.0, 0.5, 0.9}) {
    const Matrix values = Autoregressive(phi, 10000, 4, 7);
    const double expected = 40000 * (1 - phi) / (1 + phi);
    EXPECT_NEAR(MeanEss(values) / expected, 1, 0.1) << phi;
    EXPECT_NEAR(BulkEss(values) / expected, 1, 0.1) << phi;
    EXPECT_NEAR(MeanError(values), std::sqrt(1 / expected), 0.1 * std::sqrt(1 / expected)) << phi;
    EXPECT_LT(Rhat(values), 1.01) << phi;
  }
}

TEST(DiagnosticsTest, RhatSeesChainsApart) {
  Matrix values = Autoregressive(0.3, 1000, 4, 8);
  EXPECT_LT(Rhat(values), 1.01);
  values.col(2).array() += 0.7;
  EXPECT_GT(Rhat(values), 1.05);
}

TEST(DiagnosticsTest, RhatSeesChainsOfDifferentSpread) {
  Matrix values = Autoregressive(0.3, 1000, 4, 9);
  values.col(1) *= 3;
  EXPECT_LT(SplitRhat(NormalScores(values)), 1.01);
  EXPECT_GT(Rhat(values), 1.05);
}

TEST(DiagnosticsTest, RhatSeesADriftThatAllChainsShare) {
  Matrix values = Autoregressive(0.3, 1000, 4, 10);
  for (Eigen::Index i = 0; i < 1000; ++i) values.row(i).array() += 0.0015 * static_cast<double>(i);
  EXPECT_GT(Rhat(values), 1.05);
}

TEST(DiagnosticsTest, RhatOfHeavyTailsIsThatOfTheirRanks) {
  Matrix values = Autoregressive(0, 1000, 4, 11);
  const double before = SplitRhat(NormalScores(values));
  values = values.array().cube().exp();
  EXPECT_DOUBLE_EQ(SplitRhat(NormalScores(values)), before);
}

TEST(DiagnosticsTest, ErrorOfTheDeviationOfNormals) {
  const Matrix values = Autoregressive(0, 10000, 4, 12);
  EXPECT_NEAR(DeviationError(values) * std::sqrt(2 * 40000.0), 1, 0.1);
}

TEST(DiagnosticsTest, NothingIsSaidOfConstantFewOrInfiniteValues) {
  EXPECT_TRUE(std::isnan(Rhat(Matrix::Ones(10, 4))));
  EXPECT_TRUE(std::isnan(BulkEss(Matrix::Ones(10, 4))));
  EXPECT_TRUE(std::isnan(Rhat(Matrix::Random(3, 4))));
  Matrix values = Matrix::Random(10, 2);
  values(3, 1) = INFINITY;
  EXPECT_TRUE(std::isnan(Rhat(values)));
  EXPECT_TRUE(std::isnan(TailEss(values)));
  EXPECT_TRUE(std::isnan(MeanError(values)));
}

}  // namespace
}  // namespace gpode
