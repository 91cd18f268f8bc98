// Tests of posterior families and unknown functions: draws, Kullback-Leibler divergences and the
// gradients of bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "gpode/gradient_check.h"
#include "gpode/mlp.h"
#include "model/bound.h"
#include "model/network_function.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using Values = std::vector<double>;

// Fixed steps do not depend on the parameters, so that finite differences see the same steps as the
// adjoint.
const SolverOptions kFixed{.method = Method::kRungeKutta4, .fixed_step = 0.1};
const std::vector<std::size_t> kHidden = {3, 4};

struct Choice {
  std::string function, posterior;
  std::size_t gaps;  // the number of gaps in a segment, or 0 for whole trajectories
};

std::vector<TimedValues> Data() {
  Numbers numbers(31);
  std::vector<TimedValues> data = {{{0, 0.4, 0.7, 1.2}, numbers.Normals(4, 2)},
                                   {{0.3, 0.6, 1.1}, numbers.Normals(3, 2)}};
  data[0].values(1, 1) = NAN;
  return data;
}

// A bound with the function and the posterior family of a Choice, on random data and parameters.
class AnyBound {
 public:
  explicit AnyBound(const Choice& choice) {
    const Segmentation cut = CutIntoSegments(Data(), choice.gaps);
    FitOptions options;
    options.function = choice.function;
    options.posterior = choice.posterior;
    options.inducing = 4;
    options.features = 12;
    options.neural = {.hidden = kHidden, .prior_scale = 1.3, .kl_weight = 0.7, .weight_decay = 0.7};
    parts.emplace(
        options,
        ModelShape{
            .dim = 2, .channels = 2, .trajectories = 2, .shooting_states = cut.shooting_states});
    const bool point = parts->posterior().is_point_estimate();
    bound.emplace(*parts, ObservationMap::Identity(2), Data(), cut, kFixed, point ? 1 : 3);
    Numbers numbers(32);
    Values values(parts->layout().value_size());
    for (const ParameterBlock& block : parts->layout().blocks()) {
      Fill(block, numbers, std::span(values).subspan(block.value_offset, block.value_size));
    }
    flat.resize(parts->layout().flat_size());
    parts->layout().Unconstrain(values, flat);
    bound->Choose(bound->AllSegments());
    bound->SampleNormals(24, 5, pool);
  }

  BoundTerms Evaluate(std::span<const double> at, std::span<double> gradient = {}) {
    Values values(parts->layout().value_size());
    parts->layout().Constrain(at, values);
    Values bvalues(gradient.empty() ? 0 : values.size(), 0.0);
    const BoundTerms terms = bound->Evaluate(values, {.scale = 0.4}, bvalues, pool);
    if (!gradient.empty()) parts->layout().ConstrainPullback(values, bvalues, gradient);
    return terms;
  }

  std::optional<ModelParts> parts;
  std::optional<Bound> bound;
  Values flat;
  ThreadPool pool{1};

 private:
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
};

class AnyChoice : public testing::TestWithParam<Choice> {};

TEST_P(AnyChoice, GradientIsTheDerivative) {
  AnyBound any(GetParam());
  Values gradient(any.flat.size(), 0.0);
  EXPECT_EQ(any.Evaluate(any.flat, gradient).diverged, 0u);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) { return any.Evaluate(at).Total(); }, any.flat, gradient);
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_NE(gradient[i], 0) << "no parameter is without effect: " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Choices, AnyChoice,
    testing::Values(Choice{"network", "blocks", 0}, Choice{"network", "blocks", 1},
                    Choice{"network", "point", 0}, Choice{"network", "point", 1},
                    Choice{"process", "point", 0}, Choice{"process", "point", 1},
                    Choice{"process", "normals", 0}, Choice{"process", "normals", 1},
                    Choice{"network", "normals", 1}));

// Up to constants, the bound of a point estimate on whole trajectories is
// log p(y | x0, f) + log p(x0) + log p(f). The test computes these three terms one by one.
TEST(Families, TheBoundOfAPointEstimateIsALogDensity) {
  AnyBound any({"network", "point", 0});
  const BoundTerms terms = any.Evaluate(any.flat);
  const auto half_square = [&](std::string_view name) {
    const ParameterBlock& b = any.parts->layout().Find(name);
    double sum = 0;
    for (std::size_t i = 0; i < b.flat_size; ++i) {
      sum += any.flat[b.flat_offset + i] * any.flat[b.flat_offset + i];
    }
    return 0.5 * sum;
  };
  EXPECT_NEAR(terms.kl_u, 0.7 * half_square("weight_mean"), 1e-12);
  EXPECT_NEAR(terms.kl_x0, half_square("x0_mean"), 1e-12);
  EXPECT_EQ(terms.entropy, 0);
  EXPECT_NEAR(terms.Total(), terms.loglik - terms.kl_u - terms.kl_x0, 1e-12);
}

