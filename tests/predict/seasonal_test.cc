// Tests of the seasonal forecast and of the guess of its period.
#include "predict/seasonal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gpode/random.h"

namespace gpode {
namespace {

// Returns a sine with noise, at `rows` times that are `gap` apart.
Dataset Sine(double period, std::size_t rows, double gap, double noise) {
  std::vector<double> normals(rows);
  RandomStream(7, 0, 0, Purpose::kTest).Normals(normals);
  Trajectory t{.name = "",
               .times = {},
               .values = Matrix(static_cast<Eigen::Index>(rows), 1),
               .start_time = {}};
  for (std::size_t i = 0; i < rows; ++i) {
    t.times.push_back(3 + gap * static_cast<double>(i));
    t.values(static_cast<Eigen::Index>(i), 0) =
        5 + std::sin(2 * std::numbers::pi * t.times.back() / period) + noise * normals[i];
  }
  return {.channels = {"x"}, .trajectories = {t}, .time_name = "t"};
}

TEST(Seasonal, FindsThePeriodOfASine) {
  EXPECT_NEAR(GuessPeriod(Sine(24, 200, 1, 0.2)), 24, 1);
  EXPECT_NEAR(GuessPeriod(Sine(0.7, 100, 0.05, 0)), 0.7, 0.051);
}

TEST(Seasonal, FindsNoPeriodInNoiseOrInATrendOrInFewRows) {
  EXPECT_EQ(GuessPeriod(Sine(1e9, 200, 1, 1)), 0);
  EXPECT_EQ(GuessPeriod(Sine(1000, 100, 1, 0)), 0);
  EXPECT_EQ(GuessPeriod(Sine(3, 6, 1, 0)), 0);
}

TEST(Seasonal, RepeatsTheLastPeriod) {
  Dataset data = Sine(10, 40, 0.5, 0);
  Trajectory& t = data.trajectories[0];
  t.values(30, 0) = std::numeric_limits<double>::quiet_NaN();  // is interpolated
  const double end = t.times.back();
  const std::vector<double> times = {end, end + 0.5, end + 10, end + 27.3};
  const Matrix values = SeasonalValues(t, 10, times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(values(static_cast<Eigen::Index>(i), 0),
                5 + std::sin(2 * std::numbers::pi * times[i] / 10), 0.03)
        << i;
  }
  EXPECT_EQ(values(2, 0), values(0, 0));
}

}  // namespace
}  // namespace gpode
