#include "gpode/mlp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include "gpode/error.h"
#include "support/field_harness.h"

namespace gpode {
namespace {

using Values = std::vector<double>;
using Sizes = std::vector<std::size_t>;

// Returns numbers in (-scale, scale) without a pattern that could hide a permutation.
Values Numbers(std::size_t size, double scale) {
  Values numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] = scale * std::sin(0.4 + 2.7 * static_cast<double>(i + i * i % 7));
  }
  return numbers;
}

Matrix SomePoints(std::size_t n, std::size_t d) {
  const Values numbers = Numbers(n * d, 1.2);
  return Eigen::Map<const Matrix>(numbers.data(), n, d);
}

struct Shape {
  std::size_t inputs;
  Sizes hidden;
  std::size_t outputs;

  // Googletest prints this text beside the name of a test.
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    out << shape.inputs;
    for (const std::size_t width : shape.hidden) out << '-' << width;
    return out << '-' << shape.outputs;
  }
};

class MlpShapeTest : public ::testing::TestWithParam<Shape> {};

TEST_P(MlpShapeTest, Consistent) {
  const auto& [inputs, hidden, outputs] = GetParam();
  const auto make = [&shape = GetParam()](std::span<const double> p) {
    auto network = std::make_unique<Mlp>(shape.inputs, shape.hidden, shape.outputs);
    network->SetParameters(p);
    return network;
  };
  const std::size_t count = Mlp(inputs, hidden, outputs).parameter_count();
  ExpectFunctionConsistent(make, Numbers(count, 0.6), SomePoints(5, inputs));
}

// The widths lie around those of the vector registers; Eigen treats a width of one differently.
INSTANTIATE_TEST_SUITE_P(Shapes, MlpShapeTest,
                         ::testing::Values(Shape{2, {}, 2}, Shape{1, {}, 1}, Shape{1, {1}, 1},
                                           Shape{2, {1}, 2}, Shape{2, {8}, 2}, Shape{3, {7, 5}, 3},
                                           Shape{2, {4, 9, 3}, 2}, Shape{5, {17}, 5},
                                           Shape{3, {6}, 1}, Shape{2, {5, 4}, 7}));

// Computes the network by its definition, with the C library's tanh.
Values ByDefinition(const Mlp& network, const Sizes& sizes, Values h) {
  const double* parameter = network.parameters().data();
  for (std::size_t l = 1; l < sizes.size(); ++l) {
    const double* weights = parameter;
    const double* biases = weights + sizes[l] * sizes[l - 1];
    Values next(sizes[l]);
    for (std::size_t i = 0; i < sizes[l]; ++i) {
      next[i] = biases[i];
      for (std::size_t j = 0; j < h.size(); ++j) next[i] += weights[i * h.size() + j] * h[j];
      if (l + 1 < sizes.size()) next[i] = std::tanh(next[i]);
    }
    h = next;
    parameter = biases + sizes[l];
  }
  EXPECT_EQ(parameter, network.parameters().data() + network.parameter_count());
  return h;
}

TEST(MlpTest, FollowsItsDefinitionInTheDocumentedLayout) {
  for (const Sizes& hidden : {Sizes{}, Sizes{6}, Sizes{5, 4, 7}}) {
    Mlp network(3, hidden);
    network.SetParameters(Numbers(network.parameter_count(), 0.7));
    Sizes sizes = {3};
    sizes.insert(sizes.end(), hidden.begin(), hidden.end());
    sizes.push_back(3);
    const Values x = Numbers(3, 1.0);
    const Values f = harness::ValueOf(network, x);
    const Values expected = ByDefinition(network, sizes, x);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(f[i], expected[i], 1e-14);
  }
}

TEST(MlpTest, CountsParametersAndRecord) {
  const Mlp network(2, {32, 16});
  EXPECT_EQ(network.inputs(), 2u);
  EXPECT_EQ(network.outputs(), 2u);
  EXPECT_EQ(network.weight_count(), 32u * 2 + 16 * 32 + 2 * 16);
  EXPECT_EQ(network.parameter_count(), network.weight_count() + 32 + 16 + 2);
  EXPECT_EQ(network.record_size(), 48u);
  EXPECT_EQ(Mlp(2, {}).record_size(), 0u);
  EXPECT_EQ(Mlp(3, {4}, 1).parameter_count(), 4u * 3 + 4 + 4 + 1);
}

