#include "model/bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using Values = std::vector<double>;

constexpr double kGradientTolerance = 1e-7;
constexpr std::size_t kDim = 2, kChannels = 3, kInducing = 4, kDraws = 3, kFeatures = 12;
// Fixed steps do not depend on the parameters, so that finite differences see the same steps as the
// adjoint.
const SolverOptions kFixed{.method = Method::kRungeKutta4, .fixed_step = 0.1};

// Returns two trajectories with missing values. The second one starts before its first observation.
std::vector<TimedValues> SmallData() {
  Numbers numbers(21);
  std::vector<TimedValues> data = {{{0, 0.4, 0.7, 1.2}, numbers.Normals(4, kChannels)},
                                   {{0.3, 0.6, 1.1}, numbers.Normals(3, kChannels)}};
  data[0].values(1, 2) = NAN;
  data[0].values.row(2).setConstant(NAN);
  data[1].values(0, 0) = NAN;
  return data;
}

FitOptions SmallOptions() {
  FitOptions options;
  options.inducing = kInducing;
  options.features = kFeatures;
  return options;
}

// The bound of a random model with more channels than states, and the parameters at which it is
// evaluated.
struct SmallBound {
  std::optional<ModelParts> parts;
  std::optional<Bound> bound;
  Values flat;
  Tolerance tolerance{.scale = 0.4};
  ThreadPool pool{1};

  explicit SmallBound(std::size_t gaps, const SolverOptions& solver = kFixed) {
    Numbers numbers(22);
    const Segmentation cut = CutIntoSegments(SmallData(), gaps);
    parts.emplace(SmallOptions(), ModelShape{.dim = kDim,
                                             .channels = kChannels,
                                             .trajectories = 2,
                                             .shooting_states = cut.shooting_states});
    const ObservationMap map{numbers.Normals(kChannels, kDim), numbers.Normals(kChannels, 1)};
    bound.emplace(*parts, map, SmallData(), cut, solver, kDraws);
    Values values(parts->layout().value_size());
    PutGp(testing_support::RandomGp(23, kDim, kInducing), values);
    for (double& v : Block("noise_variance", values)) v = numbers.Uniform(0.2, 0.8);
    FillStates("x0", numbers, values);
    FillStates("state", numbers, values);
    flat.resize(parts->layout().flat_size());
    parts->layout().Unconstrain(values, flat);
    bound->Choose(bound->AllSegments());
    bound->SampleNormals(24, 5, pool);
  }

  std::span<double> Block(std::string_view name, std::span<double> values) const {
    return parts->layout().Values(parts->layout().Index(name), values);
  }

  void PutGp(const GpParameters& gp, std::span<double> values) const {
    const auto put = [&](std::string_view name, const auto& from, std::size_t at = 0) {
      std::copy_n(from.data(), from.size(), Block(name, values).begin() + at);
    };
    put("inducing_locations", gp.inducing_locations);
    put("inducing_mean", gp.inducing_mean);
    for (std::size_t d = 0; d < gp.inducing_chol.size(); ++d) {
      put("inducing_chol", gp.inducing_chol[d], d * gp.inducing_chol[d].size());
    }
    put("lengthscales", gp.lengthscales);
    put("variances", gp.variances);
  }

  void FillStates(const std::string& part, Numbers& numbers, Values& values) const {
    for (double& v : Block(part + "_mean", values)) v = numbers.Normal();
    const std::span<double> factors = Block(part + "_chol", values);
    for (std::size_t at = 0; at < factors.size(); at += kDim * kDim) {
      factors[at] = numbers.Uniform(0.1, 0.4);
      factors[at + kDim] = numbers.Uniform(-0.3, 0.3);
      factors[at + kDim + 1] = numbers.Uniform(0.1, 0.4);
    }
  }

  Values Constrained(std::span<const double> at) const {
    Values values(parts->layout().value_size());
    parts->layout().Constrain(at, values);
    return values;
  }

