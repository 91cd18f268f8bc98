// Tests of fields that depend on time and inputs: every method keeps its order, and the field is
// evaluated at the nodes t + c_i h exactly, in the forward and in the reverse pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "gpode/ode.h"
#include "gpode/systems.h"
#include "ode/runge_kutta.h"
#include "support/driven_field.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::Cosines;
using testing_support::DrivenOscillator;
using testing_support::MessageOf;

// The field x' = (cos(t) + u) x / 2 with one input u. With u = cos(t), the solution is exp(sin(t)).
// The field records every time, state and input at which it is evaluated or pulled back.
class GrowthField final : public Field {
 public:
  using Point = std::tuple<double, double, double>;  // t, x, u

  std::size_t dim() const override { return 1; }
  std::size_t inputs() const override { return 1; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& at, std::span<double> f, std::span<double>) const override {
    for (std::size_t p = 0; p < at.x.size(); ++p) {
      evaluated.emplace_back(at.t, at.x[p], at.u[p]);
      f[p] = Rate(at, p) * at.x[p];
    }
  }
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> r) const override {
    Value(at, f, r);
  }
  void Pullback(const FieldPoints& at, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double>) const override {
    for (std::size_t p = 0; p < at.x.size(); ++p) {
      pulled_back.emplace_back(at.t, at.x[p], at.u[p]);
      bx[p] += Rate(at, p) * g[p];
    }
  }

  mutable std::vector<Point> evaluated, pulled_back;

 private:
  static double Rate(const FieldPoints& at, std::size_t p) {
    return 0.5 * (std::cos(at.t) + at.u[p]);
  }
};

const Cosines kCosine(1);

const Tableau& TableauOf(Method method) {
  return dynamic_cast<const RungeKutta&>(GetStepper(method)).tableau();
}

class InputsTest : public ::testing::TestWithParam<std::string> {
 protected:
  const Method method_ = MethodFromName(GetParam());
};

// The error is the larger of the errors at two end times, because the leading term of the error
// vanishes at some times.
TEST_P(InputsTest, ErrorShrinksWithTheOrder) {
  const int order = Order(method_);
  const auto error = [&](double step) {
    double largest = 0;
    for (double end : {3.5, 4.5}) {
      const std::vector<double> x0 = {std::exp(std::sin(0.5))}, times = {end};
      std::vector<double> states(1);
      Solver solver({.method = method_, .fixed_step = step});
      EXPECT_TRUE(solver.Solve(GrowthField(), x0, 0.5, times, states, 0, &kCosine).ok());
      largest = std::max(largest, std::fabs(states[0] - std::exp(std::sin(end))));
    }
    return largest;
  };
  const double step = order >= 8 ? 0.5 : order >= 5 ? 0.125 : 0.03125;
  EXPECT_GT(std::log2(error(step) / error(step / 2)), order - 0.4);
}

TEST_P(InputsTest, TheFieldSeesTheNodesExactly) {
  if (dynamic_cast<const RungeKutta*>(&GetStepper(method_)) == nullptr) {
    GTEST_SKIP() << "an implicit method evaluates the field at many states";
  }
  const Tableau& tableau = TableauOf(method_);
  const std::vector<double> x0 = {1.0, 2.0}, times = {1.3};
  const double t0 = 0.3, h = 0.25;
  std::vector<double> states(2);
  GrowthField field;
  Solver solver({.method = method_, .fixed_step = h});
  ASSERT_TRUE(solver.Solve(field, x0, t0, times, states, 0, &kCosine).ok());
  std::size_t next = 0;
  const auto expect = [&](double t) {
    double u;
    kCosine.At(t, {&u, 1});
    for (std::size_t state = 0; state < 2; ++state) {
      ASSERT_LT(next, field.evaluated.size());
      EXPECT_EQ(std::get<0>(field.evaluated[next]), t);
      EXPECT_EQ(std::get<2>(field.evaluated[next]), u);
      ++next;
    }
  };
  double t = t0;
  for (int s = 0; s < 4; ++s) {
    const bool last = s == 3;
    const double size = last ? 1.3 - t : h;
    const bool shared = tableau.closing < tableau.stages;
    for (std::size_t i = s > 0 && shared ? 1 : 0; i < tableau.stages; ++i) {
      expect(t + tableau.c[i] * size);
    }
    t += size;
  }
  EXPECT_EQ(next, field.evaluated.size());
}

TEST_P(InputsTest, TheReversePassHandsBackTheSamePoints) {
  const std::vector<double> x0 = {1.0}, times = {0.71, 1.3}, bstates = {0.4, 1.0};
  std::vector<double> states(2), bx0(1);
  GrowthField field;
  SolverOptions options{.method = method_};
  if (!GetStepper(method_).has_error_estimate()) options.fixed_step = 0.1;
  Solver solver(options);
  SolveRecord record;
  ASSERT_TRUE(solver.SolveRecorded(field, x0, 0.3, times, states, record, 0, &kCosine).ok());
  solver.Pullback(field, record, bstates, bx0, {});
  ASSERT_FALSE(field.pulled_back.empty());
  for (const auto& point : field.pulled_back) {
    EXPECT_NE(std::find(field.evaluated.begin(), field.evaluated.end(), point),
              field.evaluated.end());
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, InputsTest, ::testing::ValuesIn(MethodNames()),
                         [](const auto& test) { return test.param; });

TEST(InputErrorsTest, MissingAndMisshapenInputsAreNamed) {
  Solver solver;
  const std::vector<double> x0 = {1, 0}, times = {1};
  std::vector<double> states(2);
  const DrivenOscillator field(1, 1, 1);
  EXPECT_EQ(MessageOf([&] { solver.Solve(field, x0, 0, times, states); }),
            "Solver: inputs are missing: the field has 2");
  EXPECT_EQ(MessageOf([&] { solver.Solve(field, x0, 0, times, states, 0, &kCosine); }),
            "Solver: inputs has 1 values, must have 2");
  EXPECT_EQ(MessageOf([&] { solver.Solve(VanDerPol(0.5), x0, 0, times, states, 0, &kCosine); }),
            "Solver: inputs has 1 values, must have 0");
  SolveRecord record;
  ASSERT_TRUE(solver.SolveRecorded(VanDerPol(0.5), x0, 0, times, states, record).ok());
  std::vector<double> bx0(2), bparameters(3);
  EXPECT_EQ(MessageOf([&] { solver.Replay(field, record, x0, states); }),
            "Solver: inputs are missing: the field has 2");
  EXPECT_EQ(MessageOf([&] { solver.Pullback(field, record, states, bx0, bparameters); }),
            "Solver::Pullback: the record's inputs has 0 values, must have 2");
}

}  // namespace
}  // namespace gpode
