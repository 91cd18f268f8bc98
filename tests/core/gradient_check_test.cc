#include "gpode/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gpode/error.h"

namespace gpode {
namespace {

using Values = std::vector<double>;

// Evaluates a function that is not a polynomial and whose derivatives are about equally large.
double Smooth(std::span<const double> x) {
  return std::exp(0.5 * x[0]) * std::sin(x[1]) + std::atan(x[0] * x[2]);
}

Values SmoothGradient(std::span<const double> x) {
  const double e = std::exp(0.5 * x[0]);
  const double a = 1 / (1 + x[0] * x[0] * x[2] * x[2]);
  return {0.5 * e * std::sin(x[1]) + a * x[2], e * std::cos(x[1]), a * x[0]};
}

Values Point() { return {0.7, -1.3, 2.1}; }

TEST(GradientCheckTest, AgreesToNineDigitsOnASmoothFunction) {
  const GradientCheck check = CheckGradient(Smooth, Point(), SmoothGradient(Point()));
  EXPECT_TRUE(check.ok(1e-9)) << check.message;
}

TEST(GradientCheckTest, NoticesAnErrorOfAMillionthAndNamesTheEntry) {
  for (std::size_t i = 0; i < Point().size(); ++i) {
    Values gradient = SmoothGradient(Point());
    const double right = gradient[i];
    gradient[i] *= 1 + 1e-6;
    const GradientCheck check = CheckGradient(Smooth, Point(), gradient);
    EXPECT_FALSE(check.ok(1e-7));
    EXPECT_NEAR(check.max_relative_error, 1e-6, 1e-8);
    EXPECT_EQ(check.worst_index, i);
    EXPECT_EQ(check.analytic, gradient[i]);
    EXPECT_NEAR(check.numeric, right, 1e-9 * std::abs(right));
    EXPECT_LE(std::abs(check.numeric - right), check.numeric_error);
    EXPECT_NE(check.message.find("gradient[" + std::to_string(i) + "]"), std::string::npos);
  }
}

TEST(GradientCheckTest, FollowsTheSizeOfTheArgument) {
  const Values x = {3e6};
  const auto log = [](std::span<const double> p) { return std::log(p[0]); };
  const GradientCheck check = CheckGradient(log, x, Values{1 / x[0]});
  EXPECT_TRUE(check.ok(1e-9)) << check.message;
}

// The first steps reach negative arguments, whose logarithm is NaN.
TEST(GradientCheckTest, StaysInsideTheDomainByRestarting) {
  const Values x = {1e-4};
  const auto log = [](std::span<const double> p) { return std::log(p[0]); };
  const GradientCheck check = CheckGradient(log, x, Values{1 / x[0]});
  EXPECT_TRUE(check.ok(1e-9)) << check.message;

  GradientCheckOptions once;
  once.restarts = 0;
  EXPECT_FALSE(CheckGradient(log, x, Values{1 / x[0]}, once).ok(1e-2));
}

TEST(GradientCheckTest, ResolvesFastOscillations) {
  const auto wave = [](std::span<const double> p) { return std::sin(300 * p[0]); };
  const Values x = {0.4};
  const GradientCheck check = CheckGradient(wave, x, Values{300 * std::cos(300 * x[0])});
  EXPECT_TRUE(check.ok(1e-9)) << check.message;
}

// Three step sizes cancel the errors in h^2 and h^4. A polynomial of degree 6 has no other errors.
TEST(GradientCheckTest, ThreeLevelsAreExactUpToDegreeSix) {
  GradientCheckOptions options;
  options.levels = 3;
  options.restarts = 0;
  const Values x = {1.5};
  const auto sixth = [](std::span<const double> p) { return std::pow(p[0], 6); };
  const GradientCheck exact = CheckGradient(sixth, x, Values{6 * std::pow(x[0], 5)}, options);
  EXPECT_TRUE(exact.ok(1e-13)) << exact.message;
  const auto seventh = [](std::span<const double> p) { return std::pow(p[0], 7); };
  EXPECT_FALSE(CheckGradient(seventh, x, Values{7 * std::pow(x[0], 6)}, options).ok(1e-13));
}

// The rounding error of a value of 1e4 leaves only the first digits of a derivative of 1e-4.
TEST(GradientCheckTest, JudgesTinyEntriesAgainstAFractionOfTheLargest) {
  const auto f = [](std::span<const double> p) { return 1e4 * std::exp(p[0]) + 1e-4 * p[1]; };
  const Values x = {0.3, 0.1};
  const double large = 1e4 * std::exp(0.3);
  const Values wrong = {large, 2e-4};
  const GradientCheck floored = CheckGradient(f, x, wrong);
  EXPECT_NEAR(floored.max_relative_error, 1e-4 / (1e-3 * large), 1e-8);

  GradientCheckOptions strict;
  strict.relative_floor = 0.0;
  const GradientCheck unfloored = CheckGradient(f, x, wrong, strict);
  EXPECT_EQ(unfloored.worst_index, 1u);
  EXPECT_NEAR(unfloored.max_relative_error, 0.5, 1e-3);
}

TEST(GradientCheckTest, AbsoluteFloorServesStationaryPoints) {
  const auto well = [](std::span<const double> p) { return 1 + std::cosh(p[0]); };
  const Values x = {0.0};
  const Values almost_zero = {1e-14};
  EXPECT_FALSE(CheckGradient(well, x, almost_zero).ok(1e-8));
  GradientCheckOptions options;
  options.absolute_floor = 1.0;
  EXPECT_TRUE(CheckGradient(well, x, almost_zero, options).ok(1e-8));
}

TEST(GradientCheckTest, ConstantFunctionHasZeroGradient) {
  const auto constant = [](std::span<const double>) { return 12.5; };
  EXPECT_TRUE(CheckGradient(constant, Point(), Values{0, 0, 0}).ok(0.0));
  EXPECT_FALSE(CheckGradient(constant, Point(), Values{0, 1e-3, 0}).ok(0.5));
}

// A difference below the function's rounding error must not look like a derivative of zero.
TEST(GradientCheckTest, RoundingIsPartOfTheErrorEstimate) {
  const auto f = [](std::span<const double> p) { return 1e12 + 1e-5 * p[0]; };
  const GradientCheck check = CheckGradient(f, Values{0.5}, Values{1e-5});
  EXPECT_GT(check.numeric_error, 1e-5);
}

TEST(GradientCheckTest, ValuesThatAreNotFiniteFail) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Values gradient = SmoothGradient(Point());
  gradient[1] = nan;
  const GradientCheck analytic = CheckGradient(Smooth, Point(), gradient);
  EXPECT_FALSE(analytic.ok(1e100));
  EXPECT_EQ(analytic.worst_index, 1u);

  const auto broken = [&](std::span<const double>) { return nan; };
  EXPECT_FALSE(CheckGradient(broken, Point(), SmoothGradient(Point())).ok(1e100));
}

TEST(GradientCheckTest, RejectsWhatCannotBeChecked) {
  EXPECT_THROW(CheckGradient(Smooth, Point(), Values{1, 2}), InputError);
  EXPECT_THROW(CheckGradient(Smooth, Values{}, Values{}), InputError);
  GradientCheckOptions one_level;
  one_level.levels = 1;
  EXPECT_THROW(CheckGradient(Smooth, Point(), SmoothGradient(Point()), one_level), InputError);
}

TEST(GradientCheckTest, CostsTwoEvaluationsPerLevelAndEntry) {
  int calls = 0;
  const auto counted = [&](std::span<const double> x) {
    ++calls;
    return Smooth(x);
  };
  GradientCheckOptions options;
  options.levels = 4;
  options.restarts = 0;
  CheckGradient(counted, Point(), SmoothGradient(Point()), options);
  EXPECT_EQ(calls, 3 * 2 * 4);
}

}  // namespace
}  // namespace gpode
