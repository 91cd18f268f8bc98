#include "gpode/scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "gpode/random.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;

constexpr std::size_t kDraws = 5;
constexpr Eigen::Index kTimes = 4, kChannels = 2;

struct Example {
  Forecast forecast;
  Vector variances{{0.3, 0.05}};
  ObservationNoise noise = GaussianNoise(variances);
  Matrix observed;

  Example() {
    Numbers numbers(51);
    for (Eigen::Index i = 0; i < kTimes; ++i) forecast.times.push_back(0.5 * i);
    for (std::size_t s = 0; s < kDraws; ++s) {
      forecast.draws.push_back(numbers.Normals(kTimes, kChannels));
    }
    observed = numbers.Normals(kTimes, kChannels);
  }

  Scores Get() const { return Score(forecast, noise, observed); }
};

double Density(double y, double mean, double variance) {
  return std::exp(-0.5 * (y - mean) * (y - mean) / variance) /
         std::sqrt(2 * std::numbers::pi * variance);
}

double CumulativeNormal(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

TEST(Scores, MnllAndMseAreTheFormulas) {
  const Example e;
  double mnll = 0, mse = 0;
  for (Eigen::Index i = 0; i < kTimes; ++i) {
    for (Eigen::Index c = 0; c < kChannels; ++c) {
      double density = 0, mean = 0;
      for (const auto& draw : e.forecast.draws) {
        density += Density(e.observed(i, c), draw(i, c), e.variances[c]) / kDraws;
        mean += draw(i, c) / kDraws;
      }
      mnll -= std::log(density) / (kTimes * kChannels);
      mse += std::pow(mean - e.observed(i, c), 2) / (kTimes * kChannels);
    }
  }
  const Scores scores = e.Get();
  EXPECT_NEAR(scores.mnll, mnll, 1e-5) << "but for a floor under the variance";
  EXPECT_NEAR(scores.mse, mse, 1e-12);
  EXPECT_EQ(scores.values, static_cast<std::size_t>(kTimes * kChannels));
  EXPECT_EQ(scores.diverged, 0u);
}

// The density of an observation as far away as this underflows to zero.
TEST(Scores, MnllOfAFarObservationIsFinite) {
  Example e;
  e.observed.setConstant(1000);
  const double mnll = e.Get().mnll;
  EXPECT_TRUE(std::isfinite(mnll));
  EXPECT_GT(mnll, 1e6);
}

// The closed form for one normal is from Gneiting and Raftery (2007).
TEST(Scores, CrpsOfOneNormalIsTheClosedForm) {
  const double mean = 0.4, y = 1.1, sd = 0.7, z = (y - mean) / sd;
  const Forecast forecast{.times = {0}, .draws = {Matrix::Constant(1, 1, mean)}, .diverged = 0};
  const double expected = sd * (z * (2 * CumulativeNormal(z) - 1) + 2 * Density(z, 0, 1) -
                                1 / std::sqrt(std::numbers::pi));
  const Scores scores =
      Score(forecast, GaussianNoise(Vector::Constant(1, sd * sd)), Matrix::Constant(1, 1, y));
  EXPECT_NEAR(scores.crps, expected, 1e-7);
}

// The CRPS is the integral of (F(z) - [y <= z])^2 over z, here computed by the midpoint rule.
TEST(Scores, CrpsIsTheIntegralOverTheDistribution) {
  const Example e;
  double crps = 0;
  constexpr double kStep = 1e-3;
  for (Eigen::Index i = 0; i < kTimes; ++i) {
    for (Eigen::Index c = 0; c < kChannels; ++c) {
      for (double z = -8 + kStep / 2; z < 8; z += kStep) {
        double f = e.observed(i, c) <= z ? -1 : 0;
        for (const auto& draw : e.forecast.draws) {
          f += CumulativeNormal((z - draw(i, c)) / std::sqrt(e.variances[c])) / kDraws;
        }
        crps += f * f * kStep / (kTimes * kChannels);
      }
    }
  }
  EXPECT_NEAR(e.Get().crps, crps, 2e-3);
}

TEST(Scores, CrpsAgreesWithMonteCarlo) {
  const Example e;
  constexpr std::size_t kSamples = 100000;
  std::vector<double> normals(2 * kSamples), uniforms(2 * kSamples);
  RandomStream(1, 0, 0, Purpose::kTest).Normals(normals);
  RandomStream(2, 0, 0, Purpose::kTest).Uniforms(uniforms);
  double crps = 0;
  for (Eigen::Index i = 0; i < e.observed.size(); ++i) {
    const double sd = std::sqrt(e.variances[i % kChannels]), y = e.observed.data()[i];
    const auto sample = [&](std::size_t n) {
      const auto s = static_cast<std::size_t>(uniforms[n] * kDraws);
      return e.forecast.draws[s].data()[i] + sd * normals[n];
    };
    for (std::size_t n = 0; n < 2 * kSamples; n += 2) {
      crps += std::fabs(sample(n) - y) - 0.5 * std::fabs(sample(n) - sample(n + 1));
    }
  }
  EXPECT_NEAR(e.Get().crps, crps / (kSamples * kTimes * kChannels), 5e-3);
}

// With the draws 0, 1, ..., 100, the bands are [25, 75], [5, 95] and [2.5, 97.5].
TEST(Scores, CoverageOfKnownBands) {
  const std::vector<double> observed = {50, 25, 75, 24.9, 75.1, 5, 4.9, 97.5, 2.4, 120};
  const auto n = static_cast<Eigen::Index>(observed.size());
  Forecast forecast;
  forecast.times.resize(observed.size());
  for (int s = 100; s >= 0; --s) forecast.draws.push_back(Matrix::Constant(n, 1, s));
  const Scores scores = Score(forecast, GaussianNoise(Vector::Ones(1)),
                              Eigen::Map<const Matrix>(observed.data(), n, 1));
  EXPECT_DOUBLE_EQ(scores.coverage_50, 0.3);
  EXPECT_DOUBLE_EQ(scores.coverage_90, 0.6);
  EXPECT_DOUBLE_EQ(scores.coverage_95, 0.8);
}

// With one draw, the predictive distribution is normal. Its central 50, 90 and 95 % end at 0.6745,
// 1.6449 and 1.9600 deviations.
TEST(Scores, PredictiveCoverageCountsTheNoise) {
  const std::vector<double> observed = {0.6, -0.7, 1.6, -1.7, 1.9, -2.0, 0.0, 5.0, 1.0, -1.0};
  const auto n = static_cast<Eigen::Index>(observed.size());
  Forecast forecast;
  forecast.times.resize(observed.size());
  forecast.draws = {Matrix::Constant(n, 1, 10.0)};
  const Matrix values = 3.0 * Eigen::Map<const Matrix>(observed.data(), n, 1).array() + 10.0;
  const Scores scores = Score(forecast, GaussianNoise(Vector::Constant(1, 9.0)), values);
  EXPECT_DOUBLE_EQ(scores.predictive_50, 0.2);
  EXPECT_DOUBLE_EQ(scores.predictive_90, 0.6);
  EXPECT_DOUBLE_EQ(scores.predictive_95, 0.8);
  EXPECT_DOUBLE_EQ(scores.coverage_95, 0.1) << "the draw itself";
}

TEST(Scores, SameBitsForAnyNumberOfThreads) {
  const Example e;
  const Scores one = Score(e.forecast, e.noise, e.observed, 1);
  const Scores three = Score(e.forecast, e.noise, e.observed, 3);
  EXPECT_EQ(one.mnll, three.mnll);
  EXPECT_EQ(one.crps, three.crps);
  EXPECT_EQ(one.mse, three.mse);
}

TEST(Scores, MissingObservationsArePassedOver) {
  Example e, shorter;
  e.observed.row(1).setConstant(NAN);
  shorter.forecast.times.erase(shorter.forecast.times.begin() + 1);
  const std::vector<Eigen::Index> kept = {0, 2, 3};
  shorter.observed = Matrix(shorter.observed(kept, Eigen::all));
  shorter.forecast.draws = {};
  for (const auto& draw : e.forecast.draws) {
    shorter.forecast.draws.push_back(draw(kept, Eigen::all));
  }
  const Scores scores = e.Get(), expected = shorter.Get();
  EXPECT_EQ(scores.values, 6u);
  EXPECT_DOUBLE_EQ(scores.mnll, expected.mnll);
  EXPECT_DOUBLE_EQ(scores.mse, expected.mse);
  EXPECT_DOUBLE_EQ(scores.crps, expected.crps);
  EXPECT_DOUBLE_EQ(scores.coverage_90, expected.coverage_90);
  e.observed.setConstant(NAN);
  EXPECT_EQ(e.Get().values, 0u);
  EXPECT_EQ(e.Get().mnll, 0.0);
}

TEST(Scores, DivergedDrawHasProbabilityZero) {
  Example e, without;
  e.forecast.draws[2].setConstant(NAN);
  e.forecast.diverged = 1;
  const MatrixStack all = std::exchange(without.forecast.draws, {});
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (s != 2) without.forecast.draws.push_back(all[s]);
  }
  const Scores scores = e.Get(), others = without.Get();
  EXPECT_EQ(scores.diverged, 1u);
  EXPECT_NEAR(scores.mnll, others.mnll + std::log(kDraws / (kDraws - 1.0)), 1e-12);
  EXPECT_EQ(scores.mse, INFINITY);
}

