#include "gpode/parameters.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "support/message_of.h"

namespace gpode {
namespace {

using testing_support::MessageOf;

using Shape = std::vector<std::size_t>;
using Values = std::vector<double>;

// Returns a layout with blocks of every kind, one of which is a stack of triangles. It has 16 flat
// numbers and 18 values.
ParameterLayout Mixed() {
  ParameterLayout layout;
  layout.Add("locations", {2, 2}, Transform::kFree);
  layout.Add("variance", {3}, Transform::kPositive);
  layout.Add("factors", {2, 2, 2}, Transform::kLowerTriangular);
  layout.Add("scale", {}, Transform::kPositive);
  layout.Add("mean", {2}, Transform::kFree);
  return layout;
}

Values Counting(std::size_t n) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 0.3 * static_cast<double>(i) - 1.7;
  return values;
}

Values Constrained(const ParameterLayout& layout, const Values& flat) {
  Values values(layout.value_size(), std::numeric_limits<double>::quiet_NaN());
  layout.Constrain(flat, values);
  return values;
}

Values Unconstrained(const ParameterLayout& layout, const Values& values) {
  Values flat(layout.flat_size(), std::numeric_limits<double>::quiet_NaN());
  layout.Unconstrain(values, flat);
  return flat;
}

TEST(ParametersTest, BlocksLieOneAfterTheOther) {
  const ParameterLayout layout = Mixed();
  EXPECT_EQ(layout.flat_size(), 4u + 3 + 6 + 1 + 2);
  EXPECT_EQ(layout.value_size(), 4u + 3 + 8 + 1 + 2);
  ASSERT_EQ(layout.blocks().size(), 5u);
  const ParameterBlock& factors = layout.blocks()[2];
  EXPECT_EQ(factors.name, "factors");
  EXPECT_EQ(factors.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(factors.transform, Transform::kLowerTriangular);
  EXPECT_EQ(factors.flat_offset, 7u);
  EXPECT_EQ(factors.flat_size, 6u);
  EXPECT_EQ(factors.value_offset, 7u);
  EXPECT_EQ(factors.value_size, 8u);
  EXPECT_EQ(layout.blocks()[3].flat_offset, 13u);
  EXPECT_EQ(layout.blocks()[3].value_offset, 15u);
  EXPECT_EQ(layout.blocks()[3].value_size, 1u);  // A shape without dimensions is a single number.
}

TEST(ParametersTest, AddReturnsTheIndex) {
  ParameterLayout layout;
  EXPECT_EQ(layout.Add("a", {2}, Transform::kFree), 0u);
  EXPECT_EQ(layout.Add("b", {1}, Transform::kPositive), 1u);
}

TEST(ParametersTest, FindsBlocksByName) {
  const ParameterLayout layout = Mixed();
  for (const ParameterBlock& block : layout.blocks()) EXPECT_EQ(&layout.Find(block.name), &block);
}

TEST(ParametersTest, ValuesIsTheBlocksPart) {
  const ParameterLayout layout = Mixed();
  Values values = Counting(layout.value_size());
  const std::span<double> scale = layout.Values(3, std::span(values));
  ASSERT_EQ(scale.size(), 1u);
  scale[0] = 42;
  EXPECT_EQ(values[15], 42);
  const std::span<const double> factors = layout.Values(2, std::span<const double>(values));
  EXPECT_EQ(factors.data(), values.data() + 7);
  EXPECT_EQ(factors.size(), 8u);
}

TEST(ParametersTest, ConstrainIsTheTableOfTheHeader) {
  ParameterLayout layout;
  layout.Add("free", {2}, Transform::kFree);
  layout.Add("positive", {2}, Transform::kPositive);
  layout.Add("triangles", {2, 3, 3}, Transform::kLowerTriangular);
  const Values flat = {-1, 5, 0.5, -2, 0.1, 2, 0.2, 3, 4, 0.3, -0.1, 5, -0.2, 6, 7, -0.3};
  // clang-format off
  const Values expected = {-1, 5,
                           std::exp(0.5), std::exp(-2.0),
                           std::exp(0.1), 0, 0,
                           2, std::exp(0.2), 0,
                           3, 4, std::exp(0.3),
                           std::exp(-0.1), 0, 0,
                           5, std::exp(-0.2), 0,
                           6, 7, std::exp(-0.3)};
  // clang-format on
  EXPECT_EQ(Constrained(layout, flat), expected);
}

TEST(ParametersTest, EmptyBlocksAndLayouts) {
  ParameterLayout layout;
  EXPECT_EQ(Constrained(layout, {}), Values{});
  layout.Add("nothing", {3, 0}, Transform::kFree);
  layout.Add("no triangle", {2, 0, 0}, Transform::kLowerTriangular);
  layout.Add("one", {1}, Transform::kPositive);
  EXPECT_EQ(layout.flat_size(), 1u);
  EXPECT_EQ(layout.value_size(), 1u);
  EXPECT_EQ(Constrained(layout, {0.0}), Values{1.0});
  EXPECT_EQ(Unconstrained(layout, {1.0}), Values{0.0});
}

// Returns a layout of random blocks.
ParameterLayout RandomLayout() {
  ParameterLayout layout;
  const auto blocks = *rc::gen::inRange(0, 6);
  for (int b = 0; b < blocks; ++b) {
    const auto transform =
        *rc::gen::element(Transform::kFree, Transform::kPositive, Transform::kLowerTriangular);
    Shape shape;
    const auto rank = *rc::gen::inRange(0, 3);
    for (int k = 0; k < rank; ++k) shape.push_back(*rc::gen::inRange<std::size_t>(0, 4));
    if (transform == Transform::kLowerTriangular) {
      const auto n = *rc::gen::inRange<std::size_t>(0, 5);
      for (int k = 0; k < 2; ++k) shape.push_back(n);
    }
    layout.Add("block " + std::to_string(b), shape, transform);
  }
  return layout;
}

RC_GTEST_PROP(ParametersProperty, UnconstrainUndoesConstrain, ()) {
  const ParameterLayout layout = RandomLayout();
  const auto integers =
      *rc::gen::container<std::vector<int>>(layout.flat_size(), rc::gen::inRange(-700000, 700000));
  Values flat;
  for (const int i : integers) flat.push_back(i * 1e-3);
  const Values values = Constrained(layout, flat);
  const Values back = Unconstrained(layout, values);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    RC_ASSERT(std::fabs(back[i] - flat[i]) <= 1e-15 + 2e-16 * std::fabs(flat[i]));
  }
  // A rounding error of the logarithm becomes a relative error of its exponential.
  const Values again = Constrained(layout, back);
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(std::fabs(again[i] - values[i]) <= 1e-12 * std::fabs(values[i]));
  }
}

