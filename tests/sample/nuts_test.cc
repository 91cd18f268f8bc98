#include "gpode/nuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gpode/chain_diagnostics.h"
#include "gpode/error.h"
#include "sample/chain_state.h"
#include "sample/targets.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::Banana;
using testing_support::CentredFunnel;
using testing_support::ForEveryChain;
using testing_support::Gaussian;
using testing_support::MessageOf;
using testing_support::StudentT;

constexpr double kErrors = 4;  // tolerance of moments in Monte Carlo standard errors

// Compares mean and standard deviation of values (draws, chains) with the exact ones, and expects
// that the chains agree and have enough effective draws.
void ExpectMoments(const Matrix& values, double mean, double deviation) {
  const DrawSummary s = Summarise(values);
  EXPECT_LT(s.rhat, 1.02);
  EXPECT_GT(s.bulk_ess, 300);
  EXPECT_NEAR(s.mean, mean, kErrors * s.mean_error);
  EXPECT_NEAR(s.deviation, deviation, kErrors * s.deviation_error);
}

// Returns the covariance of a strongly correlated Gaussian in five dimensions with scales from 0.1
// to 10.
Matrix SomeCovariance() {
  const Vector scales{{0.1, 0.5, 1, 3, 10}};
  Matrix covariance(5, 5);
  for (Eigen::Index i = 0; i < 5; ++i) {
    for (Eigen::Index j = 0; j < 5; ++j) {
      covariance(i, j) =
          scales[i] * scales[j] * std::pow(0.8, std::fabs(static_cast<double>(i - j)));
    }
  }
  return covariance;
}

class CorrelatedGaussianTest : public ::testing::TestWithParam<MassMatrix> {};

TEST_P(CorrelatedGaussianTest, IsRecovered) {
  const Vector mean{{1, -2, 3, 0, 20}};
  const Matrix covariance = SomeCovariance();
  const NutsResult result = SampleNuts(5, ForEveryChain(Gaussian(mean, covariance)),
                                       {.mass_matrix = GetParam(), .seed = 3});
  EXPECT_EQ(result.Divergent(), 0u);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    ExpectMoments(result.Values(i), mean[k], std::sqrt(covariance(k, k)));
  }
  // The mean of a product of two coordinates tests the correlation.
  const Matrix product = (result.Values(0).array() - 1) * (result.Values(1).array() + 2);
  EXPECT_NEAR(product.mean(), covariance(0, 1), kErrors * MeanError(product));
}

INSTANTIATE_TEST_SUITE_P(Metrics, CorrelatedGaussianTest,
                         ::testing::Values(MassMatrix::kDiagonal, MassMatrix::kDense,
                                           MassMatrix::kIdentity));

// With this many draws, moments and quantiles are known to less than one per cent, so that errors
// in weights or in the U-turn criterion show.
TEST(NutsTest, ManyDrawsShowNoBias) {
  const LogDensity target = [](std::span<const double> q, std::span<double> gradient) {
    gradient[0] = -q[0];
    gradient[1] = -q[1] / 9;
    gradient[2] = -q[2] * q[2] * q[2];
    return -0.5 * q[0] * q[0] - q[1] * q[1] / 18 - 0.25 * std::pow(q[2], 4);
  };
  const NutsResult result = SampleNuts(
      3, ForEveryChain(target),
      {.draws = 40000, .target_acceptance = 0.6, .mass_matrix = MassMatrix::kIdentity, .seed = 12});
  ExpectMoments(result.Values(0), 0, 1);
  ExpectMoments(result.Values(1), 0, 3);
  // For exp(-q^4 / 4), E q^2 is 2 Gamma(3/4) / Gamma(1/4).
  ExpectMoments(result.Values(2), 0, std::sqrt(2 * std::tgamma(0.75) / std::tgamma(0.25)));
  const Matrix tail = (result.Values(1).array().abs() > 6).cast<double>();
  EXPECT_NEAR(tail.mean(), std::erfc(std::sqrt(2.0)), kErrors * MeanError(tail));
}

