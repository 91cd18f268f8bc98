// Tests of the integration loop: tolerances, directions, dense output, hints, failures and their
// messages.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/ode.h"
#include "gpode/systems.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

const std::vector<Method> kAdaptive = {Method::kBogackiShampine32, Method::kDormandPrince54,
                                       Method::kTsitouras54, Method::kDop853};

// The field x' = a x + b x^2. Its solutions decay for a < 0 and b = 0, and reach infinity in finite
// time for a = 0 and b > 0.
class Scalar : public Field {
 public:
  Scalar(double a, double b) : a_(a), b_(b) {}
  std::size_t dim() const override { return 1; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& points, std::span<double> f, std::span<double>) const override {
    const std::span<const double> x = points.x;
    for (std::size_t i = 0; i < x.size(); ++i) f[i] = a_ * x[i] + b_ * x[i] * x[i];
  }
  void Record(const FieldPoints& points, std::span<double> f, std::span<double> r) const override {
    Value(points, f, r);
  }
  void Pullback(const FieldPoints& points, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double>) const override {
    const std::span<const double> x = points.x;
    for (std::size_t i = 0; i < x.size(); ++i) bx[i] += g[i] * (a_ + 2 * b_ * x[i]);
  }

 private:
  double a_, b_;
};

LinearSystem Oscillator() {
  Matrix a(2, 2);
  a << 0, 1, -1, 0;
  return LinearSystem(a);
}

TEST(SolverTest, ErrorFollowsTheTolerance) {
  for (Method method : kAdaptive) {
    SCOPED_TRACE(Name(method));
    std::vector<double> times;
    for (int i = 0; i <= 50; ++i) times.push_back(0.2 * i);
    for (double tolerance : {1e-4, 1e-6, 1e-8}) {
      Solver solver({.method = method, .rtol = tolerance, .atol = tolerance});
      std::vector<double> states(2 * times.size());
      const SolveResult result =
          solver.Solve(Oscillator(), std::vector<double>{1, 0}, 0, times, states);
      ASSERT_TRUE(result.ok());
      EXPECT_EQ(result.filled, times.size());
      double largest = 0;
      for (std::size_t i = 0; i < times.size(); ++i) {
        largest = std::max(largest, std::fabs(states[2 * i] - std::cos(times[i])));
      }
      EXPECT_LT(largest, 60 * tolerance);
      // A much smaller error would mean far more work than the tolerance asks for.
      EXPECT_GT(largest, 1e-4 * tolerance);
    }
  }
}

TEST(SolverTest, BackwardsUndoesForwards) {
  for (Method method : kAdaptive) {
    SCOPED_TRACE(Name(method));
    Solver solver({.method = method, .rtol = 1e-10, .atol = 1e-10});
    const std::vector<double> x0 = {-1.5, 2.5};
    std::vector<double> there(2), back(2);
    ASSERT_TRUE(solver.Solve(VanDerPol(0.5), x0, 1.0, std::vector<double>{4.0}, there).ok());
    ASSERT_TRUE(solver.Solve(VanDerPol(0.5), there, 4.0, std::vector<double>{1.0}, back).ok());
    EXPECT_NEAR(back[0], x0[0], 1e-7);
    EXPECT_NEAR(back[1], x0[1], 1e-7);
  }
}

TEST(SolverTest, RequestedTimesDoNotChangeTheSteps) {
  Solver solver({.rtol = 1e-7, .atol = 1e-7});
  const std::vector<double> x0 = {-1.5, 2.5};
  std::vector<double> few(2), many(2 * 101);
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(0.07 * i);
  const SolveResult a = solver.Solve(VanDerPol(0.5), x0, 0, std::vector<double>{times.back()}, few);
  const SolveResult b = solver.Solve(VanDerPol(0.5), x0, 0, times, many);
  EXPECT_EQ(a.statistics.accepted, b.statistics.accepted);
  EXPECT_EQ(few[0], many[200]);
  EXPECT_EQ(few[1], many[201]);
}

