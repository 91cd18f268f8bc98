// Tests of functions as fields, with and without inputs, and of fields that depend on time and
// inputs.
#include "gpode/function.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "gpode/error.h"
#include "gpode/mlp.h"
#include "support/driven_field.h"
#include "support/field_harness.h"
#include "support/message_of.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::DrivenOscillator;
using testing_support::MessageOf;
using testing_support::Numbers;
using Values = std::vector<double>;

std::unique_ptr<Mlp> Network(std::size_t inputs, std::size_t outputs, Values parameters = {}) {
  auto network = std::make_unique<Mlp>(inputs, std::vector<std::size_t>{6}, outputs);
  if (parameters.empty()) {
    Numbers numbers(3);
    for (std::size_t i = 0; i < network->parameter_count(); ++i) {
      parameters.push_back(0.5 * numbers.Normal());
    }
  }
  network->SetParameters(parameters);
  return network;
}

TEST(FunctionFieldTest, IsTheFunctionOfStatesAndInputs) {
  const std::shared_ptr<const Function> network = Network(5, 2);
  const FunctionField field(network);
  EXPECT_EQ(field.dim(), 2u);
  EXPECT_EQ(field.inputs(), 3u);
  Numbers numbers(4);
  const Matrix states = numbers.Normals(4, 2), inputs = numbers.Normals(4, 3);
  Matrix joined(4, 5);
  joined << states, inputs;
  EXPECT_EQ(Evaluate(field, states, 0.7, inputs), Evaluate(*network, joined));
  const Matrix jacobian =
      EvaluateJacobian(field, states.row(1).transpose(), 0.7, inputs.row(1).transpose());
  EXPECT_EQ(jacobian, EvaluateJacobian(*network, joined.row(1).transpose()).leftCols(2));
}

// A field without inputs has the record size of its function and returns the same bits.
TEST(FunctionFieldTest, WithoutInputsIsTheFunction) {
  const std::unique_ptr<Mlp> network = Network(3, 3);
  const FunctionField field(*network);
  EXPECT_EQ(field.inputs(), 0u);
  EXPECT_EQ(field.record_size(), network->record_size());
  EXPECT_EQ(&field.function(), network.get());
  Numbers numbers(5);
  const Matrix points = numbers.Normals(4, 3);
  EXPECT_EQ(Evaluate(field, points), Evaluate(*network, points));
}

TEST(FunctionFieldTest, PassesTheHarness) {
  const Values parameters = [] {
    const auto network = Network(4, 2);
    return Values(network->parameters().begin(), network->parameters().end());
  }();
  Numbers numbers(6);
  ExpectFieldConsistent(
      [](std::span<const double> p) {
        return std::make_unique<FunctionField>(Network(4, 2, {p.begin(), p.end()}));
      },
      parameters, numbers.Normals(5, 2), 0.3, {0.4, -1.1});
}

// Every point of a batch has inputs of its own.
TEST(FunctionFieldTest, PullbackOfABatchUsesTheInputsOfEachPoint) {
  const std::unique_ptr<Mlp> network = Network(3, 2);
  const FunctionField field(*network);
  const Values x = {0.1, -0.4, 1.2, 0.7}, u = {0.5, -2.0}, g = {1.0, 0.3, -0.8, 2.0};
  Values f(4), record(2 * field.record_size()), bx(4), bparameters(field.parameter_count());
  field.Record({0.0, x, u}, f, record);
  field.Pullback({0.0, x, u}, record, g, bx, bparameters);
  Values alone(field.parameter_count());
  for (std::size_t p = 0; p < 2; ++p) {
    const FieldPoints point = FieldPoints(0.0, x, u).Point(p, 2, 1);
    Values f_alone(2), own(field.record_size()), bx_alone(2);
    field.Record(point, f_alone, own);
    field.Pullback(point, own, std::span(g).subspan(2 * p, 2), bx_alone, alone);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(f[2 * p + i], f_alone[i]);
      EXPECT_EQ(bx[2 * p + i], bx_alone[i]);
    }
  }
  EXPECT_EQ(bparameters, alone);
}

TEST(FunctionFieldTest, OwnsOrRefers) {
  std::unique_ptr<Field> owner;
  {
    std::unique_ptr<Mlp> network = Network(2, 2);
    owner = std::make_unique<FunctionField>(std::move(network));
  }
  EXPECT_TRUE(Evaluate(*owner, Matrix::Ones(1, 2)).allFinite());
  std::unique_ptr<Mlp> network = Network(2, 2);
  const FunctionField reference = *network;
  network->parameters()[0] += 1;  // A field that refers to the network changes with it.
  EXPECT_EQ(Evaluate(reference, Matrix::Ones(1, 2)), Evaluate(*network, Matrix::Ones(1, 2)));
}

TEST(FunctionFieldTest, ImpossibleShapesAreNamed) {
  EXPECT_EQ(MessageOf([] { FunctionField{Mlp(2, {3}, 4)}; }),
            "FunctionField: the function has 2 inputs and 4 outputs, must have at least as many "
            "inputs as outputs");
  const Mlp wide(FunctionField::kMostInputs + 1, {3}, 1);
  EXPECT_EQ(MessageOf([&] { FunctionField{wide}; }),
            "FunctionField: the function has 1025 inputs, must have at most 1024");
  EXPECT_EQ(MessageOf([] { Evaluate(Mlp(2, {3}, 4), Matrix::Zero(1, 3)); }),
            "Evaluate: a row of points has 3 values, must have 2");
  const std::unique_ptr<Mlp> network = Network(3, 2);
  EXPECT_EQ(MessageOf([&] { Evaluate(FunctionField(*network), Matrix::Zero(4, 2)); }),
            "Evaluate: inputs has 0 values, must have 4");
}

TEST(DrivenFieldTest, PassesTheHarness) {
  Numbers numbers(7);
  ExpectFieldConsistent(
      [](std::span<const double> p) {
        return std::make_unique<DrivenOscillator>(p[0], p[1], p[2]);
      },
      {1.3, 0.2, 0.7}, numbers.Normals(4, 2), 0.9, {0.4, -1.1});
}

TEST(DrivenFieldTest, EvaluateTakesTimeAndInputs) {
  const DrivenOscillator field(2.0, 0.5, 3.0);
  const Matrix f = Evaluate(field, Matrix{{1, 2}}, 0.4, Matrix{{0.1, 5}});
  EXPECT_DOUBLE_EQ(f(0, 0), 2);
  EXPECT_DOUBLE_EQ(f(0, 1), -2.0 - 1.0 + 0.3 + 5 * std::sin(0.4));
}

}  // namespace
}  // namespace gpode