// The CRPS of a diverged draw was once NaN, which can be neither sorted nor compared.
TEST(Scores, CrpsOfADivergedDrawIsInfinite) {
  Example e;
  e.forecast.draws[2](3, 1) = NAN;
  EXPECT_EQ(e.Get().crps, INFINITY);
  EXPECT_EQ(e.Get().mse, INFINITY);
  EXPECT_TRUE(std::isfinite(e.Get().mnll));
}

// A value with many lost draws once counted as inside if the bands of the other draws contained it.
TEST(Scores, AValueWithManyLostDrawsIsOutsideItsBands) {
  Forecast forecast{.times = {0}, .draws = {}, .diverged = 0};
  for (int i = 0; i < 40; ++i) forecast.draws.push_back(Matrix::Constant(1, 1, i));
  const auto noise = GaussianNoise(Vector::Ones(1));
  const auto score = [&] { return Score(forecast, noise, Matrix::Constant(1, 1, 20)); };
  EXPECT_EQ(score().coverage_90, 1);
  EXPECT_EQ(score().predictive_90, 1);
  forecast.draws[0].setConstant(NAN);
  EXPECT_EQ(score().coverage_90, 1) << "one of 40";
  EXPECT_EQ(score().predictive_90, 1);
  forecast.draws[38].setConstant(NAN);
  forecast.draws[39].setConstant(NAN);
  forecast.unfinished = {38, 39};
  forecast.diverged = 1;
  for (double Scores::*band : {&Scores::coverage_50, &Scores::coverage_90, &Scores::predictive_50,
                               &Scores::predictive_90, &Scores::predictive_95}) {
    EXPECT_EQ(score().*band, 0);
  }
  EXPECT_EQ(score().unfinished, 2u);
  const auto rows = ScoreByHorizon(forecast, noise, Matrix::Constant(1, 1, 20), 0.0);
  EXPECT_EQ(rows[0].scores.diverged, 1u);
  EXPECT_EQ(rows[0].scores.unfinished, 2u);
}

