// Tests that the discrete adjoint equals finite differences of the same computation with its steps
// held fixed: for every method and several fields, for the initial state and every parameter, dense
// output included.
#include <gtest/gtest.h>

#include <memory>

#include "gpode/gp.h"
#include "gpode/gradient_check.h"
#include "gpode/mlp.h"
#include "gpode/ode.h"
#include "gpode/systems.h"
#include "support/driven_field.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Cosines;
using testing_support::DrivenOscillator;
using testing_support::Flatten;
using testing_support::Numbers;
using testing_support::RandomGp;
using testing_support::Sawteeth;
using testing_support::Unflatten;

constexpr double kTolerance = 1e-7;
constexpr std::size_t kFeatures = 12;

// A field as a function of a flat parameter vector; `finish` turns raw cotangents into that
// vector's gradient.
struct FieldCase {
  std::string name;
  std::vector<double> parameters;
  std::size_t dim;
  std::function<std::unique_ptr<Field>(std::span<const double>)> make;
  std::function<std::vector<double>(const Field&, std::span<const double>)> finish =
      [](const Field&, std::span<const double> raw) {
        return std::vector<double>(raw.begin(), raw.end());
      };
  std::shared_ptr<const InputSignal> inputs = nullptr;
};

FieldCase VanDerPolCase() {
  return {.name = "vdp", .parameters = {0.8}, .dim = 2, .make = [](std::span<const double> p) {
            return std::make_unique<VanDerPol>(p[0]);
          }};
}

FieldCase MlpCase() {
  Mlp network(2, {6, 5});
  std::vector<double> parameters(network.parameter_count());
  Numbers numbers(70);
  for (double& p : parameters) p = 0.5 * numbers.Normal();
  return {.name = "mlp", .parameters = parameters, .dim = 2, .make = [](std::span<const double> p) {
            auto field = std::make_unique<Mlp>(2, std::vector<std::size_t>{6, 5});
            field->SetParameters(p);
            return std::make_unique<FunctionField>(std::move(field));
          }};
}

// A field that depends on time and has two inputs.
FieldCase DrivenCase() {
  return {.name = "driven",
          .parameters = {1.3, 0.2, 0.7},
          .dim = 2,
          .make = [](std::span<const double> p) -> std::unique_ptr<Field> {
            return std::make_unique<DrivenOscillator>(p[0], p[1], p[2]);
          },
          .inputs = std::make_shared<Cosines>(2)};
}

// The same field with inputs that jump.
FieldCase JumpingCase() {
  FieldCase c = DrivenCase();
  c.name = "jumping";
  c.inputs = std::make_shared<Sawteeth>(2);
  return c;
}

// A network of two states and one input.
FieldCase DrivenMlpCase() {
  const auto make = [](std::span<const double> p) -> std::unique_ptr<Field> {
    auto network = std::make_unique<Mlp>(3, std::vector<std::size_t>{6}, 2);
    network->SetParameters(p);
    return std::make_unique<FunctionField>(std::move(network));
  };
  std::vector<double> parameters(Mlp(3, {6}, 2).parameter_count());
  Numbers numbers(73);
  for (double& p : parameters) p = 0.5 * numbers.Normal();
  return {.name = "driven_mlp",
          .parameters = parameters,
          .dim = 2,
          .make = make,
          .inputs = std::make_shared<Cosines>(1)};
}

FieldCase GpCase(const std::string& kernel, std::size_t dim) {
  const GpParameters shape = RandomGp(71, dim, 5);
  const auto gp_of = [kernel, shape](std::span<const double> flat) {
    SparseGp gp(GetKernel(kernel));
    EXPECT_EQ(gp.Set(Unflatten(flat, shape)), FactorStatus::kOk);
    return gp;
  };
  FieldCase c;
  c.name = "gp_" + std::to_string(dim);
  c.parameters = Flatten(shape);
  c.dim = dim;
  c.make = [gp_of](std::span<const double> flat) {
    const SparseGp gp = gp_of(flat);
    auto draw = std::make_unique<GpDraw>(gp, kFeatures);
    draw->Set(gp, SampleGpNormals(gp, kFeatures, 8, 0, 0));
    return std::make_unique<FunctionField>(std::move(draw));
  };
  c.finish = [gp_of, shape](const Field& field, std::span<const double> raw) {
    const SparseGp gp = gp_of(Flatten(shape));
    GpGradient gradient(shape);
    const Function& draw = dynamic_cast<const FunctionField&>(field).function();
    dynamic_cast<const GpDraw&>(draw).PullbackToGp(gp, SampleGpNormals(gp, kFeatures, 8, 0, 0), raw,
                                                   gradient);
    gp.FinishGradient(gradient);
    return Flatten(gradient.parameters);
  };
  return c;
}

