// Tests of every likelihood: derivatives are exact, and density, cdf, quantile, draws and scores
// belong to the same distribution.
#include "gpode/likelihood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

struct Case {
  std::string name;
  std::vector<double> parameters;
  std::vector<double> observations;
};

class LikelihoodTest : public testing::TestWithParam<Case> {
 protected:
  const Likelihood& likelihood_ = GetLikelihood(GetParam().name);
  const std::vector<double>& p_ = GetParam().parameters;
};

TEST_P(LikelihoodTest, DerivativesAreThoseOfTheDensity) {
  for (const double y : GetParam().observations) {
    for (const double value : {-0.15, 0.05, 1.3, 7.0, 40.0}) {
      if (!IsAccepted(likelihood_.link(), value)) continue;
      std::vector<double> point = {value}, gradient(1 + p_.size(), 0.0);
      for (double p : p_) point.push_back(std::log(p));
      const double density =
          likelihood_.LogDensityReverse(y, value, p_, gradient[0], std::span(gradient).subspan(1));
      EXPECT_DOUBLE_EQ(density, likelihood_.LogDensity(y, value, p_));
      // Parameters that are not learnt have no derivative.
      const std::size_t learnt = likelihood_.learnt_parameters();
      point.resize(1 + learnt);
      gradient.resize(1 + learnt);
      for (std::size_t i = 0; i < learnt; ++i) gradient[1 + i] *= p_[i];
      const GradientCheck check = CheckGradient(
          [&](std::span<const double> at) {
            std::vector<double> p = p_;
            for (std::size_t i = 0; i < learnt; ++i) p[i] = std::exp(at[1 + i]);
            return likelihood_.LogDensity(y, at[0], p);
          },
          point, gradient, {.initial_step = 0.02, .absolute_floor = 1e-2});
      EXPECT_TRUE(check.ok(1e-7)) << y << " at " << value << ": " << check.message;
    }
  }
}

TEST_P(LikelihoodTest, TheCdfIsTheIntegralOfTheDensity) {
  const double value = 6;
  if (likelihood_.is_discrete()) {
    double sum = 0;
    for (int k = 0; k < 60; ++k) {
      EXPECT_NEAR(likelihood_.CdfBelow(k, value, p_), sum, 1e-10);
      sum += std::exp(likelihood_.LogDensity(k, value, p_));
      EXPECT_NEAR(likelihood_.Cdf(k, value, p_), sum, 1e-10);
      EXPECT_NEAR(likelihood_.Cdf(k + 0.5, value, p_), sum, 1e-10);
    }
    EXPECT_EQ(likelihood_.Cdf(-1, value, p_), 0);
    return;
  }
  for (const double y : {1.0, 5.5, 6.0, 7.7, 30.0}) {
    const double h = 1e-5;
    const double slope =
        (likelihood_.Cdf(y + h, value, p_) - likelihood_.Cdf(y - h, value, p_)) / (2 * h);
    EXPECT_NEAR(slope, std::exp(likelihood_.LogDensity(y, value, p_)), 1e-7) << y;
  }
  EXPECT_LT(likelihood_.Cdf(-1e9, value, p_), 1e-9);
  // The logarithm with Student's distribution has tails that fall like one over a logarithm squared.
  EXPECT_NEAR(likelihood_.Cdf(1e9, value, p_), 1, likelihood_.link() == Link::kLog ? 1e-4 : 1e-9);
}

