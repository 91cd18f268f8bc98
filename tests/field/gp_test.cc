// Tests of draws from q(f): consistency as a Function, moments, gradients and failures. The golden
// test compares the values themselves.
#include "gpode/gp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "support/field_harness.h"
#include "support/message_of.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Flatten;
using testing_support::MessageOf;
using testing_support::Numbers;
using testing_support::RandomGp;
using testing_support::RandomGpOf;
using testing_support::Unflatten;

constexpr std::size_t kFeatures = 19;  // not a multiple of the SIMD block size
constexpr double kGradientTolerance = 1e-7;

SparseGp MakeGp(const std::string& kernel, const GpParameters& parameters) {
  SparseGp gp(GetKernel(kernel));
  EXPECT_EQ(gp.Set(parameters), FactorStatus::kOk);
  return gp;
}

// The weighted sum of a draw's values at some points, as a function of the process's flat
// parameters, and its gradient.
struct WeightedSum {
  const Kernel& kernel;
  GpParameters shape;
  Matrix points;
  Matrix weights;
  std::size_t features = kFeatures;

  double Value(std::span<const double> flat) const {
    SparseGp gp(kernel);
    if (gp.Set(Unflatten(flat, shape)) != FactorStatus::kOk) return NAN;
    GpDraw draw(gp, features);
    draw.Set(gp, SampleGpNormals(gp, features, 5, 6, 7));
    return Evaluate(draw, points).cwiseProduct(weights).sum();
  }

  std::vector<double> Gradient() const {
    SparseGp gp(kernel);
    EXPECT_EQ(gp.Set(shape), FactorStatus::kOk);
    GpDraw draw(gp, features);
    const GpNormals normals = SampleGpNormals(gp, features, 5, 6, 7);
    draw.Set(gp, normals);
    const std::span<const double> x(points.data(), points.size());
    std::vector<double> f(weights.size()), bx(x.size());
    std::vector<double> record(points.rows() * draw.record_size()), sums(draw.parameter_count());
    draw.Record(x, f, record);
    draw.Pullback(x, record, {weights.data(), f.size()}, bx, sums);
    GpGradient gradient(shape);
    draw.PullbackToGp(gp, normals, sums, gradient);
    gp.FinishGradient(gradient);
    return Flatten(gradient.parameters);
  }
};

class GpDrawTest : public ::testing::TestWithParam<std::tuple<std::string, int, bool>> {};

TEST_P(GpDrawTest, PullbackToEveryParameterEqualsFiniteDifferences) {
  const auto& [kernel, dim, shared] = GetParam();
  const GpParameters parameters = RandomGp(10 + dim, dim, 6, shared);
  Numbers numbers(3);
  const WeightedSum sum{GetKernel(kernel), parameters, numbers.Normals(3, dim, 1.2),
                        numbers.Normals(3, dim)};
  const GradientCheck check =
      CheckGradient([&](std::span<const double> flat) { return sum.Value(flat); },
                    Flatten(parameters), sum.Gradient());
  EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
}

TEST_P(GpDrawTest, IsAConsistentFunction) {
  const auto& [kernel, dim, shared] = GetParam();
  const SparseGp gp = MakeGp(kernel, RandomGp(20 + dim, dim, dim == 1 ? 4 : 11, shared));
  GpDraw draw(gp, kFeatures);
  draw.Set(gp, SampleGpNormals(gp, kFeatures, 1, 2, 3));
  Numbers numbers(4);
  const Matrix points = numbers.Normals(5, dim, 1.5);
  ExpectPointsConsistent(draw, points);
}

// Processes whose numbers of inputs and outputs differ.
class GpDrawShapeTest : public ::testing::TestWithParam<std::tuple<std::string, int, int, bool>> {
 protected:
  GpParameters Parameters() const {
    const auto& [kernel, inputs, outputs, shared] = GetParam();
    return RandomGpOf(80 + inputs, inputs, outputs, 6, shared);
  }
};