TEST(Scores, AllDrawsDiverged) {
  Example e;
  for (auto draw : e.forecast.draws) draw.setConstant(NAN);
  const Scores scores = e.Get();
  EXPECT_EQ(scores.mnll, INFINITY);
  EXPECT_EQ(scores.mse, INFINITY);
  EXPECT_EQ(scores.crps, INFINITY);
  EXPECT_EQ(scores.coverage_95, 0.0);
}

// The MNLL of draws as large as 1e200 was once NaN, from infinity minus infinity.
TEST(Scores, MnllOfADrawBeyondAllBoundsIsInfinite) {
  Example e;
  for (auto draw : e.forecast.draws) draw.setConstant(1e200);
  EXPECT_EQ(e.Get().mnll, INFINITY);
}

// The rows of the example are divided between two parts. Their pooled scores are those of the
// whole.
TEST(Scores, PoolWeighsByValues) {
  Example top, bottom;
  top.observed.bottomRows(3).setConstant(NAN);
  bottom.observed.topRows(1).setConstant(NAN);
  top.forecast.diverged = 1;
  const Scores pooled = Pool(std::vector<Scores>{top.Get(), bottom.Get(), Scores()});
  const Scores whole = Example().Get();
  EXPECT_NEAR(pooled.mnll, whole.mnll, 1e-12);
  EXPECT_NEAR(pooled.mse, whole.mse, 1e-12);
  EXPECT_NEAR(pooled.crps, whole.crps, 1e-12);
  EXPECT_NEAR(pooled.predictive_90, whole.predictive_90, 1e-12);
  EXPECT_EQ(pooled.values, whole.values);
  EXPECT_EQ(pooled.diverged, 1u);
  EXPECT_EQ(Pool({}).values, 0u);
}

