// Tests of solutions with a force that is constant on pieces of time: values against a closed form,
// in both directions of time, and derivatives against finite differences.
#include "ode/forced_solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/gradient_check.h"
#include "gpode/systems.h"

namespace gpode {
namespace {

constexpr SolverOptions kExact{.rtol = 1e-11, .atol = 1e-11};

// The field x' = -x, for which a constant force w leads to x(t) = w + (x(0) - w) exp(-t).
class Decay final : public Field {
 public:
  std::size_t dim() const override { return 1; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& at, std::span<double> f, std::span<double>) const override {
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = -at.x[i];
  }
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> r) const override {
    Value(at, f, r);
  }
  void Pullback(const FieldPoints&, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double>) const override {
    for (std::size_t i = 0; i < g.size(); ++i) bx[i] -= g[i];
  }
};

double Relax(double x, double w, double t) { return w + (x - w) * std::exp(-t); }

TEST(ForcedSolver, FollowsTheForceOfEachPiece) {
  const std::vector<double> ends = {0.5, 1.5}, forces = {2, -1};
  // Two times lie in the first piece, one at its end, one in the second piece and one beyond.
  const std::vector<double> times = {0.0, 0.25, 0.5, 1.0, 2.0};
  std::vector<double> states(times.size());
  ForcedSolver solver(kExact);
  const SolveResult result = solver.Solve(Decay(), {.ends = ends, .values = forces},
                                          std::vector<double>{3}, 0.0, times, states);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.filled, times.size());
  const double first = Relax(3, 2, 0.5), second = Relax(first, -1, 1.0);
  const double expected[] = {3, Relax(3, 2, 0.25), first, Relax(first, -1, 0.5),
                             Relax(second, 0, 0.5)};
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(states[i], expected[i], 1e-9) << i;
}

TEST(ForcedSolver, AStopRuleEndsTheIntegrationAfterAPiece) {
  class StopAtOne final : public StopRule {
    bool StopsAfter(std::size_t filled) override { return filled >= 1; }
  };
  const std::vector<double> ends = {0.5, 1.5}, forces = {2, -1}, times = {0.1, 0.25, 1.0};
  std::vector<double> states(times.size());
  ForcedSolver solver(kExact);
  StopAtOne rule;
  solver.SetStopRule(&rule);
  const SolveResult result = solver.Solve(Decay(), {.ends = ends, .values = forces},
                                          std::vector<double>{3}, 0.0, times, states);
  EXPECT_EQ(result.status, SolveStatus::kStopped);
  EXPECT_EQ(result.filled, 2u);
  EXPECT_NEAR(states[1], Relax(3, 2, 0.25), 1e-9);
  EXPECT_TRUE(std::isnan(states[2]));
}

TEST(ForcedSolver, FollowsPiecesBackwards) {
  const std::vector<double> ends = {-0.5, -1.0}, forces = {2, -1}, times = {-0.25, -1.0};
  std::vector<double> states(times.size());
  ForcedSolver solver(kExact);
  EXPECT_TRUE(solver
                  .Solve(Decay(), {.ends = ends, .values = forces}, std::vector<double>{3}, 0.0,
                         times, states)
                  .ok());
  EXPECT_NEAR(states[0], Relax(3, 2, -0.25), 1e-9);
  EXPECT_NEAR(states[1], Relax(Relax(3, 2, -0.5), -1, -0.5), 1e-9);
}

// The variables are the initial state and the forces; the value is a weighted sum of states.
TEST(ForcedSolver, HasTheGradientOfItsStates) {
  const VanDerPol field(0.5);
  const std::vector<double> ends = {0.7, 1.1, 2.5}, times = {0.2, 0.7, 0.9, 2.0, 2.5, 3.0};
  std::vector<double> variables = {1, -0.5, 0.3, 0.2, -0.4, 0.1, 0.5, -0.2};
  std::vector<double> weights(2 * times.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = std::sin(1.0 + static_cast<double>(i));
  ForcedSolver solver(kExact);
  std::vector<double> states(weights.size());
  const auto value = [&](std::span<const double> x) {
    solver.SolveRecorded(field, {.ends = ends, .values = x.subspan(2)}, x.first(2), 0.0, times,
                         states);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * states[i];
    return sum;
  };
  value(variables);
  std::vector<double> gradient(variables.size(), 0.0), own(field.parameter_count(), 0.0);
  const std::span<double> all(gradient);
  solver.Pullback(field, {.ends = ends, .values = std::span(variables).subspan(2)}, weights,
                  all.first(2), all.subspan(2), own);
  const GradientCheck check = CheckGradient(value, variables, gradient, {.initial_step = 0.01});
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
}

}  // namespace
}  // namespace gpode