TEST_P(GpDrawShapeTest, PullbackToEveryParameterEqualsFiniteDifferences) {
  const auto& [kernel, inputs, outputs, shared] = GetParam();
  Numbers numbers(3);
  const WeightedSum sum{GetKernel(kernel), Parameters(), numbers.Normals(3, inputs, 1.2),
                        numbers.Normals(3, outputs)};
  const GradientCheck check =
      CheckGradient([&](std::span<const double> flat) { return sum.Value(flat); },
                    Flatten(Parameters()), sum.Gradient());
  EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
}

TEST_P(GpDrawShapeTest, IsAConsistentFunction) {
  const auto& [kernel, inputs, outputs, shared] = GetParam();
  const SparseGp gp = MakeGp(kernel, Parameters());
  EXPECT_EQ(gp.inputs(), static_cast<std::size_t>(inputs));
  EXPECT_EQ(gp.outputs(), static_cast<std::size_t>(outputs));
  for (FeaturePrecision precision : {FeaturePrecision::kDouble, FeaturePrecision::kFloat}) {
    GpDraw draw(gp, kFeatures, precision);
    draw.Set(gp, SampleGpNormals(gp, kFeatures, 1, 2, 3));
    Numbers numbers(4);
    if (precision == FeaturePrecision::kDouble) {
      ExpectPointsConsistent(draw, numbers.Normals(5, inputs, 1.5));
    } else {
      const Matrix f = Evaluate(draw, numbers.Normals(5, inputs, 1.5));
      EXPECT_EQ(f.cols(), outputs);
      EXPECT_TRUE(f.allFinite());
    }
  }
}