TEST(Scores, ShapesAreChecked) {
  Example e;
  e.observed = Matrix::Zero(kTimes, 1);
  EXPECT_ANY_THROW(e.Get());
  e.observed = Matrix::Zero(kTimes + 1, kChannels);
  EXPECT_ANY_THROW(e.Get());
}

// The times are 0, 0.5, 1 and 1.5.
TEST(ScoreByHorizon, RowsAreTheScoresOfTheirTimes) {
  const Example e;
  const std::vector<double> edges = {0.25, 1.0, 3.0};
  const auto rows = ScoreByHorizon(e.forecast, e.noise, e.observed, -0.5, edges);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].from, 0.25);
  EXPECT_EQ(rows[0].to, 1.0);
  Example first, rest;
  first.observed.bottomRows(3).setConstant(NAN);
  rest.observed.topRows(1).setConstant(NAN);
  EXPECT_DOUBLE_EQ(rows[0].scores.mnll, first.Get().mnll);
  EXPECT_DOUBLE_EQ(rows[1].scores.mnll, rest.Get().mnll);
  EXPECT_DOUBLE_EQ(rows[1].scores.crps, rest.Get().crps);
  EXPECT_EQ(rows[0].scores.values, 2u);
  EXPECT_EQ(rows[1].scores.values, 6u);
}

TEST(ScoreByHorizon, WithoutEdgesEveryTimeIsARow) {
  Example e;
  e.forecast.times[1] = e.forecast.times[0];
  const auto rows = ScoreByHorizon(e.forecast, e.noise, e.observed, 1.0);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].from, -1.0);
  EXPECT_EQ(rows[0].scores.values, 4u) << "two equal times";
  EXPECT_EQ(rows[2].from, 0.5);
  EXPECT_EQ(rows[2].scores.values, 2u);
}

TEST(ScoreByHorizon, CountsDrawsThatDivergedByThen) {
  Example e;
  e.forecast.draws[1].bottomRows(2).setConstant(NAN);
  e.forecast.draws[3].bottomRows(1).setConstant(NAN);
  const auto rows = ScoreByHorizon(e.forecast, e.noise, e.observed, 0.0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(rows[i].scores.diverged, i < 2 ? 0 : i - 1);
  EXPECT_TRUE(std::isfinite(rows[1].scores.mse));
  EXPECT_EQ(rows[2].scores.mse, INFINITY);
}

TEST(ScoreByHorizon, PoolsRowByRow) {
  const Example e;
  const std::vector<double> edges = {0.0, 1.0, 3.0};
  const auto rows = ScoreByHorizon(e.forecast, e.noise, e.observed, 0.0, edges);
  const auto pooled = PoolByHorizon(std::vector{rows, rows});
  ASSERT_EQ(pooled.size(), 2u);
  EXPECT_EQ(pooled[1].scores.values, 2 * rows[1].scores.values);
  EXPECT_NEAR(pooled[1].scores.mse, rows[1].scores.mse, 1e-14);
  auto shifted = rows;
  shifted[1].to += 1;
  EXPECT_ANY_THROW(PoolByHorizon(std::vector{rows, shifted}));
  EXPECT_TRUE(PoolByHorizon({}).empty());
}

TEST(ScoreByHorizon, EdgesIncrease) {
  const Example e;
  EXPECT_ANY_THROW(
      ScoreByHorizon(e.forecast, e.noise, e.observed, 0.0, std::vector<double>{0, 2, 2}));
}

}  // namespace
}  // namespace gpode