TEST_P(LikelihoodTest, QuantilesInvertTheCdf) {
  const std::vector<double> sorted = {4, 6, 6.5};
  for (const double level : {0.001, 0.05, 0.31, 0.5, 0.9, 0.999}) {
    // The quantiles of a point mass are all the same.
    if (likelihood_.link() == Link::kSqrt && level < likelihood_.MixtureCdf(0, sorted, p_))
      continue;
    const double alone = likelihood_.Quantile(level, 6, p_);
    const double mixed = likelihood_.MixtureQuantile(level, sorted, p_);
    if (likelihood_.is_discrete()) {
      EXPECT_GE(likelihood_.Cdf(alone, 6, p_), level);
      EXPECT_LT(likelihood_.CdfBelow(alone, 6, p_), level);
      EXPECT_GE(likelihood_.MixtureCdf(mixed, sorted, p_), level);
      EXPECT_LT(likelihood_.MixtureCdfBelow(mixed, sorted, p_), level);
    } else {
      EXPECT_NEAR(likelihood_.Cdf(alone, 6, p_), level, 1e-9);
      EXPECT_NEAR(likelihood_.MixtureCdf(mixed, sorted, p_), level, 1e-6);
    }
  }
}

// The share of draws below a number has a standard error of at most 0.5 / sqrt(draws).
TEST_P(LikelihoodTest, DrawsHaveTheCdf) {
  constexpr int kDraws = 4000;
  const RandomStream stream(5, 0, 0, Purpose::kTest);
  std::vector<double> draws;
  for (int i = 0; i < kDraws; ++i) {
    draws.push_back(likelihood_.Draw(stream, static_cast<std::uint64_t>(i), 6, p_));
    EXPECT_TRUE(likelihood_.Demand(draws.back()).empty());
  }
  for (const double y : {3.0, 5.0, 6.0, 9.0}) {
    const auto below = std::ranges::count_if(draws, [&](double d) { return d <= y; });
    EXPECT_NEAR(static_cast<double>(below) / kDraws, likelihood_.Cdf(y, 6, p_), 0.03) << y;
  }
}

// The expectations in CRPS = E|Y - y| - E|Y - Y'| / 2 are estimated from draws.
TEST_P(LikelihoodTest, CrpsIsThatOfDraws) {
  // The exponential and the square of a number with Student's distribution have no expectation.
  if (GetParam().name.starts_with("student-t in")) return;
  constexpr std::uint64_t kDraws = 3000;
  const std::vector<double> sorted = {4, 6, 6.5};
  const RandomStream stream(6, 0, 0, Purpose::kTest);
  std::vector<double> draws;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    draws.push_back(likelihood_.Draw(stream, i, sorted[i % 3], p_));
  }
  for (const double y : {2.0, 6.0, 15.0}) {
    double first = 0, pairs = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      first += std::fabs(draws[i] - y) / kDraws;
      // Pairs of all parts of the mixture are equally frequent.
      for (std::uint64_t k = 1000; k < 1003; ++k) {
        pairs += std::fabs(draws[i] - draws[(i * 7 + k) % kDraws]) / (3 * kDraws);
      }
    }
    EXPECT_NEAR(likelihood_.MixtureCrps(y, sorted, p_), first - 0.5 * pairs, 0.1) << y;
  }
}

// The expectation of the squared derivative is a mean over the distribution's quantiles.
TEST_P(LikelihoodTest, InformationIsTheMeanSquareOfTheScore) {
  constexpr int kNodes = 4000;
  double sum = 0;
  for (int i = 0; i < kNodes; ++i) {
    const double y = likelihood_.Quantile((i + 0.5) / kNodes, 6, p_);
    double slope = 0;
    std::vector<double> bp(p_.size());
    likelihood_.LogDensityReverse(y, 6, p_, slope, bp);
    sum += slope * slope / kNodes;
  }
  EXPECT_NEAR(likelihood_.Information(6, p_), sum, 0.02 * sum);
}

// The working observation has the derivative of the log density at the value.
TEST_P(LikelihoodTest, WorkingObservationsHaveTheGradient) {
  for (const double y : GetParam().observations) {
    double slope = 0;
    std::vector<double> bp(p_.size());
    likelihood_.LogDensityReverse(y, 7, p_, slope, bp);
    const Likelihood::Working working = likelihood_.WorkingAt(y, 7, p_);
    EXPECT_NEAR(working.residual * working.information, slope, 1e-12 * (1 + std::fabs(slope)));
    EXPECT_GT(working.information, 0);
  }
}