  BoundTerms Evaluate(const SegmentChoice& choice, std::span<double> gradient, ThreadPool& with) {
    bound->ForgetStepSizes();
    bound->Choose(choice);
    const Values values = Constrained(flat);
    Values bvalues(gradient.empty() ? 0 : values.size(), 0.0);
    const BoundTerms terms = bound->Evaluate(values, tolerance, bvalues, with);
    if (!gradient.empty()) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      parts->layout().ConstrainPullback(values, bvalues, gradient);
    }
    return terms;
  }

  double ValueAt(std::span<const double> at) {
    bound->Choose(bound->AllSegments());
    return bound->Evaluate(Constrained(at), tolerance, {}, pool).Total();
  }

  void ExpectGradientIsDerivative(const GradientCheckOptions& options = {}) {
    Values gradient(flat.size());
    const BoundTerms terms = Evaluate(bound->AllSegments(), gradient, pool);
    EXPECT_EQ(terms.diverged, 0u);
    const GradientCheck check = CheckGradient(
        [&](std::span<const double> at) { return ValueAt(at); }, flat, gradient, options);
    EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      EXPECT_NE(gradient[i], 0.0) << "no parameter is without effect: " << i;
    }
  }
};

class BoundWithGaps : public testing::TestWithParam<std::size_t> {};

TEST_P(BoundWithGaps, GradientIsTheDerivative) {
  SmallBound(GetParam()).ExpectGradientIsDerivative({.levels = 6});
}

TEST_P(BoundWithGaps, GradientIsTheDerivativeWithLaplaceTolerance) {
  SmallBound small(GetParam());
  small.tolerance.prior = TolerancePrior::kLaplace;
  // A Laplace prior has a kink where a gap is zero, so that the steps must be too small for any gap
  // to change its sign.
  small.ExpectGradientIsDerivative({.initial_step = 0.005, .levels = 5});
}

TEST_P(BoundWithGaps, GradientIsTheDerivativeWithChannelWeights) {
  SmallBound small(GetParam());
  small.bound->channel_weights = {0.4, 1.7, 0.9};
  small.ExpectGradientIsDerivative({.levels = 6});
}

// The log likelihood is a sum over channels, which are weighted. No other term of the bound has
// weights.
TEST_P(BoundWithGaps, ChannelWeightsScaleTheLikelihoodAlone) {
  SmallBound small(GetParam());
  const SegmentChoice all = small.bound->AllSegments();
  const BoundTerms plain = small.Evaluate(all, {}, small.pool);
  double sum = 0;
  for (const Values& weights : {Values{1, 0, 0}, Values{0, 1, 0}, Values{0, 0, 1}}) {
    small.bound->channel_weights = weights;
    const BoundTerms terms = small.Evaluate(all, {}, small.pool);
    EXPECT_EQ(terms.constraint, plain.constraint);
    EXPECT_EQ(terms.kl_u, plain.kl_u);
    EXPECT_NE(terms.loglik, plain.loglik);
    sum += terms.loglik;
  }
  EXPECT_NEAR(sum, plain.loglik, 1e-12 * std::fabs(plain.loglik));
}

// Observations that an integration does not reach are weighted, too.
TEST(Bound, ChannelWeightsScaleWhatWasNotReached) {
  SmallBound small(0, {.rtol = 1e-10, .atol = 1e-10, .max_steps = 1});
  const SegmentChoice all = small.bound->AllSegments();
  const double plain = small.Evaluate(all, {}, small.pool).loglik;
  small.bound->channel_weights = {0.25, 0.25, 0.25};
  const BoundTerms terms = small.Evaluate(all, {}, small.pool);
  EXPECT_EQ(terms.diverged, kDraws * small.bound->segments());
  EXPECT_NEAR(terms.loglik, 0.25 * plain, 1e-12 * std::fabs(plain));
}

TEST_P(BoundWithGaps, ValueIsTheSameWithoutGradient) {
  SmallBound small(GetParam());
  Values gradient(small.flat.size());
  const SegmentChoice all = small.bound->AllSegments();
  const BoundTerms with = small.Evaluate(all, gradient, small.pool);
  const BoundTerms without = small.Evaluate(all, {}, small.pool);
  EXPECT_EQ(with.Total(), without.Total());
  EXPECT_EQ(with.loglik, without.loglik);
}

