// Tests of processes with a linear or polynomial part: gradients, moments, factors and the start.
#include "model/process_function.h"

#include <gtest/gtest.h>

#include <cmath>

#include "field/polynomial.h"
#include "gpode/function.h"
#include "gpode/gradient_check.h"
#include "kernel/kernel_sum.h"
#include "model/bound.h"
#include "support/message_of.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::Numbers;
using Values = std::vector<double>;

constexpr std::size_t kDim = 2, kInducing = 4;

FitOptions Options(const std::string& kernel, bool shared = false) {
  FitOptions options;
  options.kernel = kernel;
  options.inducing = kInducing;
  options.features = 24;
  options.shared_hyperparameters = shared;
  return options;
}

// Sets the values of a block of parameters to random ones.
void Fill(const ParameterBlock& block, Numbers& numbers, std::span<double> values) {
  for (double& v : values) {
    v = block.transform == Transform::kFree ? numbers.Normal() : numbers.Uniform(0.3, 1.2);
  }
  if (block.transform != Transform::kLowerTriangular) return;
  const std::size_t n = block.shape.back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % n > i / n % n) values[i] = 0;
  }
}

Values RandomValues(const ParameterLayout& layout, std::uint64_t seed) {
  Numbers numbers(seed);
  Values values(layout.value_size());
  for (const ParameterBlock& block : layout.blocks()) {
    Fill(block, numbers, std::span(values).subspan(block.value_offset, block.value_size));
    // These factors keep the fields so small that no trajectory runs away.
    const double factor = block.name == "polynomial_scales" ? 0.1
                          : block.name.ends_with("_chol")   ? 0.3
                                                            : 1.0;
    for (double& v : std::span(values).subspan(block.value_offset, block.value_size)) v *= factor;
  }
  return values;
}

struct Case {
  std::string kernel;
  bool shared;
};

class ProcessWithPolynomial : public testing::TestWithParam<Case> {
 protected:
  ProcessWithPolynomial() : options_(Options(GetParam().kernel, GetParam().shared)) {}

  std::size_t terms() const {
    return Polynomial::CountTerms(kDim, GetKernelSum(options_.kernel).degree);
  }

  FitOptions options_;
  ThreadPool pool_{1};
};

// Polynomial scales have no gradient, since training does not change them.
TEST_P(ProcessWithPolynomial, TheGradientOfABoundIsTheDerivative) {
  Numbers numbers(41);
  const std::vector<TimedValues> data = {{{0, 0.4, 0.7, 1.2}, numbers.Normals(4, kDim)},
                                         {{0.3, 0.6, 1.1}, numbers.Normals(3, kDim)}};
  const SolverOptions fixed{.method = Method::kRungeKutta4, .fixed_step = 0.1};
  for (const char* posterior : {"blocks", "point"}) {
    options_.posterior = posterior;
    const ModelParts parts(options_, {.dim = kDim, .channels = kDim, .trajectories = 2});
    const ParameterLayout& layout = parts.layout();
    Bound bound(parts, ObservationMap::Identity(kDim), data, CutIntoSegments(data, 0), fixed,
                parts.posterior().is_point_estimate() ? 1 : 3);
    const Values values = RandomValues(layout, 42);
    Values flat(layout.flat_size()), bvalues(values.size(), 0.0), gradient(flat.size(), 0.0);
    layout.Unconstrain(values, flat);
    bound.Choose(bound.AllSegments());
    bound.SampleNormals(24, 5, pool_);
    ASSERT_EQ(bound.Evaluate(values, {}, bvalues, pool_).diverged, 0u);
    layout.ConstrainPullback(values, bvalues, gradient);
    const ParameterBlock& scales = layout.Find("polynomial_scales");
    const GradientCheck check = CheckGradient(
        [&](std::span<const double> at) {
          Values moved(at.begin(), at.end()), own(values.size());
          std::copy_n(flat.begin() + static_cast<std::ptrdiff_t>(scales.flat_offset),
                      scales.flat_size,
                      moved.begin() + static_cast<std::ptrdiff_t>(scales.flat_offset));
          layout.Constrain(moved, own);
          return bound.Evaluate(own, {}, {}, pool_).Total();
        },
        flat, gradient);
    EXPECT_TRUE(check.ok(1e-6)) << posterior << ": " << check.message;
  }
}

