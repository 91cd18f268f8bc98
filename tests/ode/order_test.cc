// Every built-in method shows its order: it is exact on the polynomials that it must reproduce, and
// the error shrinks as it should when the step is halved, at the end and for dense output.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/ode.h"
#include "gpode/systems.h"
#include "ode/runge_kutta.h"

namespace gpode {
namespace {

// The field dx/dt = (1, x_1^p), whose solution x_2 is a polynomial of degree p + 1 in time.
class PowerField : public Field {
 public:
  explicit PowerField(int power) : power_(power) {}
  std::size_t dim() const override { return 2; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& points, std::span<double> f, std::span<double>) const override {
    const std::span<const double> x = points.x;
    f[0] = 1;
    f[1] = std::pow(x[0], power_);
  }
  void Record(const FieldPoints& points, std::span<double> f, std::span<double> r) const override {
    Value(points, f, r);
  }
  void Pullback(const FieldPoints&, std::span<const double>, std::span<const double>,
                std::span<double>, std::span<double>) const override {}

 private:
  int power_;
};

class OrderTest : public ::testing::TestWithParam<std::string> {
 protected:
  const Method method_ = MethodFromName(GetParam());
  const int order_ = Order(method_);
};

TEST_P(OrderTest, StagesAndDenseOutputAreConsistent) {
  const auto* const explicit_method = dynamic_cast<const RungeKutta*>(&GetStepper(method_));
  if (explicit_method == nullptr) GTEST_SKIP() << "has no explicit tableau";
  const Tableau& t = explicit_method->tableau();
  double sum = 0, error = 0, second = 0;
  for (std::size_t i = 0; i < t.stages; ++i) {
    sum += t.b[i];
    if (!t.error.empty()) error += t.error[i];
    if (!t.second_error.empty()) second += t.second_error[i];
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_NEAR(error, 0, 1e-14);
  EXPECT_NEAR(second, 0, 1e-14);
  ASSERT_EQ(t.a.size(), t.all_stages * (t.all_stages - 1) / 2);
  ASSERT_EQ(t.dense.size(), t.all_stages * t.degree);
  // At theta = 1, dense output is the step's end. At every theta, its weights sum to theta.
  for (std::size_t i = 0; i < t.all_stages; ++i) {
    EXPECT_NEAR(t.DenseWeight(i, 1.0), i < t.stages ? t.b[i] : 0.0, 2e-12) << "stage " << i;
  }
  for (double theta : {0.1, 0.35, 0.8}) {
    double weights = 0;
    for (std::size_t i = 0; i < t.all_stages; ++i) weights += t.DenseWeight(i, theta);
    EXPECT_NEAR(weights, theta, 1e-12);
  }
  ASSERT_EQ(t.c.size(), t.all_stages);
  EXPECT_EQ(t.c[0], 0);
  for (std::size_t i = 1; i < t.all_stages; ++i) {
    double node = 0;
    for (std::size_t j = 0; j < i; ++j) node += t.Row(i)[j];
    EXPECT_NEAR(t.c[i], node, 1e-14) << "stage " << i;
  }
  if (t.closing != Stepper::kNone) {
    for (std::size_t j = 0; j < t.closing; ++j) EXPECT_EQ(t.Row(t.closing)[j], t.b[j]);
  }
}

TEST_P(OrderTest, IsExactOnPolynomials) {
  const int order = order_;
  Solver solver({.method = method_, .fixed_step = 0.7});
  for (int power = 0; power < order; ++power) {
    std::vector<double> states(2);
    ASSERT_TRUE(solver
                    .Solve(PowerField(power), std::vector<double>{0.3, 0.0}, 0.0,
                           std::vector<double>{1.4}, states)
                    .ok());
    const double exact = (std::pow(1.7, power + 1) - std::pow(0.3, power + 1)) / (power + 1);
    EXPECT_NEAR(states[1], exact, 1e-12 * std::fabs(exact)) << "degree " << power + 1;
  }
}

// Returns the largest error of a fixed-step solution of the linear oscillator x'' = -x at the given
// times.
double OscillatorError(Method method, double step, std::span<const double> times) {
  Matrix a(2, 2);
  a << 0, 1, -1, 0;
  Solver solver({.method = method, .fixed_step = step});
  std::vector<double> states(2 * times.size());
  EXPECT_TRUE(
      solver.Solve(LinearSystem(a), std::vector<double>{1.0, 0.0}, 0.0, times, states).ok());
  double largest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    largest = std::max(largest, std::hypot(states[2 * i] - std::cos(times[i]),
                                           states[2 * i + 1] + std::sin(times[i])));
  }
  return largest;
}

// Returns the order of the error, measured by halving the step.
double ObservedOrder(Method method, double step, std::span<const double> times) {
  return std::log2(OscillatorError(method, step, times) / OscillatorError(method, step / 2, times));
}

double CoarseStep(int order) { return order >= 8 ? 0.8 : order >= 5 ? 0.2 : 0.05; }

TEST_P(OrderTest, ErrorAtTheEndShrinksWithTheOrder) {
  const int order = order_;
  const double observed = ObservedOrder(method_, CoarseStep(order), std::vector<double>{8.0});
  EXPECT_GT(observed, order - 0.3);
  EXPECT_LT(observed, order + 1.3);
}

// The solution of x' = x^2 with x(0) = 1 is 1 / (1 - t).
TEST_P(OrderTest, ErrorShrinksWithTheOrderOnANonlinearProblem) {
  class Square : public PowerField {
   public:
    Square() : PowerField(0) {}
    void Value(const FieldPoints& points, std::span<double> f, std::span<double>) const override {
      const std::span<const double> x = points.x;
      f[0] = x[0] * x[0];
      f[1] = 0;
    }
  };
  const auto error = [&](double step) {
    std::vector<double> states(2);
    Solver solver({.method = method_, .fixed_step = step});
    EXPECT_TRUE(
        solver.Solve(Square(), std::vector<double>{1.0, 0.0}, 0.0, std::vector<double>{0.5}, states)
            .ok());
    return std::fabs(states[0] - 2.0);
  };
  const double step = order_ >= 8 ? 0.125 : order_ == 5 ? 0.0625 : 0.02;
  EXPECT_GT(std::log2(error(step) / error(step / 2)), order_ - 0.4);
}

TEST_P(OrderTest, DenseOutputShrinksAtLeastWithItsOwnOrder) {
  // The dense output of methods of order 5 and more is one order below the method's.
  const int order = order_ >= 5 ? order_ - 1 : order_;
  std::vector<double> times;
  for (int i = 1; i < 200; ++i) times.push_back(0.0311 * i);
  const double observed = ObservedOrder(method_, CoarseStep(order_), times);
  EXPECT_GT(observed, order - 0.4);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, OrderTest, ::testing::ValuesIn(MethodNames()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace gpode