TEST_P(BoundWithGaps, SameBitsForAnyNumberOfThreads) {
  SmallBound small(GetParam(), {.rtol = 1e-6, .atol = 1e-6});
  const SegmentChoice all = small.bound->AllSegments();
  Values expected(small.flat.size()), gradient(small.flat.size());
  const double value = small.Evaluate(all, expected, small.pool).Total();
  const Values hints = small.bound->Checkpoint();
  for (std::size_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(small.Evaluate(all, gradient, pool).Total(), value) << threads << " threads";
    EXPECT_EQ(gradient, expected) << threads << " threads";
    EXPECT_EQ(small.bound->Checkpoint(), hints) << threads << " threads";
  }
}

// The mean over all minibatches of one segment each is the bound of all segments.
TEST_P(BoundWithGaps, MinibatchesAreUnbiased) {
  SmallBound small(GetParam());
  const std::size_t count = small.bound->segments();
  Values whole(small.flat.size()), part(small.flat.size()), mean(small.flat.size(), 0.0);
  const BoundTerms expected = small.Evaluate(small.bound->AllSegments(), whole, small.pool);
  BoundTerms sum;
  for (std::size_t i = 0; i < count; ++i) {
    const SegmentChoice one{.segments = {i}, .weight = static_cast<double>(count)};
    const BoundTerms terms = small.Evaluate(one, part, small.pool);
    sum.loglik += terms.loglik;
    sum.constraint += terms.constraint;
    sum.entropy += terms.entropy;
    sum.kl_x0 += terms.kl_x0;
    EXPECT_EQ(terms.kl_u, expected.kl_u);
    for (std::size_t k = 0; k < part.size(); ++k) mean[k] += part[k] / static_cast<double>(count);
  }
  const double n = static_cast<double>(count);
  EXPECT_NEAR(sum.loglik / n, expected.loglik, 1e-11 * std::fabs(expected.loglik));
  EXPECT_NEAR(sum.constraint / n, expected.constraint, 1e-11 * std::fabs(expected.constraint));
  EXPECT_NEAR(sum.entropy / n, expected.entropy, 1e-12 * std::fabs(expected.entropy));
  EXPECT_NEAR(sum.kl_x0 / n, expected.kl_x0, 1e-12 * std::fabs(expected.kl_x0));
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_NEAR(mean[k], whole[k], 1e-10 * (1 + std::fabs(whole[k]))) << k;
  }
}

// A minibatch uses the same normals as a step with all segments. Parameters of states that it does
// not touch may have any value, here NaN.
TEST_P(BoundWithGaps, AMinibatchDependsOnTheStatesThatItTouches) {
  SmallBound small(GetParam());
  const SegmentChoice one{.segments = {1}, .weight = 3};
  Values values = small.Constrained(small.flat), expected(values.size()), gradient(values.size());
  small.bound->Choose(one);
  const double whole = small.bound->Evaluate(values, small.tolerance, expected, small.pool).Total();

  std::vector<TouchedParameters> touched;
  small.parts->FindParameters(small.bound->touched(), touched);
  std::vector<bool> active(values.size(), false);
  for (const TouchedParameters& parameters : touched) {
    const Stretch at = small.parts->layout().ValuesOf(parameters.range);
    std::fill_n(active.begin() + at.offset, at.size, true);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!active[i]) values[i] = NAN;
  }
  for (std::size_t s = 0; s < kDraws; ++s) std::ranges::fill(small.bound->normals(s), NAN);
  small.bound->SampleNormals(24, 5, small.pool);
  small.bound->ForgetStepSizes();
  EXPECT_EQ(small.bound->Evaluate(values, small.tolerance, gradient, small.pool).Total(), whole);
  EXPECT_EQ(gradient, expected);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(active[i] || gradient[i] == 0.0) << i;
  }
}

