// Tests of steppers that a program defines itself: they are found by name, keep their order and
// give dense output, and their adjoints equal finite differences.
#include "gpode/stepper.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "gpode/ode.h"
#include "gpode/systems.h"
#include "support/driven_field.h"
#include "support/heun_stepper.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::Add;
using testing_support::Cosines;
using testing_support::DrivenOscillator;
using testing_support::Heun;
using testing_support::MessageOf;

// The linearly implicit Euler method:  (1 - h J) k = f(t, x),  next = x + h k.  It asks the field
// for its Jacobian and keeps k and the matrix with the step. Its reverse takes J as constant, which
// is exact for linear systems.
class LinearlyImplicitEuler final : public Stepper {
 public:
  std::string_view name() const override { return "linearly-implicit-euler"; }
  int order() const override { return 1; }
  bool has_error_estimate() const override { return false; }
  std::size_t most_evaluations() const override { return 1; }
  std::size_t memory_size(const Field& field, std::size_t n) const override {
    return n * field.dim() * (1 + field.dim());
  }

  double Advance(Step& step) const override {
    const std::size_t d = step.field().dim();
    const std::span<double> k = step.memory().first(step.size());
    const std::span<double> matrices = step.memory().subspan(step.size());
    step.field().Jacobian(step.Points(0), matrices);
    for (std::size_t p = 0; p < step.size() / d; ++p) {
      Eigen::Map<Matrix> m(matrices.data() + p * d * d, d, d);
      m = Matrix::Identity(d, d) - step.h() * m;
      Eigen::Map<Vector>(k.data() + p * d, d) =
          m.partialPivLu().solve(Eigen::Map<const Vector>(step.Slope(0).data() + p * d, d));
    }
    std::copy(step.x().begin(), step.x().end(), step.next().begin());
    Add(step.h(), k, step.next());
    return 0;
  }

  void Interpolate(Step& step, double theta, std::span<double> y) const override {
    std::copy(step.x().begin(), step.x().end(), y.begin());
    Add(theta * step.h(), step.memory().first(step.size()), y);
  }

  void ReverseInterpolate(StepReverse& step, double theta,
                          std::span<const double> by) const override {
    Add(1, by, step.bx());
    Add(theta * step.h(), by, step.bmemory());
  }

  void ReverseAdvance(StepReverse& step) const override {
    const std::size_t d = step.field().dim();
    Add(1, step.bnext(), step.bx());
    Add(step.h(), step.bnext(), step.bmemory());
    for (std::size_t p = 0; p < step.size() / d; ++p) {
      const Eigen::Map<const Matrix> m(step.memory().data() + step.size() + p * d * d, d, d);
      const Eigen::Map<const Vector> bk(step.bmemory().data() + p * d, d);
      Eigen::Map<Vector>(step.bslope(0).data() + p * d, d) +=
          Matrix(m.transpose()).partialPivLu().solve(bk);
    }
  }
};

// HeunMethod and ImplicitMethod register their stepper in the first call and return its method.
Method HeunMethod() {
  static const bool registered = [] {
    RegisterStepper(std::make_unique<Heun>("heun"));
    return true;
  }();
  EXPECT_TRUE(registered);
  return MethodFromName("heun");
}

Method ImplicitMethod() {
  static const bool registered = [] {
    RegisterStepper(std::make_unique<LinearlyImplicitEuler>());
    return true;
  }();
  EXPECT_TRUE(registered);
  return MethodFromName("linearly-implicit-euler");
}

LinearSystem Oscillator() {
  Matrix a(2, 2);
  a << 0, 1, -1, 0;
  return LinearSystem(a);
}

double OscillatorError(double step, const std::vector<double>& times) {
  std::vector<double> states(2 * times.size());
  Solver solver({.method = HeunMethod(), .fixed_step = step});
  EXPECT_TRUE(solver.Solve(Oscillator(), std::vector<double>{1.0, 0.0}, 0.0, times, states).ok());
  double largest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    largest = std::max(largest, std::hypot(states[2 * i] - std::cos(times[i]),
                                           states[2 * i + 1] + std::sin(times[i])));
  }
  return largest;
}

TEST(RegisteredStepperTest, IsAMethod) {
  const Method method = HeunMethod();
  EXPECT_EQ(Name(method), "heun");
  EXPECT_EQ(Order(method), 2);
  EXPECT_NE(method, Method::kMidpoint);
  const std::vector<std::string> names = MethodNames();
  EXPECT_NE(std::find(names.begin(), names.end(), "heun"), names.end());
  EXPECT_EQ(names[0], "euler");
  EXPECT_EQ(MessageOf([] { RegisterStepper(std::make_unique<Heun>("heun")); }),
            "RegisterStepper: the stepper's name 'heun' is taken");
  EXPECT_EQ(MessageOf([] { RegisterStepper(std::make_unique<Heun>("dopri5")); }),
            "RegisterStepper: the stepper's name 'dopri5' is taken");
  EXPECT_EQ(MessageOf([] { RegisterStepper(std::make_unique<Heun>("")); }),
            "RegisterStepper: the stepper's name is empty");
}