TEST(MlpTest, RecordHoldsTheActivations) {
  Mlp network(1, {2});
  network.SetParameters(Values{1, -2, 0.5, 0.25, 3, 4, 5});
  const Values x = {0.3};
  Values f(1), record(2);
  network.Record(x, f, record);
  EXPECT_NEAR(record[0], std::tanh(0.8), 1e-15);
  EXPECT_NEAR(record[1], std::tanh(-0.35), 1e-15);
  EXPECT_NEAR(f[0], 3 * record[0] + 4 * record[1] + 5, 1e-15);
}

// The gradient of the parameters for a batch has the same bits as the sum over its points. The
// harness does not require this of every function.
TEST(MlpTest, ParameterGradientOfABatchHasTheBitsOfItsPoints) {
  Mlp network(3, {19, 6});
  network.SetParameters(Numbers(network.parameter_count(), 0.5));
  const Values x = Numbers(21, 1.1);
  const Values g = harness::Cotangents(x.size());
  const Values batch = harness::RecordAndPullback(network, x, g).bparameters;
  Values f(3), record(network.record_size()), bx(3), added(network.parameter_count());
  for (std::size_t p = 0; p < x.size(); p += 3) {
    const auto point = std::span(x).subspan(p, 3);
    network.Record(point, f, record);
    network.Pullback(point, record, std::span(g).subspan(p, 3), bx, added);
  }
  EXPECT_EQ(batch, added);
}

TEST(MlpTest, XavierScalesNormalsLayerByLayerAndClearsBiases) {
  Mlp network(2, {6});
  network.SetParameters(Values(network.parameter_count(), 9.0));
  const Values normals = Numbers(network.weight_count(), 2.0);
  network.InitializeXavier(normals);
  const double deviation = std::sqrt(2.0 / 8.0);
  const std::span<const double> p = std::as_const(network).parameters();
  for (std::size_t i = 0; i < 12; ++i) EXPECT_DOUBLE_EQ(p[i], deviation * normals[i]);
  for (std::size_t i = 12; i < 18; ++i) EXPECT_EQ(p[i], 0.0);
  for (std::size_t i = 18; i < 30; ++i) EXPECT_DOUBLE_EQ(p[i], deviation * normals[i - 6]);
  for (std::size_t i = 30; i < 32; ++i) EXPECT_EQ(p[i], 0.0);
}

TEST(MlpTest, XavierUsesBothWidthsOfALayer) {
  Mlp network(2, {14, 4});
  network.InitializeXavier(Values(network.weight_count(), 1.0));
  EXPECT_DOUBLE_EQ(network.parameters()[0], std::sqrt(2.0 / 16));
  EXPECT_DOUBLE_EQ(network.parameters()[28 + 14], std::sqrt(2.0 / 18));
}

TEST(MlpTest, ParametersCanBeChangedInPlace) {
  Mlp network(1, {});
  network.parameters()[0] = 2.0;
  network.parameters()[1] = 0.5;
  EXPECT_DOUBLE_EQ(harness::ValueOf(network, Values{3.0})[0], 6.5);
}

TEST(MlpTest, WidestLayerWorks) {
  Mlp network(2, {Mlp::kMaxWidth, Mlp::kMaxWidth});
  network.InitializeXavier(Numbers(network.weight_count(), 1.0));
  const Values x = {0.3, -0.2};
  const Values g = {1.0, -2.0};
  const Values bx = harness::RecordAndPullback(network, x, g).bx;
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> moved) { return harness::Contract(network, moved, g); }, x, bx);
  EXPECT_TRUE(check.ok(harness::kGradientTolerance)) << check.message;
}

TEST(MlpTest, SizesThatCannotBeAreRefused) {
  EXPECT_THROW(Mlp(0, {3}), InputError);
  EXPECT_THROW(Mlp(2, {3}, 0), InputError);
  EXPECT_THROW(Mlp(2, {3, 0}), InputError);
  EXPECT_THROW(Mlp(2, {Mlp::kMaxWidth + 1}), InputError);
  Mlp network(2, {3});
  EXPECT_THROW(network.SetParameters(Values(network.parameter_count() - 1)), InputError);
  EXPECT_THROW(network.InitializeXavier(Values(network.parameter_count())), InputError);
}

}  // namespace
}  // namespace gpode