TEST_P(ProcessWithPolynomial, TheBasisIsTheMeanFunctionAndHasItsGradient) {
  const auto function = MakeProcessFunction({.options = options_, .dim = kDim});
  ParameterLayout layout;
  function->AddParameters(layout);
  const Values values = RandomValues(layout, 43);
  ASSERT_EQ(function->Set(values, pool_), FactorStatus::kOk);
  const auto size = static_cast<Eigen::Index>(function->latent().size);
  ASSERT_EQ(size, static_cast<Eigen::Index>(kInducing + terms()));
  Numbers numbers(44);
  const Matrix points = numbers.Normals(5, static_cast<Eigen::Index>(kDim));
  const std::vector<Matrix> basis = function->Basis(points);
  ASSERT_EQ(basis.size(), kDim);
  const Matrix z = numbers.Normals(static_cast<Eigen::Index>(kDim), size);
  const std::unique_ptr<FunctionDraw> mean = function->MakeDraw();
  mean->Set({z.data(), static_cast<std::size_t>(z.size())});
  const Matrix expected = Evaluate(mean->field(), points);
  std::vector<Matrix> bbasis;
  for (std::size_t d = 0; d < kDim; ++d) {
    const auto output = static_cast<Eigen::Index>(d);
    EXPECT_TRUE((basis[d] * z.row(output).transpose()).isApprox(expected.col(output), 1e-8));
    bbasis.push_back(numbers.Normals(points.rows(), size));
  }
  Values bvalues(values.size(), 0.0);
  function->BasisPullback(points, basis, bbasis, bvalues);
  const ParameterBlock& scales = layout.Find("polynomial_scales");
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) {
        Values moved(at.begin(), at.end());
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(scales.value_offset),
                    scales.value_size,
                    moved.begin() + static_cast<std::ptrdiff_t>(scales.value_offset));
        EXPECT_EQ(function->Set(moved, pool_), FactorStatus::kOk);
        double sum = 0;
        for (std::size_t d = 0; d < kDim; ++d) {
          sum += bbasis[d].cwiseProduct(function->Basis(points)[d]).sum();
        }
        return sum;
      },
      values, bvalues, {.initial_step = 0.02});
  EXPECT_TRUE(check.ok(1e-7)) << check.message;
}

// If the latent variables z are standard normal, the covariance of the field is the sum of both
// kernels. The test checks this for the exact moments and for draws.
TEST_P(ProcessWithPolynomial, ThePriorIsTheSumOfTheKernels) {
  const auto function = MakeProcessFunction({.options = options_, .dim = kDim});
  ParameterLayout layout;
  function->AddParameters(layout);
  const Values values = RandomValues(layout, 45);
  ASSERT_EQ(function->Set(values, pool_), FactorStatus::kOk);
  const auto size = static_cast<Eigen::Index>(function->latent().size);
  const Matrix points = Numbers(46).Normals(5, kDim, 1.5);
  const FieldMoments moments = *function->Moments(
      points,
      {Matrix::Zero(kDim, size), {Matrix::Identity(size, size), Matrix::Identity(size, size)}});
  EXPECT_LT(moments.mean.cwiseAbs().maxCoeff(), 1e-12);
  const KernelSum sum = GetKernelSum(options_.kernel);
  const Matrix psi = Polynomial::Terms(points, sum.degree);
  const std::span<const double> scales =
      layout.Values(layout.Index("polynomial_scales"), std::span<const double>(values));
  const std::span<const double> variances =
      layout.Values(layout.Index("variances"), std::span<const double>(values));
  for (std::size_t d = 0; d < kDim; ++d) {
    const std::size_t row = GetParam().shared ? 0 : d;
    for (Eigen::Index p = 0; p < points.rows(); ++p) {
      double expected = variances[row];
      for (std::size_t j = 0; j < terms(); ++j) {
        expected += std::pow(scales[row * terms() + j] * psi(p, static_cast<Eigen::Index>(j)), 2);
      }
      EXPECT_NEAR(moments.variance(p, static_cast<Eigen::Index>(d)), expected, 1e-5 * expected);
    }
  }
}

TEST_P(ProcessWithPolynomial, DrawsHaveTheExactMoments) {
  const auto function = MakeProcessFunction({.options = options_, .dim = kDim});
  ParameterLayout layout;
  function->AddParameters(layout);
  ASSERT_EQ(function->Set(RandomValues(layout, 47), pool_), FactorStatus::kOk);
  const auto size = static_cast<Eigen::Index>(function->latent().size);
  Numbers numbers(48);
  GaussianItems latent{numbers.Normals(kDim, static_cast<std::size_t>(size)), {}};
  for (std::size_t d = 0; d < kDim; ++d) {
    Matrix chol = numbers.Normals(size, size, 0.2).triangularView<Eigen::StrictlyLower>();
    for (Eigen::Index i = 0; i < size; ++i) chol(i, i) = numbers.Uniform(0.1, 0.8);
    latent.chol.push_back(chol);
  }
  const Matrix points = numbers.Normals(4, kDim, 1.5);
  const FieldMoments exact = *function->Moments(points, latent);
  const auto draw = function->MakeDraw();
  Matrix sum = Matrix::Zero(4, kDim), squares = sum;
  constexpr int kDraws = 6000;
  Matrix z(kDim, size);
  for (int s = 0; s < kDraws; ++s) {
    draw->Sample(1, 2, static_cast<std::uint64_t>(s));
    for (std::size_t d = 0; d < kDim; ++d) {
      const Vector normals = numbers.Normals(static_cast<std::size_t>(size), 1);
      z.row(static_cast<Eigen::Index>(d)) =
          latent.mean.row(static_cast<Eigen::Index>(d)) + (latent.chol[d] * normals).transpose();
    }
    draw->Set({z.data(), static_cast<std::size_t>(z.size())});
    const Matrix away = Evaluate(draw->field(), points) - exact.mean;
    sum += away;
    squares += away.cwiseAbs2();
  }
  for (Eigen::Index i = 0; i < sum.size(); ++i) {
    const double variance = exact.variance.data()[i];
    EXPECT_NEAR(sum.data()[i] / kDraws, 0, 5 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares.data()[i] / kDraws / variance, 1, 5 * std::sqrt(2.0 / kDraws) * 1.3);
  }
}

