// Compares radius and angle with the C library in long double, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "simd/simd.h"

namespace gpode::simd {
namespace {

using Values = std::vector<double>;

// The errors documented in simd.h.
constexpr double kRadiusUlp = 1.3, kAngleUlp = 3;

struct Points {
  Values x, y;
};

struct PolarPoints {
  Values radius, angle;
  friend bool operator==(const PolarPoints&, const PolarPoints&) = default;
};

PolarPoints Evaluate(Isa isa, const Points& points) {
  const std::size_t n = points.x.size();
  PolarPoints polar{Values(n), Values(n)};
  LoopsFor(isa).polar(n, points.x.data(), points.y.data(), polar.radius.data(), polar.angle.data());
  return polar;
}

// Returns coordinates of both signs whose magnitudes are from 2^-largest to 2^largest.
Points Spread(std::size_t n, double largest) {
  std::mt19937_64 bits(7);
  const auto draw = [&] {
    const double u = static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0;
    return (bits() % 2 == 0 ? 1.0 : -1.0) * std::exp2(largest * u);
  };
  Points points;
  for (std::size_t i = 0; i < n; ++i) {
    points.x.push_back(draw());
    points.y.push_back(draw());
  }
  return points;
}

double Ulps(double actual, long double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<double>::min_exponent);
  return static_cast<double>(std::fabs(actual - exact) / std::ldexp(1.0L, exponent - 53));
}

void ExpectPromiseKept(const Points& points) {
  for (const Isa isa : Available()) {
    const PolarPoints polar = Evaluate(isa, points);
    double radius = 0, angle = 0;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      const long double x = points.x[i], y = points.y[i];
      radius = std::max(radius, Ulps(polar.radius[i], std::sqrt(x * x + y * y)));
      angle = std::max(angle, Ulps(polar.angle[i], std::atan2(y, x)));
    }
    EXPECT_LE(radius, kRadiusUlp) << Name(isa);
    EXPECT_LE(angle, kAngleUlp) << Name(isa);
  }
}

TEST(PolarTest, KeepsItsPromise) {
  ExpectPromiseKept(Spread(200000, 2));
  ExpectPromiseKept(Spread(100000, 40));
  ExpectPromiseKept(Spread(100000, 498));  // coordinates from about 1e-150 to 1e150
}

TEST(PolarTest, AxesDiagonalsAndTheOrigin) {
  const double pi = 3.141592653589793;
  const Points points = {{1, 1, 0, -1, -1, -1, 0, 1, 0, 0}, {0, 1, 1, 1, 0, -1, -1, -1, 0, -0.0}};
  const Values angles = {0, pi / 4, pi / 2, 3 * pi / 4, pi, -3 * pi / 4, -pi / 2, -pi / 4, 0, 0};
  for (const Isa isa : Available()) {
    const PolarPoints polar = Evaluate(isa, points);
    for (std::size_t i = 0; i < angles.size(); ++i) {
      EXPECT_DOUBLE_EQ(polar.angle[i], angles[i]) << Name(isa) << ", point " << i;
      EXPECT_EQ(polar.radius[i], std::sqrt(points.x[i] * points.x[i] + points.y[i] * points.y[i]));
    }
    EXPECT_FALSE(std::signbit(polar.angle[8]));
    EXPECT_TRUE(std::signbit(polar.angle[9]));
  }
}

TEST(PolarTest, PointsDoNotDependOnPositionOrLength) {
  const Points all = Spread(40, 3);
  for (const Isa isa : Available()) {
    const PolarPoints whole = Evaluate(isa, all);
    for (std::size_t first = 0; first < 40; ++first) {
      for (std::size_t n = 0; first + n <= 40; ++n) {
        const auto part = [&](const Values& v) {
          return Values(v.begin() + first, v.begin() + first + n);
        };
        ASSERT_EQ(Evaluate(isa, {part(all.x), part(all.y)}),
                  (PolarPoints{part(whole.radius), part(whole.angle)}))
            << Name(isa) << ", from " << first << ", length " << n;
      }
    }
  }
}

TEST(PolarTest, OfSpans) {
  const Points points = Spread(13, 3);
  PolarPoints polar{Values(13), Values(13)};
  Polar(points.x, points.y, polar.radius, polar.angle);
  EXPECT_EQ(polar, Evaluate(ActiveIsa(), points));
  Values less(12);
  EXPECT_DEATH(Polar(points.x, less, polar.radius, polar.angle), "internal check failed");
  EXPECT_DEATH(Polar(points.x, points.y, less, polar.angle), "internal check failed");
  EXPECT_DEATH(Polar(points.x, points.y, polar.radius, less), "internal check failed");
}

}  // namespace
}  // namespace gpode::simd
