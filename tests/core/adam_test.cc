#include "core/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gpode {
namespace {

TEST(Adam, MaximisesAQuadratic) {
  // The function is -(x - 3)^2 - 50 (y + 1)^2 - 0.01 z^2.
  std::vector<double> p = {-2, 4, 1}, g(3);
  Adam adam(3);
  constexpr std::size_t kSteps = 4000;
  for (std::size_t i = 0; i < kSteps; ++i) {
    g = {-2 * (p[0] - 3), -100 * (p[1] + 1), -0.02 * p[2]};
    adam.Step(g, CosineRate(0.05, i, 100, kSteps), std::vector<double>{1, 1, 1}, p);
  }
  EXPECT_NEAR(p[0], 3, 1e-3);
  EXPECT_NEAR(p[1], -1, 1e-3);
  EXPECT_NEAR(p[2], 0, 1e-3);
}

// The first step of a parameter has the size of the learning rate, however large the gradient is,
// unless the gradient is zero.
TEST(Adam, FirstStepIsTheRate) {
  std::vector<double> p = {0, 0, 0};
  Adam(3).Step(std::vector<double>{1e6, -1e-3, 0}, 0.25, std::vector<double>{1, 1, 1}, p);
  EXPECT_NEAR(p[0], 0.25, 1e-10);
  EXPECT_NEAR(p[1], -0.25, 1e-4);
  EXPECT_EQ(p[2], 0);
}

// The expected values are two steps of Kingma and Ba's algorithm 1 at half the learning rate,
// written out.
TEST(Adam, SecondStepUsesBothMoments) {
  std::vector<double> p = {0};
  Adam adam(1);
  adam.Step(std::vector<double>{2}, 0.2, std::vector<double>{0.5}, p);
  const double after_one = p[0];
  adam.Step(std::vector<double>{-1}, 0.2, std::vector<double>{0.5}, p);
  const double first = (0.9 * 0.1 * 2 + 0.1 * -1) / (1 - 0.9 * 0.9);
  const double second = (0.999 * 0.001 * 4 + 0.001) / (1 - 0.999 * 0.999);
  EXPECT_NEAR(p[0] - after_one, 0.1 * first / std::sqrt(second), 1e-9);
}

TEST(Adam, SharesScaleTheRateOfEachParameter) {
  const std::vector<double> gradient = {3, 3, 3}, shares = {1, 0.2, 0};
  std::vector<double> p = {0, 0, 0};
  Adam adam(3);
  adam.Step(gradient, 0.5, shares, p);
  adam.Step(gradient, 0.5, shares, p);
  EXPECT_NEAR(p[0], 1.0, 1e-7);
  EXPECT_NEAR(p[1], 0.2, 1e-7);
  EXPECT_EQ(p[2], 0.0) << "held fixed";
}

// The second of two parameters is updated only in every seventh step. Both must move as if each
// were alone with its own gradients.
TEST(Adam, RarelyTouchedParametersMoveAsIfAlone) {
  const std::vector<double> ones = {1, 1};
  std::vector<double> together = {0, 0}, first = {0}, second = {0};
  Adam both(2), alone(1), rare(1);
  double updates = 0;
  for (int i = 1; i <= 50; ++i) {
    const std::vector<double> g = {std::sin(i), std::cos(3 * i)};
    both.Update(0, 1, i, g, 0.1, ones, together);
    alone.Step(std::vector<double>{g[0]}, 0.1, ones, first);
    if (i % 7 != 0) continue;
    both.Update(1, 1, ++updates, g, 0.1, ones, together);
    rare.Step(std::vector<double>{g[1]}, 0.1, ones, second);
  }
  EXPECT_EQ(together, (std::vector<double>{first[0], second[0]}));
}

TEST(CosineRate, RisesThenFalls) {
  EXPECT_DOUBLE_EQ(CosineRate(2.0, 0, 10, 110), 0.2);
  EXPECT_DOUBLE_EQ(CosineRate(2.0, 4, 10, 110), 1.0);
  EXPECT_DOUBLE_EQ(CosineRate(2.0, 9, 10, 110), 2.0);
  EXPECT_DOUBLE_EQ(CosineRate(2.0, 10, 10, 110), 2.0);
  EXPECT_NEAR(CosineRate(2.0, 35, 10, 110), 1 + std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(CosineRate(2.0, 60, 10, 110), 1.0, 1e-12);
  EXPECT_NEAR(CosineRate(2.0, 110, 10, 110), 0.0, 1e-12);
}

TEST(CosineRate, Edges) {
  EXPECT_DOUBLE_EQ(CosineRate(2.0, 0, 0, 100), 2.0) << "no warm-up";
  EXPECT_NEAR(CosineRate(2.0, 500, 10, 110), 0.0, 1e-12) << "after the end";
  EXPECT_DOUBLE_EQ(CosineRate(2.0, 3, 100, 50), 0.08) << "a run shorter than its warm-up";
  EXPECT_TRUE(std::isfinite(CosineRate(2.0, 50, 50, 50)));
}

}  // namespace
}  // namespace gpode