TEST_P(GpDrawShapeTest, EachOutputIsTheDrawOfAProcessWithThatOutputAlone) {
  const auto& [kernel, inputs, outputs, shared] = GetParam();
  const GpParameters all = Parameters();
  const SparseGp gp = MakeGp(kernel, all);
  const GpNormals normals = SampleGpNormals(gp, kFeatures, 1, 2, 3);
  GpDraw draw(gp, kFeatures);
  draw.Set(gp, normals);
  Numbers numbers(5);
  const Matrix points = numbers.Normals(4, inputs), f = Evaluate(draw, points);
  for (int d = 0; d < outputs; ++d) {
    const int row = shared ? 0 : d;
    const GpParameters one{.inducing_locations = all.inducing_locations,
                           .inducing_mean = all.inducing_mean.row(d),
                           .inducing_chol = {all.inducing_chol[d]},
                           .lengthscales = all.lengthscales.row(row),
                           .variances = all.variances.segment(row, 1)};
    const SparseGp alone = MakeGp(kernel, one);
    const auto part = [&](const std::vector<double>& v) {
      const std::size_t size = v.size() / outputs;
      return std::vector<double>(v.begin() + d * size, v.begin() + (d + 1) * size);
    };
    GpDraw own(alone, kFeatures);
    own.Set(alone, {part(normals.eps_omega), part(normals.w_cos), part(normals.w_sin),
                    part(normals.eps_u)});
    EXPECT_LT((Evaluate(own, points) - f.col(d)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((alone.Mean(points) - gp.Mean(points).col(d)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((alone.Variance(points) - gp.Variance(points).col(d)).cwiseAbs().maxCoeff(), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpDrawShapeTest,
                         ::testing::Combine(::testing::Values("squared-exponential", "matern52"),
                                            ::testing::Values(2, 3), ::testing::Values(1, 5),
                                            ::testing::Bool()));

INSTANTIATE_TEST_SUITE_P(AllKernels, GpDrawTest,
                         ::testing::Combine(::testing::ValuesIn(KernelNames()),
                                            ::testing::Values(1, 2, 3, 5, 8), ::testing::Bool()),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + "_D" +
                                              std::to_string(std::get<1>(test.param)) +
                                              (std::get<2>(test.param) ? "_shared" : "_own");
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GpDrawAloneTest, ManyDrawsShareOneFactorPullback) {
  const GpParameters parameters = RandomGp(31, 2, 5);
  SparseGp gp = MakeGp("squared-exponential", parameters);
  Numbers numbers(5);
  const Matrix points = numbers.Normals(2, 2), weights = numbers.Normals(2, 2);
  GpGradient together(parameters);
  std::vector<double> separate(Flatten(parameters).size());
  for (std::uint64_t sample = 0; sample < 3; ++sample) {
    GpDraw draw(gp, kFeatures);
    const GpNormals normals = SampleGpNormals(gp, kFeatures, 5, 6, sample);
    draw.Set(gp, normals);
    std::vector<double> f(4), bx(4), record(2 * draw.record_size()), sums(draw.parameter_count());
    draw.Record({points.data(), 4}, f, record);
    draw.Pullback({points.data(), 4}, record, {weights.data(), 4}, bx, sums);
    draw.PullbackToGp(gp, normals, sums, together);
    GpGradient alone(parameters);
    draw.PullbackToGp(gp, normals, sums, alone);
    gp.FinishGradient(alone);
    const std::vector<double> flat = Flatten(alone.parameters);
    for (std::size_t i = 0; i < flat.size(); ++i) separate[i] += flat[i];
  }
  gp.FinishGradient(together);
  const std::vector<double> flat = Flatten(together.parameters);
  for (std::size_t i = 0; i < flat.size(); ++i) EXPECT_NEAR(flat[i], separate[i], 1e-9);
}

TEST(GpDrawAloneTest, FloatFeaturesAreCloseToDouble) {
  const SparseGp gp = MakeGp("squared-exponential", RandomGp(40, 3, 9));
  const GpNormals normals = SampleGpNormals(gp, 64, 1, 1, 1);
  GpDraw exact(gp, 64), rounded(gp, 64, FeaturePrecision::kFloat);
  exact.Set(gp, normals);
  rounded.Set(gp, normals);
  Numbers numbers(6);
  const Matrix points = numbers.Normals(20, 3, 2.0);
  const Matrix difference = Evaluate(exact, points) - Evaluate(rounded, points);
  // The weights nu of the update solve a linear system with the kernel matrix, which magnifies the
  // rounding errors of the prior at the inducing locations.
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT(difference.cwiseAbs().maxCoeff(), 0.0);
}

TEST(GpDrawAloneTest, PassesThroughTheInducingValues) {
  GpParameters parameters = RandomGp(41, 2, 7);
  SparseGp gp(GetKernel("matern52"), 1e-10);
  ASSERT_EQ(gp.Set(parameters), FactorStatus::kOk);
  const GpNormals normals = SampleGpNormals(gp, 32, 9, 9, 9);
  GpDraw draw(gp, 32);
  draw.Set(gp, normals);
  const Matrix f = Evaluate(draw, parameters.inducing_locations);
  for (int d = 0; d < 2; ++d) {
    const Eigen::Map<const Vector> eps(normals.eps_u.data() + d * 7, 7);
    const Vector white =
        parameters.inducing_mean.row(d).transpose() + parameters.inducing_chol[d] * eps;
    const Vector u = gp.Factor(d) * white;
    EXPECT_LT((f.col(d) - u).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(GpDrawAloneTest, FarAndNotFinitePointsDoNotCrash) {
  const SparseGp gp = MakeGp("squared-exponential", RandomGp(42, 2, 5));
  GpDraw draw(gp, kFeatures);
  draw.Set(gp, SampleGpNormals(gp, kFeatures, 1, 1, 1));
  Matrix points(4, 2);
  points << 1e12, -1e9, 1e300, 0, NAN, 1, INFINITY, 0;
  const Matrix f = Evaluate(draw, points);
  EXPECT_TRUE(f.topRows(1).allFinite());
  EXPECT_TRUE(std::isnan(f(2, 0)));
  EXPECT_TRUE(std::isnan(f(3, 0)));
}

TEST(GpDrawAloneTest, WrongShapesAreNamed) {
  const SparseGp gp = MakeGp("squared-exponential", RandomGp(43, 2, 5));
  GpDraw draw(gp, kFeatures);
  GpNormals normals = SampleGpNormals(gp, kFeatures, 1, 1, 1);
  normals.w_cos.pop_back();
  try {
    draw.Set(gp, normals);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "GpDraw::Set: normals.w_cos has 37 values, must have 38");
  }
}

// Returns the process without q(v). A posterior family that draws the inducing values itself uses
// such a process.
GpParameters WithoutInducingValues(GpParameters p) {
  p.inducing_mean.resize(p.inducing_mean.rows(), 0);
  p.inducing_chol.clear();
  return p;
}

TEST(WhitenedDrawTest, GivenValuesMakeTheSameDrawAsDrawnOnes) {
  for (bool shared : {false, true}) {
    const GpParameters parameters = RandomGpOf(90, 2, 3, 5, shared);
    const SparseGp gp = MakeGp("matern52", parameters);
    const SparseGp bare = MakeGp("matern52", WithoutInducingValues(parameters));
    ASSERT_EQ(bare.outputs(), 3u);
    GpNormals normals = SampleGpNormals(gp, kFeatures, 1, 2, 3);
    std::vector<double> white(3 * 5);
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t i = 0; i < 5; ++i) {
        white[d * 5 + i] = parameters.inducing_mean(d, i);
        for (std::size_t j = 0; j <= i; ++j) {
          white[d * 5 + i] += parameters.inducing_chol[d](i, j) * normals.eps_u[d * 5 + j];
        }
      }
    }
    GpDraw drawn(gp, kFeatures), given(bare, kFeatures);
    drawn.Set(gp, normals);
    normals.eps_u.clear();
    given.Set(bare, white, normals);
    Numbers numbers(6);
    const Matrix points = numbers.Normals(4, 2);
    EXPECT_LT((Evaluate(drawn, points) - Evaluate(given, points)).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(WhitenedDrawTest, PullbackToValuesAndHyperparametersEqualsFiniteDifferences) {
  for (bool shared : {false, true}) {
    const GpParameters shape = WithoutInducingValues(RandomGpOf(91, 3, 2, 5, shared));
    Numbers numbers(7);
    const Matrix points = numbers.Normals(3, 3), weights = numbers.Normals(3, 2);
    const Matrix white = numbers.Normals(2, 5);
    std::vector<double> flat = Flatten(shape);
    const std::size_t count = flat.size();
    flat.insert(flat.end(), white.data(), white.data() + white.size());
    const auto set = [&](std::span<const double> at, SparseGp& gp) {
      ASSERT_EQ(gp.Set(Unflatten(at.first(count), shape)), FactorStatus::kOk);
    };
    const auto value = [&](std::span<const double> at) {
      SparseGp gp(GetKernel("squared-exponential"));
      set(at, gp);
      GpDraw draw(gp, kFeatures);
      draw.Set(gp, at.subspan(count), SampleGpNormals(gp, kFeatures, 5, 6, 7));
      return Evaluate(draw, points).cwiseProduct(weights).sum();
    };
    SparseGp gp(GetKernel("squared-exponential"));
    set(flat, gp);
    GpDraw draw(gp, kFeatures);
    draw.Set(gp, std::span(flat).subspan(count), SampleGpNormals(gp, kFeatures, 5, 6, 7));
    const std::vector<double> sums =
        harness::RecordAndPullback(draw, {points.data(), 9}, {weights.data(), 6}).bparameters;
    GpGradient gradient(shape);
    std::vector<double> bwhite(10, 3.5);  // PullbackRow must overwrite these values.
    for (std::size_t row = 0; row < gp.hyper_rows(); ++row) {
      draw.PullbackRow(gp, sums, row, gradient, bwhite);
    }
    gp.FinishGradient(gradient);
    std::vector<double> all = Flatten(gradient.parameters);
    all.insert(all.end(), bwhite.begin(), bwhite.end());
    const GradientCheck check = CheckGradient(value, flat, all);
    EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
  }
}

TEST(WhitenedDrawTest, WithoutInducingValuesMomentsAreAnError) {
  const SparseGp gp = MakeGp("matern32", WithoutInducingValues(RandomGp(92, 2, 4)));
  const std::string needs = " the process has no inducing_mean and inducing_chol, which this needs";
  EXPECT_EQ(MessageOf([&] { gp.Mean(Matrix::Zero(1, 2)); }), "SparseGp::Mean:" + needs);
  EXPECT_EQ(MessageOf([&] { gp.Variance(Matrix::Zero(1, 2)); }), "SparseGp::Variance:" + needs);
  EXPECT_EQ(MessageOf([&] { gp.Covariance(Matrix::Zero(1, 2), 0); }),
            "SparseGp::Covariance:" + needs);
  GpDraw draw(gp, kFeatures);
  EXPECT_EQ(MessageOf([&] { draw.Set(gp, SampleGpNormals(gp, kFeatures, 1, 2, 3)); }),
            "GpDraw::Set: gp has no inducing_mean: give the whitened inducing values");
}

TEST(SparseGpTest, CovarianceAgreesWithVarianceAndIsTheKernelUnderThePrior) {
  GpParameters parameters = RandomGp(51, 2, 6);
  Numbers numbers(7);
  const Matrix points = numbers.Normals(5, 2);
  const SparseGp gp = MakeGp("matern32", parameters);
  const Matrix variance = gp.Variance(points);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_LT((gp.Covariance(points, d).diagonal() - variance.col(d)).cwiseAbs().maxCoeff(), 1e-12);
  }
  parameters.inducing_mean.setZero();
  for (Matrix& chol : parameters.inducing_chol) chol.setIdentity();
  const SparseGp prior = MakeGp("matern32", parameters);
  const Matrix kernel = KernelMatrix(prior.kernel(), prior.Hyper(1), points, points);
  EXPECT_LT((prior.Covariance(points, 1) - kernel).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SparseGpTest, JitterGrowsWhenInducingPointsCoincideAndIsReported) {
  GpParameters parameters = RandomGp(52, 2, 30);
  for (int m = 1; m < 30; ++m) {
    parameters.inducing_locations.row(m) = parameters.inducing_locations.row(0);
  }
  SparseGp gp(GetKernel("squared-exponential"), 0.0);
  EXPECT_EQ(gp.Set(parameters), FactorStatus::kOk);
  EXPECT_GT(gp.jitter(0), 0.0);
  EXPECT_TRUE(gp.Factor(0).allFinite());
}

TEST(SparseGpTest, BadParametersAreNamed) {
  const auto message = [](auto change) {
    GpParameters parameters = RandomGp(53, 2, 3);
    change(parameters);
    SparseGp gp(GetKernel("squared-exponential"));
    try {
      gp.Set(parameters);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(message([](GpParameters& p) { p.lengthscales(1, 0) = -2; }),
            "SparseGp::Set: lengthscales[2] is -2, must be positive and finite");
  EXPECT_EQ(message([](GpParameters& p) { p.variances[0] = NAN; }),
            "SparseGp::Set: variances[0] is nan, must be positive and finite");
  EXPECT_EQ(message([](GpParameters& p) { p.inducing_mean.resize(2, 4); }),
            "SparseGp::Set: inducing_mean is (2, 4), must be (2, 3)");
  EXPECT_EQ(message([](GpParameters& p) { p.inducing_chol.pop_back(); }),
            "SparseGp::Set: inducing_chol has 1 values, must have 2");
}

}  // namespace
}  // namespace gpode
