#include "gpode/simulate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/systems.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

// The system is x' = A x with A = [[-0.1, 2], [-2, -0.1]], started at (2, 0).
TEST(Simulate, TruthIsTheSolution) {
  const Simulation s = Simulate({.system = "linear", .points = 30});
  ASSERT_EQ(s.truth.size(), 1u);
  const std::vector<double>& times = s.data.trajectories[0].times;
  EXPECT_EQ(times.front(), 0.0);
  EXPECT_EQ(times.back(), DescribeSystem("linear").default_span);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double decay = 2 * std::exp(-0.1 * times[i]);
    EXPECT_NEAR(s.truth[0](i, 0), decay * std::cos(2 * times[i]), 1e-8);
    EXPECT_NEAR(s.truth[0](i, 1), -decay * std::sin(2 * times[i]), 1e-8);
  }
  EXPECT_EQ(s.data.trajectories[0].values, s.truth[0]) << "no noise unless asked for";
}

TEST(Simulate, EverySystemRunsFromItsDefaults) {
  for (const std::string& name : SystemNames()) {
    const Simulation s = Simulate({.system = name, .points = 20, .noise_share = 0.1});
    EXPECT_NO_THROW(CheckDataset(s.data)) << name;
    EXPECT_EQ(s.data.channels, DescribeSystem(name).state_names);
    EXPECT_EQ(s.start(0), DescribeSystem(name).default_start);
    EXPECT_TRUE(s.truth[0].allFinite()) << name;
  }
}

// The empirical variance of n normals has a relative standard error of sqrt(2 / n).
TEST(Simulate, NoiseHasTheVarianceAskedFor) {
  const SimulationOptions options{.points = 4000, .noise_variance = {0.05, 0.3}};
  const Simulation s = Simulate(options);
  const Matrix noise = s.data.trajectories[0].values - s.truth[0];
  for (Eigen::Index k = 0; k < 2; ++k) {
    const double expected = options.noise_variance[k];
    EXPECT_EQ(s.noise_variance[k], expected);
    EXPECT_NEAR(noise.col(k).squaredNorm() / 4000, expected, 0.1 * expected);
    EXPECT_NEAR(noise.col(k).mean(), 0.0, 4 * std::sqrt(expected / 4000));
  }
}

TEST(Simulate, NoiseAsAShareOfTheSpread) {
  const Simulation s = Simulate({.system = "lorenz63", .noise_share = 0.08, .trajectories = 3});
  for (Eigen::Index k = 0; k < 3; ++k) {
    double count = 0, sum = 0, squares = 0;
    for (const Matrix& truth : s.truth) {
      count += static_cast<double>(truth.rows());
      sum += truth.col(k).sum();
      squares += truth.col(k).squaredNorm();
    }
    const double variance = squares / count - sum * sum / (count * count);
    EXPECT_NEAR(s.noise_variance[k], 0.08 * 0.08 * variance, 1e-10 * variance);
  }
}

TEST(Simulate, IrregularTimesAreSortedAndWithinTheSpan) {
  const Simulation s = Simulate({.span = 3, .irregular = true, .trajectories = 2});
  for (const Trajectory& t : s.data.trajectories) {
    EXPECT_EQ(t.times.front(), 0.0);
    EXPECT_LT(t.times.back(), 3.0);
    for (std::size_t i = 1; i < t.times.size(); ++i) EXPECT_GT(t.times[i], t.times[i - 1]);
  }
  EXPECT_NE(s.data.trajectories[0].times, s.data.trajectories[1].times);
}

TEST(Simulate, TrajectoriesStartAroundTheFirst) {
  const Simulation s = Simulate({.points = 10, .trajectories = 200, .start_spread = 0.1});
  ASSERT_EQ(s.starts.rows(), 200);
  EXPECT_EQ(s.start(0), (std::vector<double>{-1.5, 2.5}));
  const Matrix away = s.starts.rowwise() - s.starts.row(0);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const double mean = s.truth[0].col(k).mean();
    const double spread = std::sqrt((s.truth[0].col(k).array() - mean).square().mean());
    EXPECT_NEAR(std::sqrt(away.col(k).squaredNorm() / 199), 0.1 * spread, 0.02 * spread);
  }
  for (std::size_t n = 0; n < 200; ++n) {
    EXPECT_EQ(s.truth[n].row(0), s.starts.row(static_cast<Eigen::Index>(n)));
  }
}

TEST(Simulate, ShareOfMissingValues) {
  const Simulation s = Simulate({.points = 1000, .noise_share = 0.1, .missing = 0.25});
  EXPECT_NEAR(static_cast<double>(s.data.observed()), 1500, 80);
  EXPECT_TRUE(s.truth[0].allFinite());
}

TEST(Simulate, SeedsNameTheNoise) {
  SimulationOptions options{.noise_share = 0.1, .trajectories = 2, .missing = 0.1, .seed = 5};
  const auto values = [&] { return Simulate(options).data.trajectories[1].values; };
  const Matrix once = values(), again = values();
  EXPECT_TRUE(once.cwiseEqual(again).count() + once.array().isNaN().count() == once.size());
  options.seed = 6;
  EXPECT_EQ(once.cwiseEqual(values()).count(), 0);
}

TEST(Simulate, PreyAndPredatorsStartAboveZero) {
  const Simulation s =
      Simulate({.system = "lotka-volterra", .points = 9, .trajectories = 200, .start_spread = 1});
  EXPECT_GT(s.starts.minCoeff(), 0);
  EXPECT_GT(s.starts.maxCoeff(), 2);
  // All states of the default start are 1. About half of the states of random starts are below 1.
  EXPECT_NEAR((s.starts.array() < 1).count(), 200, 40);
  const Simulation none =
      Simulate({.system = "lotka-volterra", .start = {0, 1}, .points = 2, .trajectories = 3});
  EXPECT_EQ(none.starts.col(0).cwiseAbs().maxCoeff(), 0);
}

TEST(Simulate, BadOptionsAreNamed) {
  const auto message = [](SimulationOptions o) { return MessageOf([&] { Simulate(o); }); };
  EXPECT_EQ(message({.start = {1}}), "Simulate: start has 1 values, must have 2");
  EXPECT_EQ(message({.points = 0}), "Simulate: points is 0, must be at least 1");
  EXPECT_EQ(message({.missing = 1}), "Simulate: missing is 1, must be less than 1");
  EXPECT_EQ(message({.noise_variance = {1}, .noise_share = 0.1}),
            "Simulate: noise_share and noise_variance are both given, must be only one of them");
  EXPECT_NE(message({.system = "vdq"}).find("vdq"), std::string::npos);
  EXPECT_NE(message({.span = NAN}).find("span"), std::string::npos);
  EXPECT_EQ(message({.span = 1e300}),
            "Simulate: span is 1e+300, must be at most 7e+06, a million times the default");
  // Far from the origin, the field of Van der Pol is too steep for any step size.
  EXPECT_NE(message({.start = {1e150, 1e150}}).find("has no solution beyond time"),
            std::string::npos);
}

TEST(Simulate, RegularTimes) {
  EXPECT_EQ(RegularTimes(1, 3, 5), (std::vector<double>{1, 1.5, 2, 2.5, 3}));
  EXPECT_EQ(RegularTimes(1, 3, 1), std::vector<double>{1});
  EXPECT_TRUE(RegularTimes(1, 3, 0).empty());
}

}  // namespace
}  // namespace gpode
