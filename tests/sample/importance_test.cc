// Tests of importance weights: Pareto smoothing, its diagnostic, and resampling.
#include "gpode/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpode/random.h"

namespace gpode {
namespace {

std::vector<double> Normals(std::size_t n) {
  std::vector<double> normals(n);
  RandomStream(7, 0, 0, Purpose::kTest).Normals(normals);
  return normals;
}

// Returns the log weights, up to a constant, with which draws from the proposal N(0, deviation^2)
// represent N(0, 1). A draw is deviation * z for a normal z.
std::vector<double> LogWeights(const std::vector<double>& normals, double deviation) {
  std::vector<double> weights;
  for (double z : normals) weights.push_back(0.5 * z * z * (1 - deviation * deviation));
  return weights;
}

TEST(Importance, WeightsOfAWideProposalGiveTheRightMoments) {
  const std::vector<double> normals = Normals(4000);
  const SmoothedWeights w = SmoothWeights(LogWeights(normals, 1.5));
  EXPECT_LT(w.shape, 0.3);
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    sum += w.weights[i];
    square += w.weights[i] * 2.25 * normals[i] * normals[i];
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(square, 1, 0.06);
  EXPECT_GT(w.effective, 2000);
}

// The weights of a proposal that is too narrow, with a deviation below one, have the Pareto shape
// 1 - deviation^2.
TEST(Importance, TheShapeTellsHowNarrowAProposalIs) {
  const std::vector<double> normals = Normals(20000);
  EXPECT_NEAR(SmoothWeights(LogWeights(normals, 0.8)).shape, 1 - 0.64, 0.12);
  EXPECT_NEAR(SmoothWeights(LogWeights(normals, 0.5)).shape, 1 - 0.25, 0.2);
  EXPECT_GT(SmoothWeights(LogWeights(normals, 0.3)).shape, 0.7);
}

TEST(Importance, OddWeights) {
  const double nothing = -std::numeric_limits<double>::infinity();
  const SmoothedWeights none = SmoothWeights(std::vector<double>(50, nothing));
  EXPECT_EQ(none.effective, 0);
  EXPECT_EQ(none.shape, std::numeric_limits<double>::infinity());
  const SmoothedWeights equal = SmoothWeights(std::vector<double>(50, 3.0));
  EXPECT_NEAR(equal.effective, 50, 1e-9);
  std::vector<double> one(50, nothing);
  one[3] = 5;
  one[4] = NAN;
  const SmoothedWeights single = SmoothWeights(one);
  EXPECT_GT(single.weights[3], 0.5);
  EXPECT_EQ(single.weights[4], 0);
}

TEST(Importance, ResamplingTakesEachAsOftenAsItsWeightSays) {
  const std::vector<std::size_t> chosen = Resample(std::vector{0.5, 0.0, 0.25, 0.25}, 8, 0.5);
  EXPECT_EQ(chosen, (std::vector<std::size_t>{0, 0, 0, 0, 2, 2, 3, 3}));
}

}  // namespace
}  // namespace gpode