// Updates during training lead to the parameter with the highest likelihood of draws.
TEST_P(LikelihoodTest, UpdatesFindTheParameter) {
  if (likelihood_.learnt_parameters() == 0) return;
  constexpr std::uint64_t kDraws = 2000;
  const RandomStream stream(7, 0, 0, Purpose::kTest);
  std::vector<double> start(p_.size()), log_p(p_.size());
  likelihood_.SetVariance(likelihood_.Variance(p_), start);
  start[0] = 3 * p_[0];
  for (std::size_t i = 0; i < p_.size(); ++i) log_p[i] = std::log(start[i]);
  for (int step = 0; step < 400; ++step) {
    std::vector<double> p = p_, gradient(p_.size(), 0.0);
    p[0] = std::exp(log_p[0]);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const double value = 3 + static_cast<double>(i % 10);
      double bvalue = 0;
      likelihood_.LogDensityReverse(likelihood_.Draw(stream, i, value, p_), value, p, bvalue,
                                    gradient);
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] *= p[i];
    likelihood_.Update(gradient, kDraws, start, log_p);
  }
  EXPECT_NEAR(log_p[0], std::log(p_[0]), 0.15);
}

INSTANTIATE_TEST_SUITE_P(All, LikelihoodTest,
                         testing::Values(Case{"gaussian", {0.7}, {-1, 0.5, 7, 30}},
                                         Case{"student-t", {0.4}, {-1, 0.5, 7, 30}},
                                         Case{"poisson", {6}, {0, 1, 7, 60}},
                                         Case{"negative-binomial", {0.3, 20}, {0, 1, 7, 60}},
                                         Case{"lognormal", {0.09, 4}, {0.1, 1.5, 7, 60}},
                                         Case{"gaussian in log", {0.09}, {0.1, 1.5, 7, 60}},
                                         Case{"gaussian in sqrt", {0.2}, {0.1, 1.5, 7, 60}},
                                         Case{"student-t in log", {0.04}, {0.1, 1.5, 7, 60}},
                                         Case{"student-t in sqrt", {0.1}, {0.1, 1.5, 7, 60}}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST(Likelihoods, DifferentOnesInDifferentChannels) {
  const Likelihood& mixed = GetLikelihood("poisson,gaussian,negative-binomial");
  EXPECT_EQ(&mixed, &GetLikelihood("poisson,gaussian,negative-binomial"));
  EXPECT_EQ(mixed.channels(), 3u);
  EXPECT_EQ(mixed.parameters_per_channel(), 2u);
  const std::vector<double> y = {3, 2.5, 8}, values = {4, 2, 6}, p = {1, 1, 0.5, 1, 0.2, 9};
  std::vector<double> bvalues(3), bp(6);
  const double sum = mixed.RowReverse(y, values, p, {}, bvalues, bp);
  double expected = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    expected += mixed.ForChannel(c).LogDensity(y[c], values[c],
                                               mixed.OfChannel(c, std::span<const double>(p)));
  }
  EXPECT_DOUBLE_EQ(sum, expected);
  EXPECT_EQ(bp[0], 0);
  EXPECT_NE(bp[4], 0);
}

// A channel in the user's units has the density of its transformed values times the slope of the
// link, so that log-normal noise is the same as normal noise on logarithms.
TEST(Likelihoods, ALogLinkIsLognormal) {
  const Likelihood& linked = GetLikelihood("gaussian in log");
  const Likelihood& lognormal = GetLikelihood("lognormal");
  const std::vector<double> sorted = {4, 6, 6.5}, p = {0.09}, q = {0.09, 1e-6};
  for (const double y : {0.5, 3.0, 6.0, 20.0}) {
    EXPECT_NEAR(linked.LogDensity(y, 6, p), lognormal.LogDensity(y, 6, q), 1e-9);
    EXPECT_NEAR(linked.LogMixture(y, sorted, 4, p), lognormal.LogMixture(y, sorted, 4, q), 1e-9);
    EXPECT_NEAR(linked.MixtureCdf(y, sorted, p), lognormal.MixtureCdf(y, sorted, q), 1e-9);
    EXPECT_NEAR(linked.MixtureCrps(y, sorted, p), lognormal.MixtureCrps(y, sorted, q), 1e-6);
  }
  EXPECT_EQ(linked.LogDensity(0, 6, p), -INFINITY);
  EXPECT_EQ(linked.MixtureCdf(-1, sorted, p), 0);
  // Deviations in the user's units are relative to the value.
  EXPECT_DOUBLE_EQ(linked.DeviationAt(6, p), 6 * 0.3);
}

// The values below zero on the scale of a square root are zeros: a point mass, which together with
// the density makes one.
TEST(Likelihoods, ASquareRootHasAPointMassAtZero) {
  const Likelihood& linked = GetLikelihood("gaussian in sqrt");
  const std::vector<double> p = {0.25}, sorted = {0.04, 0.09, 0.25};
  const double value = 0.09, mass = 0.5 * std::erfc(0.6 / std::sqrt(2.0));  // P(z < -0.3 / 0.5)
  EXPECT_NEAR(linked.Cdf(0, value, p), mass, 1e-12);
  EXPECT_NEAR(linked.LogDensity(0, value, p), std::log(mass), 1e-12);
  EXPECT_EQ(linked.CdfBelow(0, value, p), 0);
  EXPECT_EQ(linked.Quantile(0.9 * mass, value, p), 0);
  EXPECT_GT(linked.Quantile(1.1 * mass, value, p), 0);
  EXPECT_TRUE(linked.HasMassAt(0));
  EXPECT_FALSE(linked.HasMassAt(0.1));
  double sum = 0;  // the integral of the density, by the midpoint rule over the root
  for (int i = 0; i < 4000; ++i) {
    const double root = (i + 0.5) / 1000;
    sum += std::exp(linked.LogDensity(root * root, value, p)) * 2 * root / 1000;
  }
  EXPECT_NEAR(sum + mass, 1, 1e-6);
  EXPECT_NEAR(std::exp(linked.LogMixture(0, sorted, 3, p)), linked.MixtureCdf(0, sorted, p), 1e-12);
  EXPECT_EQ(linked.MixtureCdfBelow(0, sorted, p), 0);
}

TEST(Likelihoods, NamesWithLinks) {
  EXPECT_EQ(LinkedLikelihoodName("gaussian", {}), "gaussian");
  EXPECT_EQ(LinkedLikelihoodName("gaussian", {Link::kLog, Link::kLog}), "gaussian in log");
  EXPECT_EQ(LinkedLikelihoodName("gaussian,student-t", {Link::kIdentity, Link::kSqrt}),
            "gaussian,student-t in sqrt");
  EXPECT_NE(MessageOf([] { CheckLinkedLikelihoods("poisson", {Link::kLog}); }).find("poisson"),
            std::string::npos);
  EXPECT_NO_THROW(CheckLinkedLikelihoods("gaussian,poisson", {Link::kLog, Link::kIdentity}));
}

TEST(Likelihoods, NamesForChannels) {
  const std::vector<std::string> channels = {"s", "i"};
  EXPECT_EQ(ResolveLikelihood("poisson", channels), "poisson");
  EXPECT_EQ(ResolveLikelihood("poisson,gaussian", channels), "poisson,gaussian");
  EXPECT_EQ(ResolveLikelihood("i=student-t", channels), "gaussian,student-t");
  EXPECT_EQ(ResolveLikelihood("i=poisson,s=poisson", channels), "poisson");
  EXPECT_EQ(MessageOf([&] { ResolveLikelihood("poisson,poisson,poisson", channels); }),
            "Fit: likelihood is 'poisson,poisson,poisson', must be one, or one for each of the 2 "
            "channels");
  EXPECT_EQ(MessageOf([&] { ResolveLikelihood("r=poisson", channels); }),
            "Fit: likelihood is 'r=poisson', must name channels of the data: s, i");
  EXPECT_THROW(ResolveLikelihood("normal", channels), InputError);
}

}  // namespace
}  // namespace gpode
