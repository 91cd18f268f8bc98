// Draws from q(f): consistency as a Field, moments, gradients, failures. The values themselves are
// held by the golden test.
#include "gpode/gp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/gradient_check.h"
#include "support/field_harness.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Flatten;
using testing_support::Numbers;
using testing_support::RandomGp;
using testing_support::Unflatten;

constexpr std::size_t kFeatures = 19;  // no multiple of a block
constexpr double kGradientTolerance = 1e-7;

SparseGp MakeGp(const std::string& kernel, const GpParameters& parameters) {
  SparseGp gp(GetKernel(kernel));
  EXPECT_EQ(gp.Set(parameters), FactorStatus::kOk);
  return gp;
}

// sum_i c_i f_i(points) as a function of the GP's flat parameters, and its gradient.
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
    const GpNormals noise = SampleGpNormals(gp, features, 5, 6, 7);
    draw.Set(gp, noise);
    const std::size_t size = points.size();
    std::vector<double> f(size), bx(size), record(points.rows() * draw.record_size());
    std::vector<double> sums(draw.parameter_count());
    draw.Record({points.data(), size}, f, record);
    draw.Pullback({points.data(), size}, record, {weights.data(), size}, bx, sums);
    GpGradient gradient(shape);
    draw.PullbackToGp(gp, noise, sums, gradient);
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

TEST_P(GpDrawTest, IsAConsistentField) {
  const auto& [kernel, dim, shared] = GetParam();
  const SparseGp gp = MakeGp(kernel, RandomGp(20 + dim, dim, dim == 1 ? 4 : 11, shared));
  GpDraw draw(gp, kFeatures);
  draw.Set(gp, SampleGpNormals(gp, kFeatures, 1, 2, 3));
  Numbers numbers(4);
  const Matrix points = numbers.Normals(5, dim, 1.5);
  ExpectStatesConsistent(draw, points);
}

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
    const GpNormals noise = SampleGpNormals(gp, kFeatures, 5, 6, sample);
    draw.Set(gp, noise);
    std::vector<double> f(4), bx(4), record(2 * draw.record_size()), sums(draw.parameter_count());
    draw.Record({points.data(), 4}, f, record);
    draw.Pullback({points.data(), 4}, record, {weights.data(), 4}, bx, sums);
    draw.PullbackToGp(gp, noise, sums, together);
    GpGradient alone(parameters);
    draw.PullbackToGp(gp, noise, sums, alone);
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
  const GpNormals noise = SampleGpNormals(gp, 64, 1, 1, 1);
  GpDraw exact(gp, 64), rounded(gp, 64, FeaturePrecision::kFloat);
  exact.Set(gp, noise);
  rounded.Set(gp, noise);
  Numbers numbers(6);
  const Matrix points = numbers.Normals(20, 3, 2.0);
  const Matrix difference = Evaluate(exact, points) - Evaluate(rounded, points);
  // nu solves with the kernel matrix, which magnifies the rounding of the prior at Z.
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT(difference.cwiseAbs().maxCoeff(), 0.0);
}

TEST(GpDrawAloneTest, PassesThroughTheInducingValues) {
  GpParameters parameters = RandomGp(41, 2, 7);
  SparseGp gp(GetKernel("matern52"), 1e-10);
  ASSERT_EQ(gp.Set(parameters), FactorStatus::kOk);
  const GpNormals noise = SampleGpNormals(gp, 32, 9, 9, 9);
  GpDraw draw(gp, 32);
  draw.Set(gp, noise);
  const Matrix f = Evaluate(draw, parameters.inducing_locations);
  for (int d = 0; d < 2; ++d) {
    const Eigen::Map<const Vector> eps(noise.eps_u.data() + d * 7, 7);
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
  GpNormals noise = SampleGpNormals(gp, kFeatures, 1, 1, 1);
  noise.w_cos.pop_back();
  try {
    draw.Set(gp, noise);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "GpDraw::Set: noise.w_cos has 37 values, must have 38");
  }
}

TEST(SparseGpTest, KlAndItsGradient) {
  const GpParameters parameters = RandomGp(50, 2, 4);
  const SparseGp gp = MakeGp("squared-exponential", parameters);
  GpGradient gradient(parameters);
  gp.InducingKlPullback(1.0, gradient);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> flat) {
        SparseGp other(GetKernel("squared-exponential"));
        other.Set(Unflatten(flat, parameters));
        return other.InducingKl();
      },
      Flatten(parameters), Flatten(gradient.parameters));
  EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;

  GpParameters prior = parameters;
  prior.inducing_mean.setZero();
  for (Matrix& chol : prior.inducing_chol) chol.setIdentity();
  EXPECT_NEAR(MakeGp("squared-exponential", prior).InducingKl(), 0.0, 1e-12);
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
