// The bounds of all families of fields: gradients, and what a point is.
#include "model/field_posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "gpode/gradient_check.h"
#include "gpode/mlp.h"
#include "model/bound.h"
#include "model/gp_posterior.h"
#include "model/network_posterior.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using Values = std::vector<double>;

// Steps that do not depend on the parameters: finite differences see what the adjoint sees.
const SolverOptions kFixed{.method = Method::kRungeKutta4, .fixed_step = 0.1};
const std::vector<std::size_t> kHidden = {3, 4};

struct Family {
  bool network;
  Knowledge knowledge;
  std::size_t gaps;  // of a segment; 0: whole trajectories
};

std::vector<TimedValues> Data() {
  Numbers numbers(31);
  std::vector<TimedValues> data = {{{0, 0.4, 0.7, 1.2}, numbers.Normals(4, 2)},
                                   {{0.3, 0.6, 1.1}, numbers.Normals(3, 2)}};
  data[0].values(1, 1) = NAN;
  return data;
}

// A bound of the family on random data and parameters.
class AnyBound {
 public:
  explicit AnyBound(const Family& family) : family_(family) {
    const Segmentation cut = CutIntoSegments(Data(), family.gaps);
    ModelShape shape{
        .dim = 2, .channels = 2, .trajectories = 2, .shooting_states = cut.shooting_states};
    (family.network ? shape.weights : shape.inducing) =
        family.network ? Mlp(2, kHidden).parameter_count() : 4;
    parameters.emplace(shape);
    bound.emplace(Fields(), ObservationMap::Identity(2), Data(), cut, *parameters, kFixed,
                  family.knowledge);
    Numbers numbers(32);
    Values values(parameters->layout().value_size());
    for (const ParameterBlock& block : parameters->layout().blocks()) {
      Fill(block, numbers, std::span(values).subspan(block.value_offset, block.value_size));
    }
    flat.resize(parameters->layout().flat_size());
    parameters->layout().Unconstrain(values, flat);
    bound->SampleNoise(24, 5, {{{0, 2}}, {{0, cut.shooting_states}}}, noise, pool);
  }

  BoundTerms Evaluate(std::span<const double> at, std::span<double> gradient = {}) {
    Values values(parameters->layout().value_size());
    parameters->layout().Constrain(at, values);
    Values bvalues(gradient.empty() ? 0 : values.size(), 0.0);
    const BoundTerms terms =
        bound->Evaluate(values, noise, {.scale = 0.4}, bound->AllSegments(), bvalues, pool);
    if (!gradient.empty()) parameters->layout().ConstrainPullback(values, bvalues, gradient);
    return terms;
  }

  std::optional<ModelParameters> parameters;
  std::optional<Bound> bound;
  Values flat;
  BoundNoise noise;
  ThreadPool pool{1};

 private:
  std::unique_ptr<FieldPosterior> Fields() const {
    if (family_.network) {
      return MakeNetworkPosterior(*parameters, {.hidden = kHidden,
                                                .prior_scale = 1.3,
                                                .share = 0.7,
                                                .draws = Draws(),
                                                .knowledge = family_.knowledge});
    }
    return MakeGpPosterior(*parameters, {.kernel = GetKernel("squared-exponential"),
                                         .features = 12,
                                         .draws = Draws(),
                                         .knowledge = family_.knowledge,
                                         .lengthscales = Matrix::Constant(2, 2, 1.7),
                                         .variances = Vector::Constant(2, 0.6)});
  }
  std::size_t Draws() const { return family_.knowledge == Knowledge::kPoint ? 1 : 3; }

  static void Fill(const ParameterBlock& block, Numbers& numbers, std::span<double> values) {
    for (double& v : values) {
      v = block.transform == Transform::kFree ? numbers.Normal() : numbers.Uniform(0.3, 1.2);
    }
    if (block.transform != Transform::kLowerTriangular) return;
    const std::size_t n = block.shape.back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % n > i / n % n) values[i] = 0;
    }
  }

  Family family_;
};

class AnyFamily : public testing::TestWithParam<Family> {};

TEST_P(AnyFamily, GradientIsTheDerivative) {
  AnyBound any(GetParam());
  Values gradient(any.flat.size(), 0.0);
  EXPECT_EQ(any.Evaluate(any.flat, gradient).diverged, 0u);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) { return any.Evaluate(at).Total(); }, any.flat, gradient);
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
}

