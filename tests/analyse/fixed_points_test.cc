// Tests of the search for fixed points, on systems whose fixed points are known.
#include "gpode/fixed_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpode/error.h"
#include "gpode/systems.h"
#include "support/formula_field.h"

namespace gpode {
namespace {

StateBox Cube(Eigen::Index dim, double lower, double upper) {
  return {Vector::Constant(dim, lower), Vector::Constant(dim, upper)};
}

// Expects the search to find these states (n, D), in any order, and no others.
void ExpectExactly(const FixedPointSearch& found, const Matrix& states, double tolerance = 1e-8) {
  EXPECT_TRUE(found.checked);
  ASSERT_EQ(std::ssize(found.points), states.rows());
  for (const auto& state : states.rowwise()) {
    double nearest = HUGE_VAL;
    for (const FixedPoint& point : found.points) {
      nearest = std::min(nearest, (point.state - state.transpose()).norm());
    }
    EXPECT_LT(nearest, tolerance) << state;
  }
}

TEST(FixedPoints, VanDerPolHasAnUnstableSpiral) {
  const FixedPointSearch found = FindFixedPoints(VanDerPol(1), Cube(2, -3, 3));
  ExpectExactly(found, Matrix{{0, 0}});
  EXPECT_EQ(found.points[0].type, FixedPointType::kSpiral);
  EXPECT_FALSE(found.points[0].stable);
  EXPECT_NEAR(found.points[0].eigenvalues[0].real(), 0.5, 1e-10);
  EXPECT_NEAR(std::abs(found.points[0].eigenvalues[0].imag()), std::sqrt(0.75), 1e-10);
}

TEST(FixedPoints, DoubleWellHasThree) {
  const FixedPointSearch found = FindFixedPoints(Duffing(-1, 1, 0.2), Cube(2, -2, 2));
  ExpectExactly(found, Matrix{{-1, 0}, {0, 0}, {1, 0}});
  EXPECT_EQ(found.points[1].type, FixedPointType::kSaddle);
  EXPECT_TRUE(found.points[0].stable && found.points[2].stable);
}

TEST(FixedPoints, LotkaVolterraHasASaddleAndACentre) {
  const auto field = MakeSystem("lotka-volterra");
  const std::span<const double> p = field->parameters();  // alpha, beta, gamma, delta
  const FixedPointSearch found = FindFixedPoints(*field, Cube(2, -1, 6));
  ExpectExactly(found, Matrix{{0, 0}, {p[2] / p[3], p[0] / p[1]}});
  EXPECT_EQ(found.points[0].type, FixedPointType::kSaddle);
  EXPECT_EQ(found.points[1].type, FixedPointType::kCentre);
}

TEST(FixedPoints, ToggleSwitchHasTwoStableNodesAndASaddle) {
  const FixedPointSearch found = FindFixedPoints(ToggleSwitch(4, 3), Cube(2, 0, 5));
  EXPECT_TRUE(found.checked);
  ASSERT_EQ(found.points.size(), 3U);
  EXPECT_EQ(found.points[1].type, FixedPointType::kSaddle);
  EXPECT_TRUE(found.points[0].stable && found.points[2].stable);
  EXPECT_EQ(found.points[0].type, FixedPointType::kNode);
  EXPECT_NEAR(found.points[0].state[0], found.points[2].state[1], 1e-9);
}

TEST(FixedPoints, PendulumHasFiveInTwoTurns) {
  const double pi = std::numbers::pi;
  ExpectExactly(FindFixedPoints(*MakeSystem("pendulum"), Cube(2, -7, 7)),
                Matrix{{-2 * pi, 0}, {-pi, 0}, {0, 0}, {pi, 0}, {2 * pi, 0}});
}

TEST(FixedPoints, NineOnARotatedGrid) {
  const double c = std::cos(0.4), s = std::sin(0.4);
  const FormulaField field(2, [=](const Vector& x) {
    const double u = c * x[0] + s * x[1], v = c * x[1] - s * x[0];
    const double fu = u * (1 - u * u), fv = 2 * v * (0.5 - v * v);
    return Vector{{c * fu - s * fv, s * fu + c * fv}};
  });
  Matrix states(9, 2);
  const double v = std::sqrt(0.5);
  for (int i = 0; i < 9; ++i) {
    const double a = i % 3 - 1, b = v * (i / 3 - 1);
    states.row(i) << c * a - s * b, s * a + c * b;
  }
  ExpectExactly(FindFixedPoints(field, Cube(2, -1.5, 1.5)), states);
}

TEST(FixedPoints, CompetitionHasFour) {
  const FormulaField field(2, [](const Vector& x) {
    return Vector{{x[0] * (1 - x[0] - 0.5 * x[1]), x[1] * (1 - x[1] - 0.5 * x[0])}};
  });
  ExpectExactly(FindFixedPoints(field, Cube(2, -0.3, 2)),
                Matrix{{0, 0}, {1, 0}, {0, 1}, {2.0 / 3, 2.0 / 3}});
}

TEST(FixedPoints, PairThatIsCloseTogetherIsFound) {
  const FormulaField field(2, [](const Vector& x) {
    return Vector{{x[0] * x[0] - 1e-6, -x[1] + x[0]}};
  });
  ExpectExactly(FindFixedPoints(field, Cube(2, -1, 1.3)), Matrix{{-1e-3, -1e-3}, {1e-3, 1e-3}});
}

TEST(FixedPoints, NoneIsInvented) {
  const FormulaField field(2, [](const Vector& x) { return Vector{{1e-3 + x[0] * x[0], -x[1]}}; });
  ExpectExactly(FindFixedPoints(field, Cube(2, -1, 1)), Matrix(0, 2));
}

TEST(FixedPoints, LorenzHasThree) {
  const double r = std::sqrt(8.0 / 3 * 27);
  ExpectExactly(
      FindFixedPoints(*MakeSystem("lorenz63"), {Vector{{-25, -30, -5}}, Vector{{25, 30, 55}}}),
      Matrix{{0, 0, 0}, {r, r, 27}, {-r, -r, 27}});
}

TEST(FixedPoints, RosslerHasTwo) {
  const auto field = MakeSystem("rossler");
  const double a = field->parameters()[0], b = field->parameters()[1], c = field->parameters()[2];
  const double root = std::sqrt(c * c - 4 * a * b);
  Matrix states(2, 3);
  for (int i = 0; i < 2; ++i) {
    const double x = 0.5 * (c + (i == 0 ? root : -root));
    states.row(i) << x, -x / a, x / a;
  }
  ExpectExactly(FindFixedPoints(*field, Cube(3, -40, 40)), states);
}

TEST(FixedPoints, MayLeonardHasFive) {
  const MayLeonard field(0.5, 1.7);
  ExpectExactly(FindFixedPoints(field, Cube(3, -0.2, 1.3)),
                Matrix{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1 / 3.2, 1 / 3.2, 1 / 3.2}});
}

TEST(FixedPoints, LinesHaveThreeOnOneAxis) {
  const FormulaField field(1, [](const Vector& x) { return Vector{{x[0] - x[0] * x[0] * x[0]}}; });
  const FixedPointSearch found = FindFixedPoints(field, Cube(1, -2, 2));
  ExpectExactly(found, Matrix{{-1.0}, {0.0}, {1.0}});
  EXPECT_TRUE(found.points[0].stable);
  EXPECT_FALSE(found.points[1].stable);
}

TEST(FixedPoints, BoxOfAnotherDimensionIsRefused) {
  EXPECT_THROW(FindFixedPoints(VanDerPol(1), Cube(3, -1, 1)), InputError);
  EXPECT_THROW(FindFixedPoints(VanDerPol(1), Cube(2, 1, -1)), InputError);
}

}  // namespace
}  // namespace gpode