TEST(Families, ThePriorOfHyperparametersIsADensityOfLogarithms) {
  AnyBound any({"process", "point", 0});
  const double before = any.Evaluate(any.flat).kl_u;
  const ParameterBlock& block = any.parts->layout().Find("variances");
  const double was = any.flat[block.flat_offset];
  any.flat[block.flat_offset] = 0;  // a value of one, which is the centre of the prior
  const double after = any.Evaluate(any.flat).kl_u;
  EXPECT_NEAR(before - after, 0.5 * was * was, 1e-10);
}

TEST(Families, ScalesOfWeightsAreThoseOfThePrior) {
  const Vector scales = WeightScales(2, {8}, 2, 3.0);
  ASSERT_EQ(scales.size(), 2 * 8 + 8 + 8 * 2 + 2);
  EXPECT_NEAR(scales[0], 3 / std::numbers::sqrt2, 1e-12);
  EXPECT_EQ(scales[2 * 8], 1);                              // a bias
  EXPECT_NEAR(scales[2 * 8 + 8], 3 / std::sqrt(8), 1e-12);  // a weight of the output layer
  EXPECT_EQ(scales[scales.size() - 1], 1);
}

// Returns the layout of two items with two latent variables each.
LatentLayout TwoItems(LatentPrior prior) {
  LatentLayout latent;
  latent.Add({.name = "a", .items = 2, .size = 2, .prior = prior});
  return latent;
}

// The draws have the mean and the deviation that Initialise has set.
TEST(Families, DrawsHaveTheMomentsOfTheParameters) {
  const LatentLayout latent = TwoItems(LatentPrior::kStandardNormal);
  const Values mean = {0.5, -1, 2, 0.1}, deviation = {0.2, 0.4, 0.1, 0.3};
  for (const char* family : {"blocks", "normals"}) {
    ParameterLayout layout;
    const auto posterior = GetPosteriorFamily(family).Make(latent, layout);
    Values values(layout.value_size());
    posterior->Initialise(mean, deviation, values);
    constexpr int kDraws = 4000;
    Values z(4), normals(4), sum(4, 0.0), squares(4, 0.0);
    const std::vector<LatentRange> all = {latent.Whole(0)};
    for (std::uint64_t s = 0; s < kDraws; ++s) {
      latent.SampleNormals(3, 1, s, all, normals);
      posterior->Draw(values, normals, all, z);
      for (std::size_t i = 0; i < 4; ++i) sum[i] += z[i], squares[i] += z[i] * z[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const double m = sum[i] / kDraws, d = std::sqrt(squares[i] / kDraws - m * m);
      EXPECT_NEAR(m, mean[i], 4 * deviation[i] / std::sqrt(kDraws)) << family;
      EXPECT_NEAR(d / deviation[i], 1, 4 / std::sqrt(2.0 * kDraws)) << family;
    }
  }
}

// With diagonal covariances, both Gaussian families are the same distribution.
TEST(Families, DivergencesAgreeOnDiagonalCovariances) {
  for (LatentPrior prior : {LatentPrior::kStandardNormal, LatentPrior::kFlat}) {
    const LatentLayout latent = TwoItems(prior);
    const Values mean = {0.5, -1, 2, 0.1}, deviation = {0.2, 0.4, 0.1, 0.3};
    std::vector<double> found;
    for (const char* family : {"blocks", "normals"}) {
      ParameterLayout layout;
      const auto posterior = GetPosteriorFamily(family).Make(latent, layout);
      Values values(layout.value_size());
      posterior->Initialise(mean, deviation, values);
      found.push_back(posterior->Divergence(values, latent.Whole(0), -1, {}));
    }
    EXPECT_NEAR(found[0], found[1], 1e-12);
    double expected = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double s = deviation[i], m = mean[i];
      expected += prior == LatentPrior::kFlat
                      ? -0.5 * std::log(2 * std::numbers::pi * std::numbers::e * s * s)
                      : 0.5 * (s * s + m * m - 1) - std::log(s);
    }
    EXPECT_NEAR(found[0], expected, 1e-12);
  }
}

}  // namespace
}  // namespace gpode