class AdjointTest : public ::testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  // Checks the adjoint of an integration of n states, forwards or backwards in time. The requested
  // times lie at the start, inside steps and at the end, and one of them comes twice.
  void Check(const FieldCase& c, std::size_t n) {
    const auto& [name, backwards] = GetParam();
    const Method method = MethodFromName(name);
    SolverOptions options{.method = method, .rtol = 1e-4, .atol = 1e-4};
    if (!GetStepper(method).has_error_estimate()) options.fixed_step = 0.11;
    const double sign = backwards ? -1.0 : 1.0;
    std::vector<double> times = {0.0, 0.13, 0.13, 0.4, 0.77, 1.2};
    for (double& t : times) t = 2.0 + sign * t;
    const std::size_t size = n * c.dim;
    Numbers numbers(72);
    std::vector<double> x0(size), bstates(times.size() * size);
    for (double& v : x0) v = numbers.Normal();
    for (double& v : bstates) v = numbers.Normal();

    const auto field = c.make(c.parameters);
    Solver solver(options);
    SolveRecord record;
    std::vector<double> states(times.size() * size);
    const SolveResult result =
        solver.SolveRecorded(*field, x0, 2.0, times, states, record, 0, c.inputs.get());
    ASSERT_TRUE(result.ok()) << Message(result.status);
    ASSERT_GT(record.steps(), 1u);
    std::vector<double> bx0(size), raw(field->parameter_count());
    solver.Pullback(*field, record, bstates, bx0, raw);

    const auto contract = [&](const Field& f, std::span<const double> start) {
      std::vector<double> replayed(states.size());
      Solver(options).Replay(f, record, start, replayed, c.inputs.get());
      double sum = 0;
      for (std::size_t i = 0; i < replayed.size(); ++i) sum += bstates[i] * replayed[i];
      return sum;
    };
    std::vector<double> replayed(states.size());
    solver.Replay(*field, record, x0, replayed, c.inputs.get());
    for (std::size_t i = 0; i < states.size(); ++i) {
      EXPECT_NEAR(replayed[i], states[i], 1e-13 * std::max(1.0, std::fabs(states[i])));
    }

    const GradientCheck start =
        CheckGradient([&](std::span<const double> x) { return contract(*field, x); }, x0, bx0);
    EXPECT_TRUE(start.ok(kTolerance)) << c.name << ", x0: " << start.message;
    const GradientCheck parameters =
        CheckGradient([&](std::span<const double> p) { return contract(*c.make(p), x0); },
                      c.parameters, c.finish(*field, raw));
    EXPECT_TRUE(parameters.ok(kTolerance)) << c.name << ", parameters: " << parameters.message;
  }
};

TEST_P(AdjointTest, OfAKnownSystem) { Check(VanDerPolCase(), 1); }
TEST_P(AdjointTest, OfABatch) { Check(VanDerPolCase(), 3); }
TEST_P(AdjointTest, OfANetwork) { Check(MlpCase(), 2); }
TEST_P(AdjointTest, OfADrivenSystem) { Check(DrivenCase(), 1); }
TEST_P(AdjointTest, OfADrivenBatch) { Check(DrivenCase(), 3); }
TEST_P(AdjointTest, AcrossJumpsOfInputs) { Check(JumpingCase(), 1); }
TEST_P(AdjointTest, OfABatchAcrossJumpsOfInputs) { Check(JumpingCase(), 3); }
TEST_P(AdjointTest, OfADrivenNetwork) { Check(DrivenMlpCase(), 2); }
TEST_P(AdjointTest, OfADraw) { Check(GpCase("squared-exponential", 2), 1); }
TEST_P(AdjointTest, OfADrawBatchMatern) { Check(GpCase("matern52", 3), 2); }

INSTANTIATE_TEST_SUITE_P(AllMethods, AdjointTest,
                         ::testing::Combine(::testing::ValuesIn(MethodNames()), ::testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param) +
                                  (std::get<1>(test.param) ? "_backwards" : "_forwards");
                         });

// tests/field checks the systems' pullbacks alone; this test checks them together with the solver.
TEST(AdjointOfSystemsTest, EverySystem) {
  for (const std::string& name : SystemNames()) {
    SCOPED_TRACE(name);
    const auto field = MakeSystem(name);
    const SystemInfo info = DescribeSystem(name);
    if (info.stiff) continue;  // esdirk4_test.cc checks them
    const std::vector<double> times = {0.2, 0.5};
    std::vector<double> x0 = info.default_start, states(2 * x0.size());
    Solver solver;
    SolveRecord record;
    ASSERT_TRUE(solver.SolveRecorded(*field, x0, 0, times, states, record).ok());
    std::vector<double> bstates(states.size(), 1.0), bx0(x0.size()), raw(field->parameter_count());
    solver.Pullback(*field, record, bstates, bx0, raw);
    const GradientCheck check = CheckGradient(
        [&](std::span<const double> x) {
          std::vector<double> replayed(states.size());
          Solver().Replay(*field, record, x, replayed);
          double sum = 0;
          for (double v : replayed) sum += v;
          return sum;
        },
        x0, bx0);
    EXPECT_TRUE(check.ok(kTolerance)) << check.message;
  }
}

}  // namespace
}  // namespace gpode