TEST(NutsTest, AdaptsTheMassMatrixToTheTarget) {
  const Matrix covariance = SomeCovariance();
  const MakeTarget target = ForEveryChain(Gaussian(Vector::Zero(5), covariance));
  const NutsChain dense =
      SampleNuts(5, target, {.chains = 1, .mass_matrix = MassMatrix::kDense}).chains[0];
  const Vector ratio =
      dense.inverse_mass.diagonal().cwiseQuotient(covariance.diagonal()).array().log();
  EXPECT_LT(ratio.cwiseAbs().maxCoeff(), 0.5);
  const NutsChain unit =
      SampleNuts(5, target, {.chains = 1, .mass_matrix = MassMatrix::kIdentity}).chains[0];
  EXPECT_EQ(unit.inverse_mass, Matrix::Ones(1, 5));
  EXPECT_GT(unit.evaluations, 5 * dense.evaluations);
}

TEST(NutsTest, AGivenMassMatrixIsUsed) {
  const Matrix covariance = SomeCovariance();
  const NutsResult result = SampleNuts(
      5, ForEveryChain(Gaussian(Vector::Zero(5), covariance)),
      {.mass_matrix = MassMatrix::kDense, .inverse_mass = {covariance}, .adapt_mass = false});
  for (const NutsChain& chain : result.chains) {
    EXPECT_EQ(chain.inverse_mass, covariance);
    // With the right mass matrix, a transition takes only a few steps, as for a standard normal.
    EXPECT_LT(chain.evaluations, 2000 * 8u);
  }
  ExpectMoments(result.Values(4), 0, 10);
}

// The logarithm of the final step size is an average over the warm-up. The final step size leads to
// an acceptance above the target. Over seeds, the acceptance has the mean 0.885 and the standard
// deviation 0.011 for a target of 0.8, and 0.953 and 0.004 for a target of 0.95.
TEST(NutsTest, AcceptanceIsNearItsTarget) {
  for (double target : {0.8, 0.95}) {
    const NutsResult result =
        SampleNuts(20, ForEveryChain(StudentT), {.target_acceptance = target});
    double sum = 0;
    for (const NutsChain& chain : result.chains) {
      for (const TransitionStatistics& s : chain.statistics) sum += s.acceptance / 4000;
    }
    EXPECT_GT(sum, target - 0.02);
    EXPECT_LT(sum, target + 0.65 * (1 - target));
  }
}

// In the non-centred form of Neal's funnel, all coordinates are standard normal.
TEST(NutsTest, FunnelInNonCentredFormIsRecovered) {
  const std::size_t n = 6;
  const MakeTarget target = ForEveryChain(Gaussian(Vector::Zero(n), Matrix::Identity(n, n)));
  const NutsResult result = SampleNuts(n, target, {.draws = 2000, .seed = 5});
  EXPECT_EQ(result.Divergent(), 0u);
  const Matrix v = 3 * result.Values(0);
  ExpectMoments(v, 0, 3);
  // log |x| = log |N(0, 1)| + v / 2, whose mean is -(gamma + log 2) / 2.
  const Matrix x = result.Values(1).array() * (0.5 * v.array()).exp();
  const Matrix log_x = x.array().abs().log();
  ExpectMoments(log_x, -0.5 * (0.5772156649015329 + std::log(2.0)),
                std::sqrt(std::pow(std::numbers::pi, 2) / 8 + 9.0 / 4));
}

// No step size suits the whole funnel in its centred form, and the report must show this.
TEST(NutsTest, CentredFunnelIsReported) {
  const NutsResult result = SampleNuts(10, ForEveryChain(CentredFunnel), {.seed = 2});
  const SamplerReport report = DiagnoseChains(result);
  EXPECT_GT(report.divergent, 0u);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings[0].find("diverged"), std::string::npos) << report.warnings[0];
}

TEST(NutsTest, StudentTIsRecovered) {
  const NutsResult result = SampleNuts(3, ForEveryChain(StudentT), {.draws = 4000, .seed = 6});
  for (std::size_t i = 0; i < 3; ++i) {
    const Matrix values = result.Values(i);
    EXPECT_NEAR(values.mean(), 0, kErrors * MeanError(values));
    // P(|t| < 0.7267) = 0.5 for 5 degrees of freedom; P(|t| < 2.5706) = 0.95.
    const Matrix inner = (values.array().abs() < 0.72668684).cast<double>();
    const Matrix outer = (values.array().abs() < 2.57058184).cast<double>();
    EXPECT_NEAR(inner.mean(), 0.5, kErrors * MeanError(inner));
    EXPECT_NEAR(outer.mean(), 0.95, kErrors * MeanError(outer));
  }
}

