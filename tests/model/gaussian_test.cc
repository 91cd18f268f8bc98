#include "model/gaussian.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <vector>

#include "gpode/gradient_check.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

constexpr double kGradientTolerance = 1e-8;
constexpr double kAlready = 3.5;  // the value of cotangents before a pullback, which adds to them

using Values = std::vector<double>;

// Returns a mean (D), followed by a factor (D, D) whose upper part is zero.
Values RandomGaussian(std::size_t d, std::uint64_t seed) {
  testing_support::Numbers numbers(seed);
  Values v(d + d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    v[i] = numbers.Normal();
    for (std::size_t j = 0; j < i; ++j) v[d + i * d + j] = numbers.Normal();
    v[d + i * d + i] = numbers.Uniform(0.3, 1.5);
  }
  return v;
}

std::span<const double> MeanOf(std::span<const double> v, std::size_t d) { return v.first(d); }
std::span<const double> CholOf(std::span<const double> v, std::size_t d) { return v.subspan(d); }

Matrix Covariance(std::span<const double> v, std::size_t d) {
  const Eigen::Map<const Matrix> chol(v.data() + d, d, d);
  return chol * chol.transpose();
}

void ExpectGradient(const std::function<double(std::span<const double>)>& value, const Values& at,
                    Values gradient) {
  for (double& g : gradient) g -= kAlready;
  const GradientCheck check = CheckGradient(value, at, gradient);
  EXPECT_TRUE(check.ok(kGradientTolerance)) << check.message;
}

class Gaussian : public testing::TestWithParam<std::size_t> {};

TEST_P(Gaussian, SampleIsMeanPlusFactorTimesNoise) {
  const std::size_t d = GetParam();
  const Values v = RandomGaussian(d, 1), eps = RandomGaussian(d, 2);
  Values x(d, NAN);
  SampleGaussian(MeanOf(v, d), CholOf(v, d), MeanOf(eps, d), x);
  const Vector expected =
      Eigen::Map<const Vector>(v.data(), d) +
      Eigen::Map<const Matrix>(v.data() + d, d, d) * Eigen::Map<const Vector>(eps.data(), d);
  for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(x[i], expected[i], 1e-14);
}

TEST_P(Gaussian, SamplePullback) {
  const std::size_t d = GetParam();
  const Values v = RandomGaussian(d, 1), other = RandomGaussian(d, 2),
               weights(RandomGaussian(d, 3));
  const std::span<const double> eps = MeanOf(other, d), bx = MeanOf(weights, d);
  Values gradient(v.size(), kAlready);
  SampleGaussianPullback(eps, bx, std::span(gradient).first(d), std::span(gradient).subspan(d));
  ExpectGradient(
      [&](std::span<const double> moved) {
        Values x(d);
        SampleGaussian(MeanOf(moved, d), CholOf(moved, d), eps, x);
        double sum = 0;
        for (std::size_t i = 0; i < d; ++i) sum += bx[i] * x[i];
        return sum;
      },
      v, gradient);
}

TEST_P(Gaussian, KlIsTheClosedForm) {
  const std::size_t d = GetParam();
  const Values v = RandomGaussian(d, 4);
  const Matrix covariance = Covariance(v, d);
  const double expected =
      0.5 * (covariance.trace() + Eigen::Map<const Vector>(v.data(), d).squaredNorm() -
             static_cast<double>(d) - std::log(covariance.determinant()));
  EXPECT_NEAR(KlFromStandard(MeanOf(v, d), CholOf(v, d)), expected, 1e-12);
}

TEST_P(Gaussian, KlOfTheStandardNormalIsZero) {
  const std::size_t d = GetParam();
  Values v(d + d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i) v[d + i * d + i] = 1.0;
  EXPECT_EQ(KlFromStandard(MeanOf(v, d), CholOf(v, d)), 0.0);
}

TEST_P(Gaussian, KlPullback) {
  const std::size_t d = GetParam();
  const Values v = RandomGaussian(d, 5);
  Values gradient(v.size(), kAlready);
  KlFromStandardPullback(MeanOf(v, d), CholOf(v, d), -1.7, std::span(gradient).first(d),
                         std::span(gradient).subspan(d));
  ExpectGradient(
      [&](std::span<const double> moved) {
        return -1.7 * KlFromStandard(MeanOf(moved, d), CholOf(moved, d));
      },
      v, gradient);
}

TEST_P(Gaussian, EntropyIsTheClosedForm) {
  const std::size_t d = GetParam();
  const Values v = RandomGaussian(d, 6);
  const Matrix scaled = 2 * std::numbers::pi * std::numbers::e * Covariance(v, d);
  EXPECT_NEAR(Entropy(CholOf(v, d), d), 0.5 * std::log(scaled.determinant()), 1e-12);
}

TEST_P(Gaussian, EntropyPullback) {
  const std::size_t d = GetParam();
  const Values v = RandomGaussian(d, 7), chol(v.begin() + d, v.end());
  Values gradient(chol.size(), kAlready);
  EntropyPullback(chol, d, 2.3, gradient);
  ExpectGradient([&](std::span<const double> moved) { return 2.3 * Entropy(moved, d); }, chol,
                 gradient);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Gaussian, testing::Values(1, 2, 5));

}  // namespace
}  // namespace gpode