TEST(ParametersTest, ConstrainPullbackIsTheGradient) {
  const ParameterLayout layout = Mixed();
  const Values flat = Counting(layout.flat_size());
  // The function is sum_i w_i v_i + v_i^2 / 2, with the cotangents w_i + v_i.
  const Values weights = Counting(layout.value_size());
  const auto scalar = [&](std::span<const double> point) {
    const Values v = Constrained(layout, Values(point.begin(), point.end()));
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += weights[i] * v[i] + v[i] * v[i] / 2;
    return sum;
  };
  const Values values = Constrained(layout, flat);
  Values bvalues = weights;
  for (std::size_t i = 0; i < values.size(); ++i) bvalues[i] += values[i];
  Values bflat(layout.flat_size(), 0.0);
  layout.ConstrainPullback(values, bvalues, bflat);
  const GradientCheck check = CheckGradient(scalar, flat, bflat);
  EXPECT_TRUE(check.ok(1e-8)) << check.message;

  Values added(layout.flat_size(), 2.5);
  layout.ConstrainPullback(values, bvalues, added);
  for (std::size_t i = 0; i < added.size(); ++i) EXPECT_DOUBLE_EQ(added[i], 2.5 + bflat[i]);
}

TEST(ParametersTest, AddRejects) {
  ParameterLayout layout = Mixed();
  EXPECT_EQ(MessageOf([&] { layout.Add("scale", {2}, Transform::kFree); }),
            "ParameterLayout::Add: name is 'scale', must be a new name");
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{3, 3, 2}}) {
    EXPECT_EQ(MessageOf([&] { layout.Add("L", shape, Transform::kLowerTriangular); }),
              "ParameterLayout::Add: shape of 'L' must end in two equal numbers");
  }
  EXPECT_EQ(layout.blocks().size(), 5u);
  EXPECT_EQ(layout.flat_size(), Mixed().flat_size());
}

TEST(ParametersTest, FindRejects) {
  EXPECT_EQ(MessageOf([] { Mixed().Find("mass"); }),
            "ParameterLayout: name is 'mass', must be that of a block");
}

