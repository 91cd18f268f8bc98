// Tests of the search for limit cycles, on systems with known periods and multipliers.
#include "gpode/limit_cycles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gpode/ode.h"
#include "gpode/systems.h"
#include "support/formula_field.h"

namespace gpode {
namespace {

StateBox Square(double size) { return {Vector::Constant(2, -size), Vector::Constant(2, size)}; }

std::vector<LimitCycle> CyclesOf(const Field& field, const StateBox& box) {
  return FindLimitCycles(field, box, FindFixedPoints(field, box).points);
}

TEST(LimitCycles, VanDerPolHasThePublishedPeriod) {
  // The period for mu = 1 to many digits: Andersen and Geer, Power series expansions for the
  // frequency and period of the limit cycle of the van der Pol equation (1982).
  const std::vector<LimitCycle> cycles = CyclesOf(VanDerPol(1), Square(3));
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_NEAR(cycles[0].period, 6.6632868593231, 1e-9);
  EXPECT_NEAR(cycles[0].upper[0], 2.00861986, 2e-3);
  EXPECT_TRUE(cycles[0].stable);
}

TEST(LimitCycles, PeriodAgreesWithAFineIntegration) {
  const auto field = MakeSystem("brusselator");
  const StateBox box{Vector{{0, 0}}, Vector{{5, 6}}};
  const std::vector<LimitCycle> cycles = CyclesOf(*field, box);
  ASSERT_EQ(cycles.size(), 1U);
  Solver solver({.method = Method::kRungeKutta4, .fixed_step = 2e-4, .max_steps = 1'000'000});
  const Vector start = cycles[0].states.row(0).transpose();
  Vector end(2);
  const double times[] = {cycles[0].period};
  ASSERT_TRUE(solver.Solve(*field, {start.data(), 2}, 0, times, {end.data(), 2}).ok());
  EXPECT_LT((end - start).norm(), 1e-8);
}

// The field r' = r (r^2 - 1) (4 - r^2), angle' = 2, whose cycles have the radii 1 and 2.
FormulaField TwoCycles() {
  return {2, [](const Vector& x) {
            const double q = x.squaredNorm(), growth = (q - 1) * (4 - q);
            return Vector{{growth * x[0] - 2 * x[1], growth * x[1] + 2 * x[0]}};
          }};
}

TEST(LimitCycles, RepellingOnesAreFoundBackwards) {
  const std::vector<LimitCycle> cycles = CyclesOf(TwoCycles(), Square(2.6));
  ASSERT_EQ(cycles.size(), 2U);
  int stable = 0;
  for (const LimitCycle& cycle : cycles) {
    EXPECT_NEAR(cycle.period, std::numbers::pi, 1e-8);
    const double radius = cycle.states.row(0).norm();
    // The derivative of r' is 6 at radius 1 and -24 at radius 2.
    EXPECT_NEAR(radius, cycle.stable ? 2 : 1, 1e-8);
    const double rate = cycle.stable ? -24 : 6;
    EXPECT_NEAR(std::abs(cycle.multipliers[0]) / std::exp(rate * std::numbers::pi), 1,
                cycle.stable ? HUGE_VAL : 1e-5);
    stable += cycle.stable ? 1 : 0;
  }
  EXPECT_EQ(stable, 1);
}

TEST(LimitCycles, LotkaVolterraHasAFamilyOfNeutralOnes) {
  const auto field = MakeSystem("lotka-volterra");
  const StateBox box{Vector{{0, 0}}, Vector{{6, 6}}};
  const auto points = FindFixedPoints(*field, box).points;
  const Vector start = points.back().state * 1.5;
  const Attractor end = FollowToAttractor(*field, box, points, start);
  ASSERT_EQ(end.fate, Fate::kCycle);
  EXPECT_TRUE(end.cycle->neutral);
}

TEST(LimitCycles, SolutionsEndWhereTheyShould) {
  const Duffing well(-1, 1, 0.3);
  const StateBox box = Square(2);
  const auto points = FindFixedPoints(well, box).points;
  const Attractor left = FollowToAttractor(well, box, points, Vector{{-1.2, 0.1}});
  EXPECT_EQ(left.fate, Fate::kFixedPoint);
  EXPECT_EQ(left.fixed_point, 0U);
  EXPECT_TRUE(FindLimitCycles(well, box, points).empty());
  const FormulaField runs(2, [](const Vector& x) { return Vector{{1.0, -x[1]}}; });
  EXPECT_EQ(FollowToAttractor(runs, box, {}, Vector{{0, 1}}).fate, Fate::kLeaves);
  const auto lorenz = MakeSystem("lorenz63");
  const StateBox space{Vector{{-25, -30, -5}}, Vector{{25, 30, 55}}};
  EXPECT_EQ(
      FollowToAttractor(*lorenz, space, FindFixedPoints(*lorenz, space).points, Vector{{1, 1, 20}})
          .fate,
      Fate::kKeepsMoving);
}

}  // namespace
}  // namespace gpode