// Work items may be evaluated in any order and one by one, since each writes to a slot of its own.
TEST_P(BoundWithGaps, ItemsCanBeEvaluatedInAnyOrder) {
  SmallBound small(GetParam(), {.rtol = 1e-6, .atol = 1e-6});
  Values expected(small.flat.size());
  const BoundTerms whole = small.Evaluate(small.bound->AllSegments(), expected, small.pool);
  small.bound->ForgetStepSizes();
  const Values values = small.Constrained(small.flat);
  ASSERT_EQ(small.bound->Begin(values, small.tolerance, small.pool), FactorStatus::kOk);
  // The items are evaluated twice: in order by an evaluator, and in reverse order.
  ItemResults results;
  ThreadEvaluator().Evaluate(*small.bound, small.pool, results);
  const Values forwards = results.slots;
  const std::size_t size = small.bound->slot_size();
  std::ranges::fill(results.slots, NAN);
  for (std::size_t item = small.bound->items(); item-- > 0;) {
    small.bound->Sums(item, 0, std::span(results.slots).subspan(item * size, size));
  }
  EXPECT_EQ(results.slots, forwards);
  Values bvalues(values.size(), 0.0);
  EXPECT_EQ(small.bound->Finish(results, bvalues, small.pool).Total(), whole.Total());
  Values gradient(small.flat.size(), 0.0);
  small.parts->layout().ConstrainPullback(values, bvalues, gradient);
  EXPECT_EQ(gradient, expected);
}

INSTANTIATE_TEST_SUITE_P(Gaps, BoundWithGaps, testing::Values(0, 1, 2));

TEST(Bound, VanillaHasNoShootingTerms) {
  SmallBound small(0);
  const BoundTerms terms = small.Evaluate(small.bound->AllSegments(), {}, small.pool);
  EXPECT_EQ(small.bound->segments(), 2u);
  EXPECT_EQ(terms.constraint, 0.0);
  EXPECT_EQ(terms.entropy, 0.0);
  EXPECT_GT(terms.kl_u, 0.0);
  EXPECT_GT(terms.kl_x0, 0.0);
}

// Halving the scale of the tolerance multiplies the cost of a gap by four with a Gaussian prior and
// by two with a Laplace prior.
TEST(Bound, ToleranceIsTheDensityOfTheGap) {
  SmallBound small(1);
  const SegmentChoice all = small.bound->AllSegments();
  const double gaps = 4 * kDim;  // shooting states times components, on average over draws
  small.tolerance = {.prior = TolerancePrior::kGaussian, .scale = 0.5};
  const double log_normal = -std::log(0.5 * std::sqrt(2 * std::numbers::pi));
  const double half = small.Evaluate(all, {}, small.pool).constraint - gaps * log_normal;
  small.tolerance.scale = 1;
  const double one =
      small.Evaluate(all, {}, small.pool).constraint - gaps * (log_normal + std::log(0.5));
  EXPECT_LT(one, 0);
  EXPECT_NEAR(half, 4 * one, 1e-10 * std::fabs(half));
  small.tolerance = {.prior = TolerancePrior::kLaplace, .scale = 0.5};
  const double sharp = small.Evaluate(all, {}, small.pool).constraint + gaps * std::log(1.0);
  small.tolerance.scale = 1;
  const double wide = small.Evaluate(all, {}, small.pool).constraint + gaps * std::log(2.0);
  EXPECT_LT(wide, 0);
  EXPECT_NEAR(sharp, 2 * wide, 1e-10 * std::fabs(sharp));
}

// For both priors, d constraint / d log scale = n (gap - 1), where n is the number of components of
// all gaps.
TEST(Bound, GapIsTheDerivativeWithRespectToTheTolerance) {
  for (TolerancePrior prior : {TolerancePrior::kGaussian, TolerancePrior::kLaplace}) {
    for (double scale : {0.05, 0.4, 3.0}) {
      SmallBound small(1);
      const SegmentChoice all = small.bound->AllSegments();
      small.tolerance = {.prior = prior, .scale = scale};
      const BoundTerms terms = small.Evaluate(all, {}, small.pool);
      ASSERT_EQ(terms.diverged, 0u);
      const double components = static_cast<double>(small.parts->shape().shooting_states) * kDim;
      const Values gradient = {components * (terms.gap - 1)}, at = {std::log(scale)};
      const GradientCheck check = CheckGradient(
          [&](std::span<const double> log_scale) {
            small.tolerance.scale = std::exp(log_scale[0]);
            return small.Evaluate(all, {}, small.pool).constraint;
          },
          at, gradient);
      EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
    }
  }
}