TEST(ParametersTest, SizesAreChecked) {
  const ParameterLayout layout = Mixed();
  Values flat(16), values(18), less(15);
  EXPECT_EQ(MessageOf([&] { layout.Constrain(less, values); }),
            "ParameterLayout::Constrain: flat has 15 values, must have 16");
  EXPECT_EQ(MessageOf([&] { layout.Constrain(flat, less); }),
            "ParameterLayout::Constrain: values has 15 values, must have 18");
  EXPECT_EQ(MessageOf([&] { layout.Unconstrain(less, flat); }),
            "ParameterLayout::Unconstrain: values has 15 values, must have 18");
  EXPECT_EQ(MessageOf([&] { layout.Unconstrain(values, less); }),
            "ParameterLayout::Unconstrain: flat has 15 values, must have 16");
  EXPECT_EQ(MessageOf([&] { layout.ConstrainPullback(less, values, flat); }),
            "ParameterLayout::ConstrainPullback: values has 15 values, must have 18");
  EXPECT_EQ(MessageOf([&] { layout.ConstrainPullback(values, less, flat); }),
            "ParameterLayout::ConstrainPullback: bvalues has 15 values, must have 18");
  EXPECT_EQ(MessageOf([&] { layout.ConstrainPullback(values, values, less); }),
            "ParameterLayout::ConstrainPullback: bflat has 15 values, must have 16");
}

// Returns the message of Unconstrain if entry i of otherwise valid values is `bad`.
std::string MessageFor(std::size_t i, double bad) {
  const ParameterLayout layout = Mixed();
  Values values = Constrained(layout, Counting(layout.flat_size()));
  values[i] = bad;
  return MessageOf([&] { Unconstrained(layout, values); });
}

TEST(ParametersTest, UnconstrainRejectsWhatNoFlatVectorGives) {
  EXPECT_EQ(MessageFor(5, 0.0),
            "ParameterLayout::Unconstrain: variance is 0, must be positive and finite");
  EXPECT_EQ(MessageFor(15, -2.0),
            "ParameterLayout::Unconstrain: scale is -2, must be positive and finite");
  EXPECT_EQ(MessageFor(11, -0.5),
            "ParameterLayout::Unconstrain: factors is -0.5, must be positive and finite");
  EXPECT_EQ(MessageFor(2, std::numeric_limits<double>::infinity()),
            "ParameterLayout::Unconstrain: locations[2] is inf, must be finite");
  EXPECT_EQ(MessageFor(9, -3.0), "nothing thrown");
}

TEST(ParametersTest, UnconstrainRejectsAnUpperTriangleThatIsNotZero) {
  EXPECT_EQ(MessageFor(12, 0.5),
            "ParameterLayout::Unconstrain: factors[5] is 0.5, must be zero above the diagonal");
}

// The results for a range of items equal those of the whole layout, and nothing outside of the
// range is written.
TEST(ParametersTest, ARangeIsItsPartOfTheWhole) {
  const ParameterLayout layout = Mixed();
  const Values flat = Counting(layout.flat_size()), whole = Constrained(layout, flat);
  const Values bvalues = Counting(layout.value_size());
  Values bwhole(layout.flat_size(), 0.0);
  layout.ConstrainPullback(whole, bvalues, bwhole);
  for (const ParameterRange& range : std::vector<ParameterRange>{
           {0, 1, 1}, {1, 0, 2}, {2, 1, 1}, {2, 0, 2}, {3, 0, 1}, {4, 2, 0}}) {
    SCOPED_TRACE(testing::Message() << "block " << range.block << " from " << range.first);
    const Stretch of_flat = layout.FlatOf(range), of_values = layout.ValuesOf(range);
    Values values(layout.value_size(), 7.0), bflat(layout.flat_size(), 7.0);
    layout.Constrain(range, flat, values);
    layout.ConstrainPullback(range, whole, bvalues, bflat);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool inside = i >= of_values.offset && i < of_values.offset + of_values.size;
      EXPECT_EQ(values[i], inside ? whole[i] : 7.0) << i;
    }
    for (std::size_t i = 0; i < bflat.size(); ++i) {
      const bool inside = i >= of_flat.offset && i < of_flat.offset + of_flat.size;
      EXPECT_DOUBLE_EQ(bflat[i], inside ? 7.0 + bwhole[i] : 7.0) << i;
    }
  }
  EXPECT_EQ(layout.FlatOf({2, 1, 1}).offset, 10u);
  EXPECT_EQ(layout.FlatOf({2, 1, 1}).size, 3u);
  EXPECT_EQ(layout.ValuesOf({2, 1, 1}).offset, 11u);
  EXPECT_EQ(layout.ValuesOf({2, 1, 1}).size, 4u);
}

TEST(ParametersTest, ASingleTriangleIsOneItem) {
  ParameterLayout layout;
  layout.Add("factor", {3, 3}, Transform::kLowerTriangular);
  layout.Add("none", {0, 3, 3}, Transform::kLowerTriangular);
  EXPECT_EQ(layout.Whole(0).count, 1u);
  EXPECT_EQ(layout.FlatOf(layout.Whole(0)).size, 6u);
  EXPECT_EQ(layout.Whole(1).count, 0u);
  EXPECT_EQ(layout.FlatOf(layout.Whole(1)).size, 0u);
}

}  // namespace
}  // namespace gpode
