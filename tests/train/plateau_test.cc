#include "train/plateau.h"

#include <gtest/gtest.h>

#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;

// Adds one window of values around `level`.
void AddWindow(double level, double noise, Numbers& numbers, Plateau& plateau) {
  for (std::size_t i = 0; i < Plateau::kWindow; ++i) plateau.Add(level + noise * numbers.Normal());
}

TEST(Plateau, WhatGrowsIsNeverStale) {
  Numbers numbers(1);
  Plateau plateau;
  // From window to window, the level rises by half the deviation of the values, which is several
  // standard errors of a mean.
  for (int w = 0; w < 40; ++w) {
    AddWindow(-1000 + 1.5 * w, 3.0, numbers, plateau);
    EXPECT_EQ(plateau.stale, 0u) << "window " << w;
  }
  EXPECT_EQ(plateau.windows, 40u);
}

TEST(Plateau, GrowsStaleAroundALevel) {
  Numbers numbers(2);
  Plateau plateau;
  AddWindow(-1000, 3.0, numbers, plateau);
  EXPECT_EQ(plateau.stale, 0u) << "nothing to compare the first window with";
  std::size_t resets = 0;
  for (int w = 1; w < 40; ++w) {
    const std::size_t before = plateau.stale;
    AddWindow(-1000, 3.0, numbers, plateau);
    EXPECT_TRUE(plateau.stale == before + 1 || plateau.stale == 0);
    resets += plateau.stale == 0;
  }
  EXPECT_LE(resets, 3u) << "chance";
}

TEST(Plateau, WhatDoesNotMoveOrFallsIsStale) {
  for (double slope : {0.0, -0.01}) {
    Plateau plateau;
    for (std::size_t i = 0; i < 5 * Plateau::kWindow; ++i) {
      plateau.Add(7 + slope * static_cast<double>(i));
    }
    EXPECT_EQ(plateau.stale, 4u) << slope;
  }
}

TEST(Plateau, OneBetterWindowStartsAnew) {
  Numbers numbers(3);
  Plateau plateau;
  for (int w = 0; w < 3; ++w) AddWindow(0, 0, numbers, plateau);
  EXPECT_EQ(plateau.stale, 2u);
  AddWindow(1, 0.1, numbers, plateau);
  EXPECT_EQ(plateau.stale, 0u);
  EXPECT_NEAR(plateau.best, 1, 0.05);
  // The new mean is larger than the first one, but not larger than the best one.
  AddWindow(0.5, 0.1, numbers, plateau);
  EXPECT_EQ(plateau.stale, 1u);
  EXPECT_NEAR(plateau.best, 1, 0.05);
}

TEST(Plateau, AGainWithinTheNoiseIsNone) {
  Plateau plateau;
  const auto add_alternating = [&](double level) {
    for (std::size_t i = 0; i < Plateau::kWindow; ++i) plateau.Add(level + (i % 2 ? 1.0 : -1.0));
  };
  add_alternating(0);
  // The standard error of a mean is 1 / sqrt(250) and that of a difference 0.0894. The difference
  // must be larger than twice that.
  add_alternating(0.178);
  EXPECT_EQ(plateau.stale, 1u);
  add_alternating(0.180);
  EXPECT_EQ(plateau.stale, 0u);
}

TEST(Plateau, NothingIsJudgedBeforeAWindowIsFull) {
  Plateau plateau;
  for (std::size_t i = 0; i < 2 * Plateau::kWindow - 1; ++i) plateau.Add(0);
  EXPECT_EQ(plateau.windows, 1u);
  EXPECT_EQ(plateau.stale, 0u);
  plateau.Add(0);
  EXPECT_EQ(plateau.windows, 2u);
  EXPECT_EQ(plateau.stale, 1u);
}

TEST(Plateau, ACopyGoesOnEqually) {
  Numbers numbers(4);
  Plateau one;
  for (int i = 0; i < 700; ++i) one.Add(numbers.Normal());
  Plateau other{.sum = one.sum,
                .squares = one.squares,
                .count = one.count,
                .best = one.best,
                .best_error = one.best_error,
                .windows = one.windows,
                .stale = one.stale};
  EXPECT_TRUE(one == other);
  for (int i = 0; i < 2000; ++i) {
    const double value = numbers.Normal();
    one.Add(value);
    EXPECT_FALSE(one == other);
    other.Add(value);
    ASSERT_TRUE(one == other) << i;
  }
  EXPECT_EQ(one.windows, 10u);
}

}  // namespace
}  // namespace gpode