TEST(NutsTest, BananaIsRecovered) {
  const NutsResult result =
      SampleNuts(2, ForEveryChain(Banana), {.draws = 3000, .target_acceptance = 0.95, .seed = 7});
  ExpectMoments(result.Values(0), 0, 1);
  ExpectMoments(result.Values(1), 1, std::sqrt(2.09));
}

TEST(NutsTest, SameBitsForAnyNumberOfThreads) {
  const NutsOptions options{.chains = 5, .warm_up = 150, .draws = 50, .seed = 9};
  NutsOptions alone = options;
  alone.threads = 1;
  const NutsResult expected = SampleNuts(3, ForEveryChain(StudentT), alone);
  for (std::size_t threads : {2, 5}) {
    NutsOptions several = options;
    several.threads = threads;
    const NutsResult result = SampleNuts(3, ForEveryChain(StudentT), several);
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_EQ(result.chains[c].draws, expected.chains[c].draws);
      EXPECT_EQ(result.chains[c].step_size, expected.chains[c].step_size);
      EXPECT_EQ(result.chains[c].evaluations, expected.chains[c].evaluations);
    }
  }
}

TEST(NutsTest, AChainDoesNotDependOnHowManyThereAre) {
  const NutsResult two =
      SampleNuts(3, ForEveryChain(StudentT), {.chains = 2, .warm_up = 100, .draws = 20});
  const NutsResult four =
      SampleNuts(3, ForEveryChain(StudentT), {.chains = 4, .warm_up = 100, .draws = 20});
  EXPECT_EQ(two.chains[1].draws, four.chains[1].draws);
  EXPECT_NE(two.chains[0].draws, two.chains[1].draws);
}

// The target is an exponential distribution. At negative positions, either the log density or the
// gradient is not finite.
TEST(NutsTest, PositionsThatAreNotNumbersAreNeverDrawn) {
  for (int kind = 0; kind < 3; ++kind) {
    const auto half = [kind](std::span<const double> q, std::span<double> gradient) {
      gradient[0] = kind == 0 && q[0] < 0 ? NAN : -1;
      if (q[0] >= 0 || kind == 0) return -q[0];
      return kind == 1 ? double(NAN) : double(-INFINITY);
    };
    const NutsResult result = SampleNuts(1, ForEveryChain(half), {.draws = 2000, .seed = 4});
    EXPECT_EQ(result.Failed(), 0u);
    EXPECT_GE(result.AllDraws().minCoeff(), 0);
    EXPECT_GT(result.Divergent(), 0u);
    const Matrix values = result.Values(0);
    EXPECT_NEAR(values.mean(), 1, 5 * MeanError(values));
  }
}

TEST(NutsTest, AChainThatCannotStartSaysSo) {
  const auto nowhere = [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = 0;
    return double(NAN);
  };
  const NutsResult result = SampleNuts(1, ForEveryChain(nowhere), {.chains = 2});
  EXPECT_EQ(result.Failed(), 2u);
  EXPECT_EQ(result.chains[0].status, ChainStatus::kNoStart);
  EXPECT_EQ(result.AllDraws().rows(), 0);
  const SamplerReport report = DiagnoseChains(result);
  EXPECT_TRUE(report.coordinates.empty());
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_EQ(report.warnings[0],
            "chain 1 has no draws: no start with a finite density and gradient was found");
}

TEST(NutsTest, AFlatDensityIsImproper) {
  const auto flat = [](std::span<const double>, std::span<double> gradient) {
    gradient[0] = 0;
    return 0.0;
  };
  const NutsResult result = SampleNuts(1, ForEveryChain(flat), {.chains = 1});
  EXPECT_EQ(result.chains[0].status, ChainStatus::kImproper);
}

TEST(NutsTest, DiagnosesChainsOfWhichOneFailed) {
  const MakeTarget target = [](std::size_t chain) -> LogDensity {
    if (chain != 1) return StudentT;
    return [](std::span<const double>, std::span<double>) { return double(NAN); };
  };
  const NutsResult result = SampleNuts(2, target, {.chains = 3});
  EXPECT_EQ(result.Failed(), 1u);
  EXPECT_EQ(result.Values(0).cols(), 2);
  EXPECT_EQ(result.AllDraws().rows(), 2000);
  const SamplerReport report = DiagnoseChains(result);
  EXPECT_EQ(report.coordinates.size(), 2u);
  EXPECT_EQ(report.failed_chains, 1u);
  EXPECT_LT(report.worst_rhat, 1.02);
}

