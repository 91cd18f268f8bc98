// Tests of known equations with unknown parts: the language, its errors, and the field.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "field/equation_field.h"
#include "gpode/error.h"
#include "gpode/mlp.h"
#include "support/field_harness.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using System = std::shared_ptr<const EquationSystem>;

System Parse(std::string_view text, const EquationNames& names = {{"x", "y"}, {"u"}}) {
  return std::make_shared<EquationSystem>(ParseEquations(text, "a.ode", names));
}

// Returns the value of an expression of x = 0.7, y = -0.4 and u = 2.
double ValueOf(const std::string& expression) {
  const System system = Parse("dx = " + expression + "\ndy = 0 * x");
  EquationField field(system);
  field.Set(EquationUnits(*system), {}, {});
  Matrix inputs(1, 1), states(1, 2);
  inputs << 2;
  states << 0.7, -0.4;
  return Evaluate(field, states, 0, inputs)(0, 0);
}

TEST(Equations, EvaluateAsInTextbooks) {
  EXPECT_DOUBLE_EQ(ValueOf("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(ValueOf("2 - 3 - 4"), -5);
  EXPECT_DOUBLE_EQ(ValueOf("12 / 3 / 2"), 2);
  EXPECT_DOUBLE_EQ(ValueOf("2 ^ 3 ^ 2"), 512);
  EXPECT_DOUBLE_EQ(ValueOf("-x ^ 2"), -0.49);
  EXPECT_DOUBLE_EQ(ValueOf("y ^ 2"), 0.16000000000000003);
  EXPECT_DOUBLE_EQ(ValueOf("2 * -x"), -1.4);
  EXPECT_DOUBLE_EQ(ValueOf("(1 + x) * u"), 3.4);
  EXPECT_DOUBLE_EQ(ValueOf("min(x, y) + max(x, u) + abs(y)"), 2);
  EXPECT_DOUBLE_EQ(ValueOf("sin(x) + cos(x) + tan(x)"),
                   std::sin(0.7) + std::cos(0.7) + std::tan(0.7));
  EXPECT_DOUBLE_EQ(ValueOf("exp(x) * log(x) - sqrt(x)"),
                   std::exp(0.7) * std::log(0.7) - std::sqrt(0.7));
  EXPECT_DOUBLE_EQ(ValueOf("tanh(x) + sinh(x) + cosh(x) + pow(x, 2) + pi"),
                   std::tanh(0.7) + std::sinh(0.7) + std::cosh(0.7) + 0.7 * 0.7 + std::numbers::pi);
  EXPECT_DOUBLE_EQ(ValueOf("1e-3 + .5"), 0.501);
}

TEST(Equations, HaveParametersStatesAndUnknownFunctions) {
  const System system = Parse(
      "# a comment\n"
      "param g = 9.81 in [9, 10.5]; param c ~ lognormal(0, 1)\n"
      "param m = 2\n"
      "state omega ~ normal(1, 3)\n"
      "let force = gp pull(x, y)\n"
      "dx = omega\n"
      "dy = force + gp pull(x, y) + gp pull(y, x) + m\n"
      "domega = -g * sin(x) - c * omega + gp(x) + t",
      {{"x", "y"}, {"time"}});
  EXPECT_EQ(system->states, (std::vector<std::string>{"x", "y", "omega"}));
  EXPECT_EQ(system->channels, 2u);
  EXPECT_EQ(system->parameters.size(), 3u);
  EXPECT_EQ(system->LearntParameters(), (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(system->processes.size(), 2u);
  EXPECT_EQ(system->processes[0].name, "pull");
  EXPECT_EQ(system->processes[1].name, "gp1");
  EXPECT_EQ(system->uses.size(), 3u) << "the same function of the same arguments is one use";
  EXPECT_TRUE(system->uses_time);
  EXPECT_EQ(system->state_priors[2].second, 3);
}

TEST(Equations, NamesMayBeQuoted) {
  const System system = Parse("d\"x 1\" = -\"x 1\" * \"u (V)\"", {{"x 1"}, {"u (V)"}});
  EXPECT_EQ(system->derivatives.size(), 1u);
  EXPECT_EQ(EquationName("x 1"), "\"x 1\"");
  EXPECT_EQ(EquationName("x_1"), "x_1");
}

TEST(Equations, PriorsMapStandardNormalVariables) {
  const EquationPrior normal{EquationPrior::Kind::kNormal, 2, 3};
  const EquationPrior lognormal{EquationPrior::Kind::kLogNormal, 0.5, 2};
  const EquationPrior uniform{EquationPrior::Kind::kUniform, 9, 10.5};
  EXPECT_DOUBLE_EQ(uniform.Value(0), 9.75);
  for (const EquationPrior& prior : {normal, lognormal, uniform}) {
    for (double z : {-1.3, 0.2, 0.9}) {
      EXPECT_NEAR(prior.Slope(z), (prior.Value(z + 1e-6) - prior.Value(z - 1e-6)) / 2e-6, 1e-6);
      EXPECT_NEAR(prior.Latent(prior.Value(z)), z, 1e-9);
    }
  }
}

// Every error message names the line and the column, counted from one.
TEST(Equations, ErrorsNameTheirPlace) {
  const auto message = [](const std::string& text) { return MessageOf([&] { Parse(text); }); };
  EXPECT_EQ(message("dx = 1\ndy = x + speed"),
            "a.ode:2:10: 'speed' is not known: it is not a channel, input, state, parameter or "
            "definition above; states are x, y");
  EXPECT_EQ(message("dx = (1 + x\ndy = 1"), "a.ode:1:12: the end of the line found, must be ')'");
  EXPECT_EQ(
      message("dx = 1"),
      "a.ode: channel 'y' has no equation, must have dy = ...; or choose others with --channels");
  EXPECT_EQ(message("dx = 1; dx = 2\ndy = 1"), "a.ode:1:9: dx is given twice, first on line 1");
  EXPECT_EQ(message("dz = 1"),
            "a.ode:1:1: no channel is named 'z'; states are x, y, and state z declares one that is "
            "not observed");
  EXPECT_EQ(message("dx = foo(x)\ndy = 1").substr(0, 37), "a.ode:1:6: function 'foo' is unknown,");
  EXPECT_EQ(message("dx = sin(x, y)\ndy = 1"), "a.ode:1:6: sin has 2 arguments, must have 1");
  EXPECT_EQ(message("dx = gp f(x) + gp f(x, y)\ndy = 1"),
            "a.ode:1:16: gp f has 2 arguments here and 1 before, must have the same number");
  EXPECT_EQ(message("dx = gp(gp(x))\ndy = 1"),
            "a.ode:1:9: gp in an argument of gp, must not be nested");
  EXPECT_EQ(message("param k = 3 in [1, 2]\ndx = k\ndy = 1"),
            "a.ode:1:11: 3 is not between the bounds 1 and 2");
  EXPECT_EQ(
      message("param k ~ beta(1, 2)\ndx = k\ndy = 1"),
      "a.ode:1:11: 'beta' found, must be normal(M, S), lognormal(M, S) or uniform(LOW, HIGH)");
  EXPECT_EQ(message("param x = 3\ndx = 1\ndy = 1"),
            "a.ode:1:7: 'x' is a state or an input, must not be a parameter too");
  EXPECT_EQ(message("dx = 1 $ 2\ndy = 1"),
            "a.ode:1:8: '$' found, must be a name, a number or one of + - * / ^ ( ) , = ~ [ ]");
  EXPECT_EQ(message("x = 3"),
            "a.ode:1:1: 'x' found, must be an equation such as dx = ..., or param, state or let");
}

TEST(Equations, DeepAndLongTextsAreRefused) {
  const std::string open(5000, '('), minus(5000, '-');
  EXPECT_NE(MessageOf([&] { Parse("dx = " + open + "1"); }).find("nested"), std::string::npos);
  EXPECT_NE(MessageOf([&] { Parse("dx = " + minus + "1"); }).find("nested"), std::string::npos);
  EXPECT_NE(MessageOf([&] { Parse(std::string(70000, ' ')); }).find("bytes"), std::string::npos);
}

// The unknown functions of the test are networks, whose parameters follow those of the equations.
TEST(Equations, TheFieldHasExactDerivatives) {
  const System system = Parse(
      "param a ~ normal(0, 1); param b ~ normal(0, 1)\n"
      "let both = gp f(x * a, y)\n"
      "dx = a * sin(x) * both + exp(b * y) / (2 + x^2) - u * tanh(y) + sqrt(3 + x) + cosh(x)\n"
      "dy = both ^ 2 + gp f(y, u) + gp g(x) * abs(y) + (2 + x) ^ b + max(x, y) * log(4 + y) - "
      "min(x, 2) + tan(y / 3) * sinh(x / 2)");
  struct Own final : Field {
    Own(const System& from, std::span<const double> p)
        : two(2, {3}, 1), one(1, {3}, 1), field(from) {
      two.SetParameters(p.subspan(2, two.parameter_count()));
      one.SetParameters(p.subspan(2 + two.parameter_count()));
      EquationUnits units(*from);
      units.state_scale = {1.5, 0.7};
      units.state_offset = {0.2, -0.1};
      units.input_scale = {2};
      units.time_scale = 1.7;
      units.processes[0] = {{1.2, 0.6}, {0.1, 0.2}, 1.4};
      units.processes[1] = {{0.8}, {-0.3}, 0.5};
      field.Set(units, p.first(2), std::vector<EquationField::Unknown>{{&two}, {&one}});
    }
    std::size_t dim() const override { return field.dim(); }
    std::size_t inputs() const override { return field.inputs(); }
    std::size_t parameter_count() const override { return field.parameter_count(); }
    std::size_t record_size() const override { return field.record_size(); }
    void Value(const FieldPoints& at, std::span<double> f, std::span<double> s) const override {
      field.Value(at, f, s);
    }
    void Record(const FieldPoints& at, std::span<double> f, std::span<double> r) const override {
      field.Record(at, f, r);
    }
    void Pullback(const FieldPoints& at, std::span<const double> r, std::span<const double> g,
                  std::span<double> bx, std::span<double> bp) const override {
      field.Pullback(at, r, g, bx, bp);
    }
    Mlp two, one;
    EquationField field;
  };
  std::vector<double> parameters = {0.6, 0.8};
  const std::size_t weights = Mlp(2, {3}, 1).parameter_count() + Mlp(1, {3}, 1).parameter_count();
  for (std::size_t i = 0; i < weights; ++i) {
    parameters.push_back(std::sin(3.0 * static_cast<double>(i) + 1));
  }
  Matrix states(3, 2);
  states << 0.3, -0.5, -0.6, 0.4, 0.9, 1.1;
  ExpectFieldConsistent([&](std::span<const double> p) { return std::make_unique<Own>(system, p); },
                        parameters, states, 0, {0.4});
}

// A state that is the logarithm of x has the derivative dx / x, and x in the equations is its
// exponential.
TEST(Equations, AStateMayBeTheLogarithmOfItsQuantity) {
  const std::string equations = "dx = x * y - x^2\ndy = cos(x) - y";
  const System plain = Parse(equations, {{"x", "y"}, {}});
  const System linked = Parse("channels x in log, y\ninputs\n" + equations);
  EXPECT_EQ(linked->states, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(linked->is_log[0]);
  EXPECT_FALSE(linked->is_log[1]);
  EquationField user(plain), own(linked);
  user.Set(EquationUnits(*plain), {}, {});
  own.Set(EquationUnits(*linked), {}, {});
  const Matrix states{{0.7, -0.4}, {-1.2, 0.3}};
  Matrix quantities = states;
  quantities.col(0) = states.col(0).array().exp();
  const Matrix f = Evaluate(own, states, 0), expected = Evaluate(user, quantities, 0);
  for (Eigen::Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(f(i, 0), expected(i, 0) / quantities(i, 0), 1e-14);
    EXPECT_NEAR(f(i, 1), expected(i, 1), 1e-14);
  }
  const auto make = [&](std::span<const double>) {
    auto field = std::make_unique<EquationField>(linked);
    field->Set(EquationUnits(*linked), {}, {});
    return field;
  };
  ExpectFieldConsistent(make, {}, states);
  EXPECT_EQ(MessageOf([] { Parse("channels x in sqrt\ninputs\ndx = x"); }).substr(0, 11),
            "a.ode:1:15:");
}

// At zero, the square root has an infinite slope, which must not reach other terms as NaN.
TEST(Equations, AZeroTimesAnInfiniteSlopeIsZero) {
  const System system = Parse("dx = 0 * sqrt(x) + y\ndy = x", {{"x", "y"}, {}});
  EquationField field(system);
  field.Set(EquationUnits(*system), {}, {});
  const Matrix jacobian = EvaluateJacobian(field, Vector::Zero(2));
  EXPECT_EQ(jacobian(0, 1), 1);
  EXPECT_EQ(jacobian(1, 0), 1);
}

TEST(Equations, AnInfiniteSlopeTimesZeroIsZero) {
  const System system = Parse("dx = sqrt(max(x, 0)) + y\ndy = x", {{"x", "y"}, {}});
  EquationField field(system);
  field.Set(EquationUnits(*system), {}, {});
  const Matrix jacobian = EvaluateJacobian(field, Vector{{-1, 0}});
  EXPECT_EQ(jacobian(0, 0), 0);
  EXPECT_EQ(jacobian(0, 1), 1);
}

}  // namespace
}  // namespace gpode