// `gap` is a mean over components, so that the weight of a batch does not change it.
TEST(Bound, GapsOfMinibatchesAverageToThatOfTheWhole) {
  SmallBound small(1);
  const BoundTerms whole = small.Evaluate(small.bound->AllSegments(), {}, small.pool);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < small.bound->segments(); ++i) {
    if (small.bound->segmentation().segments[i].next == Segment::kNone) continue;
    sum += small.Evaluate({.segments = {i}, .weight = 7}, {}, small.pool).gap;
    ++count;
  }
  EXPECT_EQ(count, small.parts->shape().shooting_states);
  EXPECT_NEAR(sum / count, whole.gap, 1e-12 * whole.gap);
}

// Without gaps, `gap` must be one, which leaves the tolerance as it is. It was once zero, and a
// tolerance learnt from minibatches fell with each minibatch that had no gaps.
TEST(Bound, WithoutGapsTheToleranceFits) {
  SmallBound small(1);
  const std::size_t last = small.bound->segments() - 1;
  EXPECT_EQ(small.Evaluate({.segments = {last}, .weight = 5}, {}, small.pool).gap, 1.0);
  SmallBound vanilla(0);
  EXPECT_EQ(vanilla.Evaluate(vanilla.bound->AllSegments(), {}, vanilla.pool).gap, 1.0);
  SmallBound diverging(1, {.rtol = 1e-10, .atol = 1e-10, .max_steps = 1});
  EXPECT_EQ(diverging.Evaluate(diverging.bound->AllSegments(), {}, diverging.pool).gap, 1.0);
}

void ExpectAllFinite(SmallBound& small, std::size_t diverged) {
  Values gradient(small.flat.size());
  const BoundTerms terms = small.Evaluate(small.bound->AllSegments(), gradient, small.pool);
  EXPECT_EQ(terms.diverged, diverged);
  EXPECT_TRUE(std::isfinite(terms.Total())) << terms.loglik << " " << terms.constraint;
  EXPECT_TRUE(Eigen::Map<Vector>(gradient.data(), gradient.size()).allFinite());
}

TEST(Bound, IntegrationsThatNeedTooManyStepsAreCounted) {
  for (std::size_t gaps : {0, 1}) {
    SmallBound small(gaps, {.rtol = 1e-10, .atol = 1e-10, .max_steps = 1});
    // All segments fail: each has an observation after its start, which takes more than one step.
    ExpectAllFinite(small, kDraws * small.bound->segments());
  }
}

// The fields have values of about 1e4 to 1e150. The largest values once made the solver's first
// step zero and all states NaN.
TEST(Bound, DivergingFieldIsCountedAndGivesNoNaN) {
  for (std::size_t gaps : {0, 1}) {
    for (double variance : {1e8, 1e100, 1e300}) {
      SCOPED_TRACE(testing::Message() << "gaps " << gaps << ", variance " << variance);
      SmallBound small(gaps, {.rtol = 1e-6, .atol = 1e-6, .max_steps = 200});
      Values values = small.Constrained(small.flat);
      for (double& v : small.Block("variances", values)) v = variance;
      small.parts->layout().Unconstrain(values, small.flat);
      ExpectAllFinite(small, kDraws * small.bound->segments());
    }
  }
}

// A draw whose integration fails must have a lower likelihood than one that ends far from the
// observations.
TEST(Bound, ADivergedDrawDoesNotLookBetterThanABadOne) {
  const auto loglik = [](std::size_t max_steps) {
    SmallBound small(0, {.rtol = 1e-6, .atol = 1e-6, .max_steps = max_steps});
    const Values values = small.Constrained(small.flat);
    ThreadPool pool(1);
    const BoundTerms terms = small.bound->Evaluate(values, {}, {}, pool);
    EXPECT_EQ(terms.diverged > 0, max_steps == 1);
    return terms.loglik;
  };
  EXPECT_LT(loglik(1), loglik(10000));
}

TEST(Bound, DrawsMustBePositive) {
  const ModelParts parts(SmallOptions(), {.dim = 2, .channels = 2, .trajectories = 2});
  EXPECT_THROW(Bound(parts, ObservationMap::Identity(2), SmallData(),
                     CutIntoSegments(SmallData(), 0), kFixed, 0),
               InputError);
}

}  // namespace
}  // namespace gpode