TEST(RegisteredStepperTest, ErrorShrinksWithTheOrderAtTheEndAndInBetween) {
  std::vector<double> between;
  for (int i = 1; i < 200; ++i) between.push_back(0.0311 * i);
  for (const std::vector<double>& times : {std::vector<double>{8.0}, between}) {
    EXPECT_NEAR(std::log2(OscillatorError(0.05, times) / OscillatorError(0.025, times)), 2, 0.2);
  }
}

TEST(RegisteredStepperTest, AdaptiveStepsFollowTheTolerance) {
  std::vector<double> states(2);
  const auto error = [&](double tolerance) {
    Solver solver({.method = HeunMethod(), .rtol = tolerance, .atol = tolerance});
    EXPECT_TRUE(solver
                    .Solve(Oscillator(), std::vector<double>{1.0, 0.0}, 0.0,
                           std::vector<double>{3.0}, states)
                    .ok());
    return std::fabs(states[0] - std::cos(3.0));
  };
  EXPECT_LT(error(1e-6), 1e-4);
  EXPECT_LT(error(1e-6), 0.1 * error(1e-3));
}

// Checks the gradient of a weighted sum of states with respect to the start and, unless `make` is
// empty, the parameters.
void CheckAdjoint(const SolverOptions& options, const Field& field, std::vector<double> x0,
                  const InputSignal* inputs,
                  const std::function<std::unique_ptr<Field>(std::span<const double>)>& make,
                  const std::vector<double>& parameters) {
  const std::vector<double> times = {0.3, 0.33, 0.71, 1.0, 1.0};
  const std::size_t size = x0.size();
  std::vector<double> states(times.size() * size), bstates(states.size());
  for (std::size_t i = 0; i < bstates.size(); ++i) bstates[i] = std::sin(1.0 + 2.0 * i);
  Solver solver(options);
  SolveRecord record;
  ASSERT_TRUE(solver.SolveRecorded(field, x0, 0.2, times, states, record, 0, inputs).ok());
  ASSERT_GT(record.steps(), 3u);
  std::vector<double> plain(states.size());
  ASSERT_TRUE(solver.Solve(field, x0, 0.2, times, plain, 0, inputs).ok());
  EXPECT_EQ(plain, states);
  std::vector<double> bx0(size), bparameters(field.parameter_count());
  solver.Pullback(field, record, bstates, bx0, bparameters);
  const auto contract = [&](const Field& f, std::span<const double> start) {
    std::vector<double> replayed(states.size());
    Solver(options).Replay(f, record, start, replayed, inputs);
    double sum = 0;
    for (std::size_t i = 0; i < replayed.size(); ++i) sum += bstates[i] * replayed[i];
    return sum;
  };
  const GradientCheck start =
      CheckGradient([&](std::span<const double> x) { return contract(field, x); }, x0, bx0);
  EXPECT_TRUE(start.ok(1e-8)) << "x0: " << start.message;
  if (!make) return;
  const GradientCheck other = CheckGradient(
      [&](std::span<const double> p) { return contract(*make(p), x0); }, parameters, bparameters);
  EXPECT_TRUE(other.ok(1e-8)) << "parameters: " << other.message;
}

TEST(RegisteredStepperTest, AdjointEqualsFiniteDifferences) {
  const auto make_vdp = [](std::span<const double> p) -> std::unique_ptr<Field> {
    return std::make_unique<VanDerPol>(p[0]);
  };
  const auto make_driven = [](std::span<const double> p) -> std::unique_ptr<Field> {
    return std::make_unique<DrivenOscillator>(p[0], p[1], p[2]);
  };
  const Cosines inputs(2);
  const SolverOptions fixed{.method = HeunMethod(), .fixed_step = 0.11};
  const SolverOptions adaptive{.method = HeunMethod(), .rtol = 1e-3, .atol = 1e-3};
  for (const SolverOptions& options : {fixed, adaptive}) {
    CheckAdjoint(options, VanDerPol(0.8), {0.7, -1.1}, nullptr, make_vdp, {0.8});
    CheckAdjoint(options, DrivenOscillator(1.3, 0.2, 0.7), {0.7, -1.1, 0.2, 0.4}, &inputs,
                 make_driven, {1.3, 0.2, 0.7});
  }
}

// The system is so stiff that an explicit method with this step would fail.
TEST(RegisteredStepperTest, MayAskForJacobiansAndKeepMemoryWithAStep) {
  Matrix a(2, 2);
  a << -1000, 1, 0, -0.5;
  const LinearSystem stiff(a);
  const SolverOptions options{.method = ImplicitMethod(), .fixed_step = 0.05};
  std::vector<double> states(2);
  Solver solver(options);
  ASSERT_TRUE(
      solver.Solve(stiff, std::vector<double>{1.0, 1.0}, 0.0, std::vector<double>{2.0}, states)
          .ok());
  EXPECT_NEAR(states[1], std::exp(-1.0), 0.01);
  EXPECT_NEAR(states[0], std::exp(-1.0) / 1000, 1e-4);
  CheckAdjoint(options, stiff, {1.0, 1.0, -0.3, 0.6}, nullptr, {}, {});
}

}  // namespace
}  // namespace gpode