TEST(NutsTest, DepthIsLimitedAndReported) {
  const NutsResult result = SampleNuts(
      5, ForEveryChain(Gaussian(Vector::Zero(5), SomeCovariance())),
      {.warm_up = 100, .draws = 100, .max_depth = 2, .mass_matrix = MassMatrix::kIdentity});
  EXPECT_GT(result.AtMaxDepth(), 200u);
  for (const TransitionStatistics& s : result.chains[0].statistics) EXPECT_LE(s.leapfrogs, 3u);
  EXPECT_EQ(DiagnoseChains(result).at_max_depth, result.AtMaxDepth());
}

TEST(NutsTest, StartsAtTheGivenPositions) {
  std::vector<std::vector<double>> evaluated(2);
  const MakeTarget target = [&](std::size_t chain) -> LogDensity {
    return [&evaluated, chain](std::span<const double> q, std::span<double> gradient) {
      evaluated[chain].push_back(q[0]);
      return StudentT(q, gradient);
    };
  };
  Matrix starts(2, 1);
  starts << 100, -100;
  SampleNuts(1, target, {.chains = 2, .warm_up = 0, .draws = 1, .starts = starts});
  EXPECT_EQ(evaluated[0][0], 100);
  EXPECT_EQ(evaluated[1][0], -100);
  SampleNuts(1, target, {.chains = 2, .warm_up = 0, .draws = 1, .starts = starts.topRows(1)});
  EXPECT_NE(std::find(evaluated[1].begin(), evaluated[1].end(), 100), evaluated[1].end());
}

TEST(NutsTest, ReportsEveryIteration) {
  std::vector<std::vector<std::size_t>> seen(3);
  NutsOptions options{.chains = 3, .warm_up = 13, .draws = 12, .threads = 3};
  const NutsResult silent = SampleNuts(2, ForEveryChain(StudentT), options);
  options.report = [&](const NutsProgress& p) {
    EXPECT_EQ(p.iterations, 25u);
    EXPECT_GT(p.step_size, 0);
    seen[p.chain].push_back(p.iteration);
    return true;
  };
  const NutsResult result = SampleNuts(2, ForEveryChain(StudentT), options);
  for (const auto& iterations : seen) {
    ASSERT_EQ(iterations.size(), 25u);
    for (std::size_t i = 0; i < 25; ++i) EXPECT_EQ(iterations[i], i + 1);
  }
  EXPECT_EQ(result.AllDraws(), silent.AllDraws());
}

TEST(NutsTest, AChainThatIsStoppedHasNoDraws) {
  for (std::size_t last : {10, 20}) {  // an iteration of the warm-up, and one after it
    NutsOptions options{.chains = 2, .warm_up = 13, .draws = 12};
    options.report = [&](const NutsProgress& p) { return p.chain == 0 || p.iteration < last; };
    const NutsResult result = SampleNuts(2, ForEveryChain(StudentT), options);
    EXPECT_EQ(result.chains[0].status, ChainStatus::kOk);
    EXPECT_EQ(result.chains[1].status, ChainStatus::kStopped);
    EXPECT_EQ(result.chains[1].draws.rows(), 0);
    EXPECT_EQ(result.Failed(), 1u);
  }
}

TEST(NutsTest, OptionsOutOfRangeAreRefused) {
  const auto message = [](std::size_t dim, const NutsOptions& options) {
    return MessageOf([&] { SampleNuts(dim, ForEveryChain(StudentT), options); });
  };
  EXPECT_EQ(message(0, {}), "SampleNuts: dim is 0, must be at least 1");
  EXPECT_EQ(message(1, {.chains = 0}), "SampleNuts: chains is 0, must be at least 1");
  EXPECT_EQ(message(1, {.draws = 0}), "SampleNuts: draws is 0, must be at least 1");
  EXPECT_EQ(message(1, {.target_acceptance = 1}),
            "SampleNuts: target_acceptance is 1, must be between 0 and 1");
  EXPECT_EQ(message(1, {.max_depth = 0}), "SampleNuts: max_depth is 0, must be from 1 to 30");
  EXPECT_EQ(message(1, {.starts = Matrix::Zero(3, 1)}),
            "SampleNuts: a column of starts has 3 values, must have 4");
  EXPECT_EQ(message(1, {.starts = Matrix::Zero(1, 2)}),
            "SampleNuts: a row of starts has 2 values, must have 1");
  EXPECT_EQ(message(1, {.inverse_mass = {Matrix::Ones(1, 2)}}),
            "SampleNuts: a row of inverse_mass has 2 values, must have 1");
  EXPECT_EQ(message(1, {.inverse_mass = {Matrix::Zero(1, 1)}}),
            "SampleNuts: inverse_mass has a matrix that is not finite and positive definite");
}