TEST(SolverTest, AHintSavesTheSearchForAFirstStep) {
  Solver solver;
  const std::vector<double> x0 = {-1.5, 2.5}, times = {0.1};
  std::vector<double> states(2);
  const SolveResult cold = solver.Solve(VanDerPol(0.5), x0, 0, times, states);
  const SolveResult warm = solver.Solve(VanDerPol(0.5), x0, 0, times, states, cold.step_hint);
  EXPECT_GT(cold.statistics.evaluations, warm.statistics.evaluations);
  EXPECT_EQ(warm.statistics.evaluations, 7u);  // one step of seven stages
}

TEST(SolverTest, RecordedAndPlainSolutionsAreTheSameBits) {
  for (Method method : kAdaptive) {
    SCOPED_TRACE(Name(method));
    Solver solver({.method = method});
    const std::vector<double> x0 = {-1.5, 2.5, 0.3, -0.2}, times = {0.5, 1.1, 3.0};
    std::vector<double> plain(12), recorded(12);
    SolveRecord record;
    ASSERT_TRUE(solver.Solve(VanDerPol(0.5), x0, 0, times, plain).ok());
    const SolveResult result = solver.SolveRecorded(VanDerPol(0.5), x0, 0, times, recorded, record);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(plain, recorded);
    EXPECT_EQ(record.steps(), result.statistics.accepted);
  }
}

TEST(SolverTest, TimesAtTheStartNeedNoStep) {
  Solver solver;
  const std::vector<double> x0 = {1, 2};
  std::vector<double> states(4);
  const SolveResult result =
      solver.Solve(VanDerPol(0.5), x0, 3.0, std::vector<double>{3.0, 3.0}, states);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.statistics.evaluations, 0u);
  EXPECT_EQ(states, (std::vector<double>{1, 2, 1, 2}));
  EXPECT_TRUE(solver.Solve(VanDerPol(0.5), x0, 3.0, {}, {}).ok());
}

TEST(SolverTest, ARunawaySolutionStopsWithAStatus) {
  // x' = x^2 from 1 reaches infinity at t = 1.
  for (Method method : kAdaptive) {
    SCOPED_TRACE(Name(method));
    Solver solver({.method = method});
    std::vector<double> states(2);
    const SolveResult result = solver.Solve(Scalar(0, 1), std::vector<double>{1}, 0,
                                            std::vector<double>{0.5, 2.0}, states);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.filled, 1u);
    EXPECT_NEAR(states[0], 2.0, 1e-3);
    EXPECT_TRUE(std::isnan(states[1]));
    EXPECT_NEAR(result.reached, 1.0, 1e-2);
    EXPECT_GT(Message(result.status).size(), 20u);
  }
}

TEST(SolverTest, FixedStepsThatOverflowStopWithAStatus) {
  Solver solver({.method = Method::kRungeKutta4, .fixed_step = 0.1});
  std::vector<double> states(1);
  const SolveResult result =
      solver.Solve(Scalar(0, 1), std::vector<double>{1}, 0, std::vector<double>{50.0}, states);
  EXPECT_EQ(result.status, SolveStatus::kNotFinite);
}

TEST(SolverTest, StepsAreBounded) {
  Solver solver({.max_steps = 50});
  std::vector<double> states(1);
  // The problem is stiff: stability limits the steps to about 3e-3.
  const SolveResult result =
      solver.Solve(Scalar(-1000, 0), std::vector<double>{1}, 0, std::vector<double>{10.0}, states);
  EXPECT_EQ(result.status, SolveStatus::kTooManySteps);
  EXPECT_EQ(result.statistics.accepted + result.statistics.rejected, 50u);
}

// A rule that ends an integration as soon as `most` states are known.
class StopAt final : public StopRule {
 public:
  explicit StopAt(std::size_t most) : most_(most) {}
  bool StopsAfter(std::size_t filled) override { return filled >= most_; }

 private:
  std::size_t most_;
};

TEST(SolverTest, AStopRuleEndsTheIntegrationAndChangesNothingBefore) {
  const std::vector<double> times = {0.5, 1.0, 6.0, 20.0}, x0 = {1, 0.5};
  Solver solver;
  std::vector<double> all(8), some(8);
  const SolveResult whole = solver.Solve(VanDerPol(0.5), x0, 0, times, all);
  ASSERT_TRUE(whole.ok());
  StopAt rule(3);
  solver.SetStopRule(&rule);
  SolveRecord record;
  for (bool recorded : {false, true}) {
    const SolveResult result =
        recorded ? solver.SolveRecorded(VanDerPol(0.5), x0, 0, times, some, record)
                 : solver.Solve(VanDerPol(0.5), x0, 0, times, some);
    EXPECT_EQ(result.status, SolveStatus::kStopped);
    EXPECT_EQ(result.filled, 3u);
    EXPECT_LT(result.statistics.evaluations, whole.statistics.evaluations);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(some[i], all[i]) << i;
    EXPECT_TRUE(std::isnan(some[6]));
  }
  solver.SetStopRule(nullptr);
  EXPECT_TRUE(solver.Solve(VanDerPol(0.5), x0, 0, times, some).ok());
}