// If the slopes come from a polynomial field, Start finds that field, with and without scaling.
TEST_P(ProcessWithPolynomial, StartsFromAPolynomialThroughTheSlopes) {
  Numbers numbers(49);
  for (bool scale : {true, false}) {
    options_.scale = scale;
    options_.inducing = 12;
    const auto function = MakeProcessFunction({.options = options_, .dim = kDim});
    ParameterLayout layout;
    function->AddParameters(layout);
    const Matrix states = numbers.Normals(60, kDim);
    const Matrix slopes = states * Matrix{{-0.1, -1}, {1, -0.1}} * 2.0;
    const FunctionStart start = function->Start(states, slopes, Vector::Ones(kDim));
    ASSERT_EQ(start.hyperparameters.size(), layout.value_size());
    ASSERT_EQ(start.latent.size(), function->latent().count());
    ASSERT_EQ(function->Set(start.hyperparameters, pool_), FactorStatus::kOk);
    const auto size = static_cast<Eigen::Index>(function->latent().size);
    const FieldMoments moments = *function->Moments(
        Matrix{{3, 0}, {0, -3}}, {Eigen::Map<const Matrix>(start.latent.data(), kDim, size),
                                  {Matrix::Zero(size, size), Matrix::Zero(size, size)}});
    EXPECT_NEAR(moments.mean(0, 0), -0.6, 0.2);
    EXPECT_NEAR(moments.mean(0, 1), -6, 0.3);
    EXPECT_NEAR(moments.mean(1, 0), -6, 0.3);
    EXPECT_NEAR(moments.mean(1, 1), 0.6, 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ProcessWithPolynomial,
                         testing::Values(Case{"se + linear", false}, Case{"se + linear", true},
                                         Case{"matern52 + polynomial2", false},
                                         Case{"matern32 + polynomial3", true},
                                         Case{"se + polynomial3", false}),
                         [](const auto& test) {
                           std::string name = test.param.kernel;
                           std::erase_if(name, [](char c) { return c == ' ' || c == '+'; });
                           return name + (test.param.shared ? "_shared" : "");
                         });

// Without scaling, the prior has the units of the data.
TEST(ProcessFunction, ScalesOfThePolynomialFollowTheUnitsOfStatesAndSlopes) {
  FitOptions options = Options("se + polynomial2");
  options.scale = false;
  options.prior.linear = 0.5;
  options.prior.lengthscale = 2;
  const auto function = MakeProcessFunction({.options = options, .dim = kDim});
  Numbers numbers(50);
  const Matrix states = numbers.Normals(40, kDim) * Vector{{10, 0.1}}.asDiagonal();
  Matrix slopes = numbers.Normals(40, kDim);
  slopes.col(0) *= 20 / slopes.col(0).norm() * std::sqrt(40.0);
  slopes.col(1) *= 0.3 / slopes.col(1).norm() * std::sqrt(40.0);
  const FunctionStart start = function->Start(states, slopes, Vector{{10, 0.1}});
  constexpr std::size_t kTerms = 6;
  const std::span<const double> scales = std::span(start.hyperparameters).last(2 * kTerms);
  const Values of_terms = {
      1, 1 / 10.0, 1 / 0.1, 1 / (std::sqrt(2) * 2 * 100), 1 / 2.0, 1 / (std::sqrt(2) * 2 * 0.01)};
  for (std::size_t j = 0; j < kTerms; ++j) {
    EXPECT_NEAR(scales[j] / (0.5 * 20 * of_terms[j]), 1, 1e-12) << j;
    EXPECT_NEAR(scales[kTerms + j] / (0.5 * 0.3 * of_terms[j]), 1, 1e-12) << j;
  }
}

TEST(ProcessFunction, AKernelWithoutAPolynomialHasNoParametersOfOne) {
  const auto function = MakeProcessFunction({.options = Options("matern52"), .dim = kDim});
  ParameterLayout layout;
  function->AddParameters(layout);
  EXPECT_FALSE(layout.Has("polynomial_scales"));
  EXPECT_EQ(function->latent().size, kInducing);
}

TEST(ProcessFunction, TooManyTermsAreRefused) {
  EXPECT_EQ(
      MessageOf([] { MakeProcessFunction({.options = Options("se + polynomial3"), .dim = 30}); }),
      "Fit: kernel \"squared-exponential + polynomial3\" has 5456 terms for 30 states, must have "
      "fewer: choose a lower degree, fewer inducing points or fewer states");
}

TEST(ProcessFunction, NamesItsKernelInFull) {
  const auto function = MakeProcessFunction({.options = Options("se+linear"), .dim = kDim});
  EXPECT_EQ(function->Facts().front().second, "squared-exponential + linear");
}

}  // namespace
}  // namespace gpode