// Keeps the states of two of three chains after some iteration, resumes from them, and compares the
// draws with those of an uninterrupted run.
TEST(NutsTest, ResumedChainsHaveTheSameBits) {
  const Vector mean{{1, -2, 3, 0, 20}};
  for (const MassMatrix kind : {MassMatrix::kDiagonal, MassMatrix::kDense}) {
    NutsOptions options{.chains = 3, .warm_up = 150, .draws = 40, .mass_matrix = kind, .seed = 5};
    // There is one further variable, whose new value depends on its last one.
    options.further = 1;
    options.draw_further = [](std::size_t chain, std::uint64_t iteration,
                              std::span<const double> position, std::span<double> further) {
      further[0] = 0.5 * further[0] + position[0] + static_cast<double>(chain + iteration);
    };
    const auto target = ForEveryChain(Gaussian(mean, SomeCovariance()));
    const NutsResult whole = SampleNuts(5, target, options);
    for (const std::size_t stop : {1, 90, 150, 170, 190}) {
      NutsOptions again = options;
      again.resume.resize(3);
      NutsOptions keeping = options;
      keeping.keep = [&](std::size_t chain, const std::function<NutsChainState()>& state) {
        NutsChainState now = state();
        if (chain != 1 && now.iteration == stop) {  // chain 1 starts anew
          again.resume[chain] = std::make_shared<const NutsChainState>(std::move(now));
        }
      };
      SampleNuts(5, target, keeping);
      const NutsResult resumed = SampleNuts(5, target, again);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(resumed.chains[c].draws, whole.chains[c].draws) << stop;
        EXPECT_EQ(resumed.chains[c].further, whole.chains[c].further) << stop;
        EXPECT_EQ(resumed.chains[c].inverse_mass, whole.chains[c].inverse_mass) << stop;
        EXPECT_EQ(resumed.chains[c].step_size, whole.chains[c].step_size) << stop;
        EXPECT_EQ(resumed.chains[c].evaluations, whole.chains[c].evaluations) << stop;
        EXPECT_EQ(resumed.chains[c].warm_up_divergent, whole.chains[c].warm_up_divergent);
      }
    }
  }
}

TEST(NutsTest, AStateOfAnotherSamplerIsRefused) {
  const auto target = ForEveryChain(Gaussian(Vector::Zero(2), Matrix::Identity(2, 2)));
  NutsOptions options{.chains = 1, .warm_up = 20, .draws = 5};
  std::shared_ptr<NutsChainState> state;
  options.keep = [&](std::size_t, const std::function<NutsChainState()>& now) {
    state = std::make_shared<NutsChainState>(now());
  };
  SampleNuts(2, target, options);
  options.keep = {};
  const auto message = [&](const std::function<void(NutsChainState&)>& spoil) {
    auto spoilt = std::make_shared<NutsChainState>(*state);
    spoil(*spoilt);
    options.resume = {spoilt};
    return MessageOf([&] { SampleNuts(2, target, options); });
  };
  const std::string kNothing = "nothing thrown";
  EXPECT_EQ(message([](NutsChainState&) {}), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.position = Vector::Zero(3); }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.position[0] = NAN; }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.iteration = 24; }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.iteration = 1000; }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.draws.resize(5, 1); }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.inverse_mass = -s.inverse_mass; }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.step_size = 0; }), kNothing);
  EXPECT_NE(message([](NutsChainState& s) { s.further.resize(1); }), kNothing);
  options.resume.resize(2);
  EXPECT_NE(MessageOf([&] { SampleNuts(2, target, options); }), kNothing);
}

}  // namespace
}  // namespace gpode
