// Tests of polynomials as functions, as features with a prior, and as a part of a whitened field.
#include "field/polynomial.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <memory>

#include "field/polynomial_whitening.h"
#include "gpode/gradient_check.h"
#include "gpode/mlp.h"
#include "support/field_harness.h"
#include "support/message_of.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::MessageOf;
using testing_support::Numbers;
using Values = std::vector<double>;

Values RandomValues(std::size_t n, std::uint64_t seed) {
  Numbers numbers(seed);
  Values values(n);
  for (double& v : values) v = numbers.Normal();
  return values;
}

std::span<const double> Entries(const Matrix& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

class PolynomialTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::size_t degree() const { return GetParam(); }
};

TEST_P(PolynomialTest, PassesTheHarness) {
  for (const auto& [inputs, outputs] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{2, 4}}) {
    const std::size_t i = inputs, o = outputs;
    ExpectFunctionConsistent(
        [&](std::span<const double> p) {
          auto polynomial = std::make_unique<Polynomial>(i, o, degree());
          polynomial->SetWeights(p);
          return polynomial;
        },
        RandomValues(Polynomial::CountTerms(i, degree()) * o, 3), Numbers(4).Normals(5, i));
  }
}

// A sum that owns its parts.
struct OwningSum final : Function {
  OwningSum(std::span<const double> p, std::size_t degree)
      : network(3, {4}, 2), polynomial(3, 2, degree), sum(network, polynomial) {
    network.SetParameters(p.first(network.parameter_count()));
    polynomial.SetWeights(p.subspan(network.parameter_count()));
  }
  std::size_t inputs() const override { return sum.inputs(); }
  std::size_t outputs() const override { return sum.outputs(); }
  std::size_t parameter_count() const override { return sum.parameter_count(); }
  std::size_t record_size() const override { return sum.record_size(); }
  void Value(std::span<const double> x, std::span<double> f, std::span<double> s) const override {
    sum.Value(x, f, s);
  }
  void Record(std::span<const double> x, std::span<double> f, std::span<double> r) const override {
    sum.Record(x, f, r);
  }
  void Pullback(std::span<const double> x, std::span<const double> r, std::span<const double> g,
                std::span<double> bx, std::span<double> bp) const override {
    sum.Pullback(x, r, g, bx, bp);
  }
  void Jacobian(std::span<const double> x, std::span<double> j) const override {
    sum.Jacobian(x, j);
  }

  Mlp network;
  Polynomial polynomial;
  PolynomialSum sum;
};

TEST_P(PolynomialTest, SumsPassTheHarness) {
  const std::size_t count =
      Mlp(3, {4}, 2).parameter_count() + 2 * Polynomial::CountTerms(3, degree());
  ExpectFunctionConsistent(
      [&](std::span<const double> p) { return std::make_unique<OwningSum>(p, degree()); },
      RandomValues(count, 5), Numbers(6).Normals(4, 3));
}

// Returns the kernel k(x, y) = 1 + l^2 sum_q (x . y / l^2)^q / q! for the product x . y.
double PriorKernel(double product, std::size_t degree, double length) {
  double sum = 1, power = 1;
  for (std::size_t q = 1; q <= degree; ++q) {
    power *= product / (length * length) / static_cast<double>(q);
    sum += length * length * power;
  }
  return sum;
}

TEST_P(PolynomialTest, PriorIsTheTaylorPolynomialOfAnExponentialKernel) {
  const Matrix x = Numbers(7).Normals(6, 3), y = Numbers(8).Normals(6, 3);
  const Vector spread{{1.5, 0.2, 3}};
  for (double length : {1.0, 2.5}) {
    const Vector deviations = Polynomial::PriorDeviations(spread, degree(), length);
    const Matrix covariance = Polynomial::Terms(x, degree()) * deviations.cwiseAbs2().asDiagonal() *
                              Polynomial::Terms(y, degree()).transpose();
    const Matrix units = spread.cwiseInverse().asDiagonal();
    for (Eigen::Index i = 0; i < 6; ++i) {
      for (Eigen::Index k = 0; k < 6; ++k) {
        const double product = (x.row(i) * units).dot(y.row(k) * units);
        const double expected = PriorKernel(product, degree(), length);
        EXPECT_NEAR(covariance(i, k), expected, 1e-12 * (1 + std::fabs(expected)));
      }
    }
  }
}

