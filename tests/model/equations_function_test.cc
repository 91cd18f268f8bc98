// Tests of known equations as an unknown function: gradients of bounds and linearisations.
#include <gtest/gtest.h>

#include <cmath>

#include "gpode/gradient_check.h"
#include "model/bound.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using Values = std::vector<double>;

const SolverOptions kFixed{.method = Method::kRungeKutta4, .fixed_step = 0.1};
constexpr const char* kText =
    "channels x, y\ninputs\nparam a ~ lognormal(0, 0.5); param b = 0.3 in [0, 1]\n"
    "dx = y * gp f(x) - b * x\ndy = -a * sin(x) + gp(x, y) + 0.3 * gp f(y)";

std::vector<TimedValues> Data() {
  Numbers numbers(31);
  return {{{0, 0.4, 0.7, 1.2}, numbers.Normals(4, 2)}, {{0.3, 0.6, 1.1}, numbers.Normals(3, 2)}};
}

class EquationsFunctionTest : public testing::TestWithParam<std::string> {
 protected:
  EquationsFunctionTest() {
    FitOptions options;
    options.function = "equations";
    options.equations = kText;
    options.posterior = GetParam();
    options.inducing = 4;
    options.features = 8;
    parts_.emplace(options, ModelShape{.dim = 2, .channels = 2, .trajectories = 2});
    const bool point = parts_->posterior().is_point_estimate();
    bound_.emplace(*parts_, ObservationMap::Identity(2), Data(), CutIntoSegments(Data(), 0), kFixed,
                   point ? 1 : 2);
    Numbers numbers(32);
    values_.resize(parts_->layout().value_size());
    for (const ParameterBlock& block : parts_->layout().blocks()) {
      const std::size_t n = block.shape.back();
      for (std::size_t i = 0; i < block.value_size; ++i) {
        double& v = values_[block.value_offset + i];
        v = block.transform == Transform::kFree ? 0.7 * numbers.Normal()
                                                : numbers.Uniform(0.4, 1.2);
        // The units must be positive.
        if (block.name == "equation_units") v = numbers.Uniform(0.5, 1.5);
        if (block.transform != Transform::kLowerTriangular) continue;
        // The spread is small, because draws far from the mean would have extreme slopes.
        v *= i % n > i / n % n ? 0 : i % n == i / n % n ? 0.2 : 0.02;
      }
    }
    bound_->Choose(bound_->AllSegments());
    bound_->SampleNormals(24, 5, pool_);
  }

  std::optional<ModelParts> parts_;
  std::optional<Bound> bound_;
  Values values_;
  ThreadPool pool_{1};
};

TEST_P(EquationsFunctionTest, GradientIsTheDerivative) {
  const ParameterLayout& layout = parts_->layout();
  Values flat(layout.flat_size());
  layout.Unconstrain(values_, flat);
  const auto evaluate = [&](std::span<const double> at, std::span<double> gradient) {
    Values values(layout.value_size());
    layout.Constrain(at, values);
    Values bvalues(gradient.empty() ? 0 : values.size(), 0.0);
    const BoundTerms terms = bound_->Evaluate(values, {.scale = 0.4}, bvalues, pool_);
    EXPECT_EQ(terms.diverged, 0u);
    if (!gradient.empty()) layout.ConstrainPullback(values, bvalues, gradient);
    return terms.Total();
  };
  Values gradient(flat.size(), 0.0);
  evaluate(flat, gradient);
  // The units come first. They are not learnt: their gradient is zero.
  const std::size_t units = layout.Find("equation_units").flat_size;
  for (std::size_t i = 0; i < units; ++i) EXPECT_EQ(gradient[i], 0) << i;
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) {
        Values all(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(units));
        all.insert(all.end(), at.begin(), at.end());
        return evaluate(all, {});
      },
      std::span(flat).subspan(units), std::span(gradient).subspan(units));
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
}

INSTANTIATE_TEST_SUITE_P(Posteriors, EquationsFunctionTest, testing::Values("blocks", "point"));

// Near the place of linearisation, the field is linear in the latent variables.
TEST(EquationsFunction, IsAboutItsLinearisation) {
  FitOptions options;
  options.function = "equations";
  options.equations = kText;
  options.posterior = "nuts";
  options.inducing = 4;
  options.features = 8;
  ModelParts parts(options, {.dim = 2, .channels = 2, .trajectories = 1});
  Numbers numbers(3);
  Values values(parts.layout().value_size());
  for (const ParameterBlock& block : parts.layout().blocks()) {
    for (std::size_t i = 0; i < block.value_size; ++i) {
      const bool positive = block.transform != Transform::kFree || block.name == "equation_units";
      values[block.value_offset + i] = positive ? numbers.Uniform(0.5, 1.5) : numbers.Normal();
    }
  }
  ThreadPool pool(1);
  UnknownFunction& function = parts.function();
  ASSERT_EQ(function.Set(values, pool), FactorStatus::kOk);
  const Matrix points = numbers.Normals(5, 2);
  const Matrix drawn = numbers.Normals(1, static_cast<Eigen::Index>(function.latent().count()));
  Vector z = drawn.row(0).transpose();
  const std::unique_ptr<FunctionDraw> draw = function.MakeDraw();
  const auto values_at = [&](const Vector& at) {
    draw->Set({at.data(), static_cast<std::size_t>(at.size())});
    const Matrix f = Evaluate(draw->field(), points);
    return Vector(Eigen::Map<const Vector>(Matrix(f.transpose()).data(), f.size()));
  };
  const auto place = function.Linearise(points, {z.data(), static_cast<std::size_t>(z.size())});
  const Matrix basis = function.LinearBasis(*place);
  const Vector offset = function.LinearOffset(*place, true);
  EXPECT_LT((basis * z + offset - values_at(z)).norm(), 1e-10);
  const Vector step = 1e-5 * numbers.Normals(1, z.size()).row(0).transpose();
  EXPECT_LT((basis * (z + step) + offset - values_at(z + step)).norm(), 1e-8);
}

}  // namespace
}  // namespace gpode
