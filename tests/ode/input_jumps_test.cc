// Tests of inputs that are smooth only piece by piece: steps end where they jump, every method
// keeps its order across jumps, and hardly any step is rejected because of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpode/ode.h"
#include "support/driven_field.h"

namespace gpode {
namespace {

// The field x' = -x + u with one input u.
class DecayField final : public Field {
 public:
  std::size_t dim() const override { return 1; }
  std::size_t inputs() const override { return 1; }
  std::size_t parameter_count() const override { return 0; }
  std::size_t record_size() const override { return 0; }
  void Value(const FieldPoints& at, std::span<double> f, std::span<double>) const override {
    for (std::size_t p = 0; p < at.x.size(); ++p) f[p] = at.u[p] - at.x[p];
  }
  void Record(const FieldPoints& at, std::span<double> f, std::span<double> r) const override {
    Value(at, f, r);
  }
  void Pullback(const FieldPoints&, std::span<const double>, std::span<const double> g,
                std::span<double> bx, std::span<double>) const override {
    for (std::size_t p = 0; p < g.size(); ++p) bx[p] -= g[p];
  }
};

// An input that is 1 before time 1, 3 up to time 1.7, and 0 after it. With `tells_breaks` false, a
// solver does not know of the jumps.
class Jumps final : public InputSignal {
 public:
  explicit Jumps(bool tells_breaks) : tells_breaks_(tells_breaks) {}
  std::size_t size() const override { return 1; }
  void At(double t, std::span<double> u) const override { u[0] = t < 1 ? 1 : t < 1.7 ? 3 : 0; }
  void AtPiece(double t, double inside, std::span<double> u) const override {
    At(tells_breaks_ ? inside : t, u);
  }
  double NextBreak(double t, double direction) const override {
    if (tells_breaks_ && direction > 0 && t < 1.7) return t < 1 ? 1 : 1.7;
    if (tells_breaks_ && direction < 0 && t > 1) return t > 1.7 ? 1.7 : 1;
    return InputSignal::NextBreak(t, direction);
  }

 private:
  bool tells_breaks_;
};

// The solution that is 0.5 at time 0.
double Exact(double t) {
  if (t <= 1) return 1 - 0.5 * std::exp(-t);
  if (t <= 1.7) return 3 + (Exact(1) - 3) * std::exp(1 - t);
  return Exact(1.7) * std::exp(1.7 - t);
}

const Jumps kJumps(true), kHiddenJumps(false);
// The jumps and the end, at which steps end. Dense output may have a lower order.
const std::vector<double> kEnds = {1, 1.7, 2.2}, kTimes = {0.4, 1, 1.3, 1.7, 2.2};

// Returns the largest error at these times.
double LargestError(const SolverOptions& options, const InputSignal& inputs,
                    const std::vector<double>& times, SolveStatistics* statistics = nullptr) {
  const std::vector<double> x0 = {0.5};
  std::vector<double> states(times.size());
  Solver solver(options);
  const SolveResult result = solver.Solve(DecayField(), x0, 0, times, states, 0, &inputs);
  EXPECT_TRUE(result.ok()) << Message(result.status);
  if (statistics != nullptr) *statistics = result.statistics;
  double largest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    largest = std::max(largest, std::fabs(states[i] - Exact(times[i])));
  }
  return largest;
}

class InputJumpsTest : public ::testing::TestWithParam<std::string> {
 protected:
  const Method method_ = MethodFromName(GetParam());
};

TEST_P(InputJumpsTest, TheOrderHoldsAcrossJumps) {
  const int order = Order(method_);
  const double step = order >= 8 ? 0.35 : order >= 5 ? 0.15 : 0.05;
  const SolverOptions coarse{.method = method_, .fixed_step = step},
      fine{.method = method_, .fixed_step = step / 2};
  EXPECT_GT(std::log2(LargestError(coarse, kJumps, kEnds) / LargestError(fine, kJumps, kEnds)),
            order - 0.5);
}

TEST_P(InputJumpsTest, HiddenJumpsCostTheOrder) {
  if (Order(method_) < 4) return;
  const SolverOptions options{.method = method_, .fixed_step = 0.3};
  EXPECT_GT(LargestError(options, kHiddenJumps, kEnds), 10 * LargestError(options, kJumps, kEnds));
}

TEST_P(InputJumpsTest, BackwardsIsTheReverse) {
  SolverOptions options{.method = method_, .rtol = 1e-10, .atol = 1e-10};
  if (!GetStepper(method_).has_error_estimate()) options.fixed_step = 1e-3;
  const std::vector<double> x0 = {Exact(2.2)}, times = {1.7, 1.3, 0};
  std::vector<double> states(3);
  Solver solver(options);
  ASSERT_TRUE(solver.Solve(DecayField(), x0, 2.2, times, states, 0, &kJumps).ok());
  const double tolerance = Order(method_) == 1 ? 0.05 : 1e-4;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(states[i], Exact(times[i]), tolerance);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, InputJumpsTest, ::testing::ValuesIn(MethodNames()),
                         [](const auto& test) { return test.param; });

TEST(InputJumpsStepsTest, FewStepsAreRejectedAtJumps) {
  const SolverOptions options{.rtol = 1e-6, .atol = 1e-6};
  SolveStatistics told, hidden;
  EXPECT_LT(LargestError(options, kJumps, kTimes, &told), 1e-5);
  LargestError(options, kHiddenJumps, kTimes, &hidden);
  EXPECT_LE(told.rejected, 1u);
  EXPECT_GT(hidden.rejected, 3u);
  EXPECT_LT(told.evaluations, hidden.evaluations);
}

TEST(InputJumpsStepsTest, PiecesDoNotCountAsSteps) {
  const testing_support::Sawteeth teeth(1);
  const std::vector<double> x0 = {0.5}, times = {30};
  std::vector<double> states(1);
  Solver solver({.rtol = 1e-3, .atol = 1e-3, .max_steps = 20});
  const SolveResult result = solver.Solve(DecayField(), x0, 0, times, states, 0, &teeth);
  EXPECT_TRUE(result.ok()) << Message(result.status);
  EXPECT_GE(result.statistics.accepted, 100u);
}

}  // namespace
}  // namespace gpode
