// Simulation-based calibration: parameters are drawn from the prior, data are simulated with them,
// and the ranks of the parameters among draws from the posterior must be uniform.
//   S. Talts, M. Betancourt, D. Simpson, A. Vehtari, A. Gelman (2018), Validating Bayesian
//   inference algorithms with simulation-based calibration.
//
// The model is a linear regression:  y_i = a + b t_i + 0.5 eps_i, a and b standard normal.
#include <gtest/gtest.h>

#include <array>

#include "gpode/random.h"
#include "sample/targets.h"

namespace gpode {
namespace {

using testing_support::ForEveryChain;

constexpr std::size_t kObservations = 8;
constexpr std::size_t kBins = 10;
constexpr std::size_t kSimulations = 400;
// A parameter is ranked among this many thinned draws. Its rank is 0 .. 99, and a bin has ten
// ranks.
constexpr std::size_t kRanked = 99;

struct Regression {
  std::array<double, kObservations> y;
  // A factor of the gradient but not of the value; 1 is correct.
  double gradient_scale = 1;
  // A factor of the log likelihood and its gradient; 1 is correct.
  double weight = 1;

  double operator()(std::span<const double> q, std::span<double> gradient) const {
    double sum = -0.5 * (q[0] * q[0] + q[1] * q[1]);
    gradient[0] = -q[0];
    gradient[1] = -q[1];
    for (std::size_t i = 0; i < kObservations; ++i) {
      const double t = Time(i), pull = weight * 4 * (y[i] - q[0] - q[1] * t);
      sum -= 0.5 * pull * (y[i] - q[0] - q[1] * t);
      gradient[0] += pull;
      gradient[1] += pull * t;
    }
    gradient[0] *= gradient_scale;
    gradient[1] *= gradient_scale;
    return sum;
  }

  static double Time(std::size_t i) { return 0.3 * static_cast<double>(i) - 1; }
};

// Returns the chi-square statistics of the ranks of a and b, each with kBins - 1 degrees of
// freedom.
std::array<double, 2> ChiSquares(double gradient_scale, double weight, std::size_t max_depth = 10) {
  std::array<std::array<double, kBins>, 2> counts{};
  for (std::size_t s = 0; s < kSimulations; ++s) {
    std::array<double, 2 + kObservations> normals;
    RandomStream(77, 0, s, Purpose::kTest).Normals(normals);
    Regression model{.y = {}, .gradient_scale = gradient_scale, .weight = weight};
    for (std::size_t i = 0; i < kObservations; ++i) {
      model.y[i] = normals[0] + normals[1] * Regression::Time(i) + 0.5 * normals[2 + i];
    }
    const NutsResult result = SampleNuts(2, ForEveryChain(model),
                                         {.chains = 1,
                                          .warm_up = 150,
                                          .draws = 4 * kRanked,
                                          .max_depth = max_depth,
                                          .seed = 1000 + s,
                                          .threads = 1});
    for (Eigen::Index k = 0; k < 2; ++k) {
      std::size_t rank = 0;
      for (std::size_t i = 0; i < kRanked; ++i) {
        rank += result.chains[0].draws(static_cast<Eigen::Index>(4 * i), k) < normals[k];
      }
      ++counts[k][rank * kBins / (kRanked + 1)];
    }
  }
  std::array<double, 2> chi_squares{};
  const double expected = static_cast<double>(kSimulations) / kBins;
  for (std::size_t k = 0; k < 2; ++k) {
    for (double count : counts[k]) {
      chi_squares[k] += (count - expected) * (count - expected) / expected;
    }
  }
  return chi_squares;
}

// The 99.9 % quantile of chi-square with nine degrees of freedom.
constexpr double kLimit = 27.88;

TEST(CalibrationTest, RanksAreUniform) {
  const std::array<double, 2> chi = ChiSquares(1, 1);
  EXPECT_LT(chi[0], kLimit);
  EXPECT_LT(chi[1], kLimit);
}

// Short trajectories make the sampler slower but do not change the target.
TEST(CalibrationTest, RanksAreUniformAtTheDepthLimit) {
  const std::array<double, 2> chi = ChiSquares(1, 1, 2);
  EXPECT_LT(chi[0], kLimit);
  EXPECT_LT(chi[1], kLimit);
}

// A wrong gradient makes bad proposals, but the energies use the value, so that the draws remain
// correct.
TEST(CalibrationTest, RanksAreUniformWithAWrongGradient) {
  const std::array<double, 2> chi = ChiSquares(0.7, 1);
  EXPECT_LT(chi[0], kLimit);
  EXPECT_LT(chi[1], kLimit);
}

// The test detects a posterior that is too narrow by a quarter.
TEST(CalibrationTest, AWrongPosteriorIsSeen) {
  const std::array<double, 2> chi = ChiSquares(1, 1.8);
  EXPECT_GT(chi[0], kLimit);
  EXPECT_GT(chi[1], kLimit);
}

}  // namespace
}  // namespace gpode