TEST_P(PolynomialTest, TermsAreTheDerivativesOfWeights) {
  Numbers numbers(9);
  const Matrix points = numbers.Normals(3, 2);
  const Matrix terms = Polynomial::Terms(points, degree());
  const Matrix weights = numbers.Normals(terms.cols(), 2);
  Polynomial polynomial(2, 2, degree());
  polynomial.SetWeights(Entries(weights));
  EXPECT_LT((Evaluate(polynomial, points) - terms * weights).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(PolynomialTest, TermsPullbackIsTheGradient) {
  Numbers numbers(10);
  const Matrix points = numbers.Normals(4, 3);
  const Matrix bterms = numbers.Normals(4, Polynomial::CountTerms(3, degree()));
  Matrix bpoints = Matrix::Zero(4, 3);
  Polynomial::TermsPullback(points, degree(), bterms, bpoints);
  const GradientCheck check = CheckGradient(
      [&](std::span<const double> at) {
        const Matrix moved = Eigen::Map<const Matrix>(at.data(), 4, 3);
        return Polynomial::Terms(moved, degree()).cwiseProduct(bterms).sum();
      },
      Entries(points), Entries(bpoints));
  EXPECT_TRUE(check.ok(1e-8)) << check.message;
}

INSTANTIATE_TEST_SUITE_P(Degrees, PolynomialTest, testing::Values(1, 2, 3));

TEST(Polynomial, HasADegreeOfOneToThree) {
  EXPECT_EQ(MessageOf([] { Polynomial(2, 2, 0); }), "Polynomial: degree is 0, must be 1, 2 or 3");
  EXPECT_EQ(MessageOf([] { Polynomial(2, 2, 4); }), "Polynomial: degree is 4, must be 1, 2 or 3");
}

TEST(Polynomial, CountsItsTerms) {
  EXPECT_EQ(Polynomial::CountTerms(2, 1), 3u);
  EXPECT_EQ(Polynomial::CountTerms(2, 2), 6u);
  EXPECT_EQ(Polynomial::CountTerms(2, 3), 10u);
  EXPECT_EQ(Polynomial::CountTerms(5, 3), 56u);
}

// A fixture with random matrices L, Psi and S of a whitening (field/polynomial_whitening.h).
class PolynomialWhiteningTest : public testing::Test {
 protected:
  static constexpr Eigen::Index kInducing = 5, kTerms = 3, kAll = kInducing + kTerms;

  PolynomialWhiteningTest() {
    Numbers numbers(11);
    factor_ = numbers.Normals(kInducing, kInducing, 0.4).triangularView<Eigen::StrictlyLower>();
    for (Eigen::Index i = 0; i < kInducing; ++i) factor_(i, i) = numbers.Uniform(0.3, 1);
    terms_ = numbers.Normals(kInducing, kTerms);
    scales_ = Vector{{1.2, 0.4, 2}};
    z_ = RandomValues(kAll, 12);
    blatent_ = RandomValues(kAll, 13);
    whitening_.Set(factor_, terms_, scales_);
  }

  static PolynomialWhitening Make(const Matrix& factor, const Matrix& terms, const Vector& scales) {
    PolynomialWhitening whitening;
    whitening.Set(factor, terms, scales);
    return whitening;
  }

  Values Latent(const PolynomialWhitening& whitening, std::span<const double> z) const {
    Values inner(kAll), latent(kAll);
    whitening.Apply(z, inner, latent);
    return latent;
  }

  // Returns a weighted sum of [v, b], whose gradient is checked.
  double Scalar(const PolynomialWhitening& whitening, std::span<const double> z) const {
    double sum = 0;
    const Values latent = Latent(whitening, z);
    for (std::size_t i = 0; i < latent.size(); ++i) sum += blatent_[i] * latent[i];
    return sum;
  }

  Matrix factor_, terms_;
  Vector scales_;
  Values z_, blatent_;
  PolynomialWhitening whitening_;
};

// The matrix f is the factor F of field/polynomial_whitening.h. Its column k has the values [f(Z),
// beta] for the k-th unit vector z.
TEST_F(PolynomialWhiteningTest, ValuesHaveTheirPriorCovarianceAndAFactorThatIsLowerTriangular) {
  const Matrix mixed = terms_ * scales_.cwiseAbs2().asDiagonal();
  Matrix covariance(kAll, kAll), f(kAll, kAll);
  covariance << factor_ * factor_.transpose() + mixed * terms_.transpose(), mixed,
      mixed.transpose(), Matrix(scales_.cwiseAbs2().asDiagonal());
  for (Eigen::Index k = 0; k < kAll; ++k) {
    Values unit(kAll, 0.0);
    unit[static_cast<std::size_t>(k)] = 1;
    const Values latent = Latent(whitening_, unit);
    const Eigen::Map<const Vector> v(latent.data(), kInducing),
        b(latent.data() + kInducing, kTerms);
    f.col(k) << factor_ * v + terms_ * scales_.cwiseProduct(b), scales_.cwiseProduct(b);
  }
  EXPECT_LT((f * f.transpose() - covariance).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(Matrix(f.triangularView<Eigen::StrictlyUpper>()).norm(), 1e-12);
  EXPECT_GT(f.diagonal().minCoeff(), 0);
}

TEST_F(PolynomialWhiteningTest, IsAnOrthogonalMapWithItsInverse) {
  const Values latent = Latent(whitening_, z_);
  EXPECT_NEAR(Eigen::Map<const Vector>(latent.data(), kAll).norm(),
              Eigen::Map<const Vector>(z_.data(), kAll).norm(), 1e-12);
  const Matrix back = whitening_.Inverse(Eigen::Map<const Vector>(latent.data(), kAll));
  for (Eigen::Index i = 0; i < kAll; ++i)
    EXPECT_NEAR(back(i, 0), z_[static_cast<std::size_t>(i)], 1e-12);
}

TEST_F(PolynomialWhiteningTest, GradientIsTheDerivative) {
  Values inner(kAll), latent(kAll), bz(kAll);
  whitening_.Apply(z_, inner, latent);
  whitening_.ApplyPullback(inner, blatent_, bz);
  Matrix bfactor = Matrix::Zero(kInducing, kInducing), bterms(kInducing, kTerms);
  Vector blog_scales;
  whitening_.Finish(bfactor, bterms, blog_scales);
  const auto of_z = [&](std::span<const double> at) { return Scalar(whitening_, at); };
  const GradientCheck z = CheckGradient(of_z, z_, bz);
  EXPECT_TRUE(z.ok(1e-8)) << z.message;
  const auto of_terms = [&](std::span<const double> at) {
    return Scalar(Make(factor_, Eigen::Map<const Matrix>(at.data(), kInducing, kTerms), scales_),
                  z_);
  };
  const GradientCheck terms = CheckGradient(of_terms, Entries(terms_), Entries(bterms));
  EXPECT_TRUE(terms.ok(1e-8)) << terms.message;
  const auto of_factor = [&](std::span<const double> at) {
    const Matrix moved =
        Eigen::Map<const Matrix>(at.data(), kInducing, kInducing).triangularView<Eigen::Lower>();
    return Scalar(Make(moved, terms_, scales_), z_);
  };
  const GradientCheck factor = CheckGradient(of_factor, Entries(factor_), Entries(bfactor));
  EXPECT_TRUE(factor.ok(1e-8)) << factor.message;
  const auto of_log_scales = [&](std::span<const double> at) {
    const Vector moved = Eigen::Map<const Vector>(at.data(), kTerms).array().exp();
    return Scalar(Make(factor_, terms_, moved), z_);
  };
  const Matrix logs = scales_.array().log().matrix();
  const GradientCheck scales = CheckGradient(of_log_scales, Entries(logs), Entries(blog_scales));
  EXPECT_TRUE(scales.ok(1e-8)) << scales.message;
}

}  // namespace
}  // namespace gpode