// The spreads of a point have no effect, everything else has.
TEST_P(AnyFamily, APointHasNoSpreads) {
  AnyBound any(GetParam());
  Values gradient(any.flat.size(), 0.0);
  any.Evaluate(any.flat, gradient);
  for (const ParameterBlock& block : any.parameters->layout().blocks()) {
    const bool spread = block.name.ends_with("_chol") || block.name == "weight_deviation";
    for (std::size_t i = 0; i < block.flat_size; ++i) {
      const bool zero = gradient[block.flat_offset + i] == 0;
      EXPECT_EQ(zero, spread && GetParam().knowledge == Knowledge::kPoint) << block.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, AnyFamily,
                         testing::Values(Family{true, Knowledge::kDistribution, 0},
                                         Family{true, Knowledge::kDistribution, 1},
                                         Family{true, Knowledge::kPoint, 0},
                                         Family{true, Knowledge::kPoint, 1},
                                         Family{false, Knowledge::kPoint, 0},
                                         Family{false, Knowledge::kPoint, 1}));

// Of a point on whole trajectories the bound is  log p(y | x0, f) + log p(x0) + log p(f)  up to
// constants: it can be put together from its parts.
TEST(FieldPosterior, TheBoundOfAPointIsALogDensity) {
  AnyBound any({true, Knowledge::kPoint, 0});
  const BoundTerms terms = any.Evaluate(any.flat);
  const ParameterLayout& layout = any.parameters->layout();
  const auto half_square = [&](std::size_t block) {
    const ParameterBlock& b = layout.blocks()[block];
    double sum = 0;
    for (std::size_t i = 0; i < b.flat_size; ++i)
      sum += any.flat[b.flat_offset + i] * any.flat[b.flat_offset + i];
    return 0.5 * sum;
  };
  EXPECT_NEAR(terms.kl_u, 0.7 * half_square(any.parameters->weight_mean), 1e-12);
  EXPECT_NEAR(terms.kl_x0, half_square(any.parameters->x0_mean), 1e-12);
  EXPECT_EQ(terms.entropy, 0);
  EXPECT_NEAR(terms.Total(), terms.loglik - terms.kl_u - terms.kl_x0, 1e-12);
}

TEST(FieldPosterior, ADensityOfLogarithmsIsThePriorOfHyperparameters) {
  AnyBound any({false, Knowledge::kPoint, 0});
  const double before = any.Evaluate(any.flat).kl_u;
  const ParameterBlock& block = any.parameters->layout().blocks()[any.parameters->variances];
  const double was = any.flat[block.flat_offset];
  any.flat[block.flat_offset] = std::log(0.6);  // the centre
  const double after = any.Evaluate(any.flat).kl_u;
  EXPECT_NEAR(before - after, 0.5 * std::pow(was - std::log(0.6), 2), 1e-10);
}

TEST(FieldPosterior, ScalesOfWeightsAreThoseOfThePrior) {
  const Vector scales = WeightScales(2, {8}, 3.0);
  ASSERT_EQ(scales.size(), 2 * 8 + 8 + 8 * 2 + 2);
  EXPECT_NEAR(scales[0], 3 / std::numbers::sqrt2, 1e-12);
  EXPECT_EQ(scales[2 * 8], 1);                              // a bias
  EXPECT_NEAR(scales[2 * 8 + 8], 3 / std::sqrt(8), 1e-12);  // of the output layer
  EXPECT_EQ(scales[scales.size() - 1], 1);
}

// The moments of a network's draws are those of its parameters: with an affine field, exactly.
TEST(FieldPosterior, DrawsOfANetworkHaveItsMoments) {
  const ModelParameters parameters({.dim = 1, .channels = 1, .trajectories = 1, .weights = 2});
  constexpr std::size_t kDraws = 4000;
  const auto fields =
      MakeNetworkPosterior(parameters, {.hidden = {}, .prior_scale = 2, .draws = kDraws});
  Values values(parameters.layout().value_size(), 0.0);
  const std::span<double> all(values);
  parameters.layout().Values(parameters.weight_mean, all)[0] = 0.5;   // the slope: 1
  parameters.layout().Values(parameters.weight_mean, all)[1] = -0.3;  // the bias
  parameters.layout().Values(parameters.weight_deviation, all)[0] = 0.2;
  parameters.layout().Values(parameters.weight_deviation, all)[1] = 0.1;
  ThreadPool pool(1);
  std::vector<GpNormals> noise(kDraws);
  for (std::size_t s = 0; s < kDraws; ++s) fields->SampleNoise(7, 3, s, noise[s]);
  ASSERT_EQ(fields->Set(values, noise, pool), FactorStatus::kOk);
  double sum = 0, squares = 0;
  for (std::size_t s = 0; s < kDraws; ++s) {
    const double f = Evaluate(fields->draw(s), Matrix::Constant(1, 1, 3.0))(0, 0);
    sum += f;
    squares += f * f;
  }
  const double mean = sum / kDraws, deviation = std::sqrt(squares / kDraws - mean * mean);
  const double expected = std::hypot(3 * 0.4, 0.1);  // of  2 (0.5 + 0.2 e) 3 - 0.3 + 0.1 e'
  EXPECT_NEAR(mean, 2.7, 4 * expected / std::sqrt(kDraws));
  EXPECT_NEAR(deviation / expected, 1, 4 / std::sqrt(2.0 * kDraws));
}

}  // namespace
}  // namespace gpode