TEST(SolverTest, StatesThatAreNotFiniteAreAStatus) {
  Solver solver;
  std::vector<double> states(2);
  for (double bad : {NAN, INFINITY}) {
    const SolveResult result = solver.Solve(VanDerPol(0.5), std::vector<double>{bad, 1}, 0,
                                            std::vector<double>{1.0}, states);
    EXPECT_EQ(result.status, SolveStatus::kNotFinite);
    EXPECT_EQ(result.filled, 0u);
  }
}

TEST(SolverTest, ABatchIsAsAccurateAsItsStates) {
  Solver solver({.rtol = 1e-6, .atol = 1e-6});
  const std::vector<double> times = {5.0};
  std::vector<double> x0, batch;
  for (int i = 0; i < 4; ++i) {
    x0.push_back(0.5 * i - 1);
    x0.push_back(1.0 - i);
  }
  batch.resize(8);
  ASSERT_TRUE(solver.Solve(VanDerPol(1.5), x0, 0, times, batch).ok());
  Solver exact({.rtol = 1e-11, .atol = 1e-11});
  for (int i = 0; i < 4; ++i) {
    std::vector<double> alone(2);
    ASSERT_TRUE(exact.Solve(VanDerPol(1.5), std::span(x0).subspan(2 * i, 2), 0, times, alone).ok());
    EXPECT_NEAR(batch[2 * i], alone[0], 1e-4);
    EXPECT_NEAR(batch[2 * i + 1], alone[1], 1e-4);
  }
}

TEST(SolverTest, ImpossibleArgumentsAreNamed) {
  EXPECT_EQ(MessageOf([] { Solver({.rtol = -1}); }),
            "Solver: rtol is -1, must be zero or more and finite");
  EXPECT_EQ(MessageOf([] { Solver({.rtol = 0, .atol = 0}); }),
            "Solver: rtol and atol are both 0, one must be positive");
  EXPECT_EQ(MessageOf([] { Solver({.method = Method::kEuler}); }),
            "Solver: fixed_step must be positive: the method has no error estimate");
  EXPECT_EQ(MessageOf([] { Solver({.max_steps = 0}); }),
            "Solver: max_steps is 0, must be at least 1");
  EXPECT_EQ(MessageOf([] { Solver({.max_step = NAN}); }), "Solver: max_step must be positive");
  Solver solver;
  std::vector<double> two(2), four(4);
  const VanDerPol field(0.5);
  EXPECT_EQ(MessageOf([&] {
              solver.Solve(field, two, 0, std::vector<double>{1, 0.5}, four);
            }),
            "Solver: times must go away from t0 in one direction, forwards or backwards");
  EXPECT_EQ(MessageOf([&] { solver.Solve(field, two, 0, std::vector<double>{NAN}, two); }),
            "Solver: times[0] is nan, must be finite");
  EXPECT_EQ(MessageOf([&] { solver.Solve(field, two, 0, std::vector<double>{1}, four); }),
            "Solver: states has 4 values, must have 2");
  EXPECT_EQ(MessageOf([&] {
              solver.Solve(field, std::vector<double>{1}, 0, std::vector<double>{1}, two);
            }),
            "Solver: x0 has 1 values, must have a positive multiple of 2");
}

TEST(SolverTest, MethodsAreFoundByName) {
  for (const std::string& name : MethodNames()) EXPECT_EQ(Name(MethodFromName(name)), name);
  EXPECT_EQ(MessageOf([] { MethodFromName("ode45"); }),
            "MethodFromName: name is 'ode45', must be one of euler, midpoint, rk4, bs32, dopri5, "
            "tsit5, dop853, esdirk4");
}

}  // namespace
}  // namespace gpode
