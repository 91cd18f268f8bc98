// Draws have the right moments: within Monte Carlo error, the empirical mean and covariance of f at
// a set of points equal the exact ones of q(f), and for the prior those of the kernel. A prior
// scaled by 1/sqrt(2), a known mistake, fails.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "gpode/gp.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;
using testing_support::RandomGp;
using testing_support::RandomGpOf;

// Returns the number of draws. The long mode of script/test takes ten times as many.
int Draws() { return std::getenv("GPODE_LONG_TESTS") ? 60000 : 6000; }
constexpr std::size_t kFeatures = 24;
constexpr double kStandardErrors = 5.0;

// The largest deviation of the empirical moments from the exact ones, in standard errors of each.
struct Deviation {
  double mean = 0, covariance = 0;
};

struct Moments {
  Vector sum;
  Matrix products, squares;  // sums of g_i g_j and (g_i g_j)^2 with g = f minus its exact mean
  int count = 0;

  explicit Moments(Eigen::Index n)
      : sum(Vector::Zero(n)), products(Matrix::Zero(n, n)), squares(Matrix::Zero(n, n)) {}

  void Add(const Vector& centred) {
    const Matrix product = centred * centred.transpose();
    sum += centred;
    products += product;
    squares += product.cwiseProduct(product);
    ++count;
  }

  Deviation From(const Matrix& covariance) const {
    Deviation worst;
    for (Eigen::Index i = 0; i < sum.size(); ++i) {
      const double error = std::sqrt(covariance(i, i) / count);
      worst.mean = std::max(worst.mean, std::fabs(sum[i] / count) / error);
      for (Eigen::Index j = 0; j <= i; ++j) {
        const double mean = products(i, j) / count;
        const double spread = std::sqrt((squares(i, j) / count - mean * mean) / count);
        worst.covariance = std::max(worst.covariance, std::fabs(mean - covariance(i, j)) / spread);
      }
    }
    return worst;
  }
};

// Compares many draws from q(f) with the exact moments. A prior_scale other than 1 spoils the prior
// part on purpose.
Deviation Compare(const SparseGp& gp, const Matrix& points, double prior_scale) {
  const std::size_t dim = gp.outputs();
  const Matrix mean = gp.Mean(points);
  std::vector<Moments> moments(dim, Moments(points.rows()));
  GpDraw draw(gp, kFeatures);
  GpNormals normals;
  const int draws = Draws();
  for (int i = 0; i < draws; ++i) {
    SampleGpNormals(gp, kFeatures, 77, 0, i, normals);
    for (double& w : normals.w_cos) w *= prior_scale;
    for (double& w : normals.w_sin) w *= prior_scale;
    draw.Set(gp, normals);
    const Matrix f = Evaluate(draw, points);
    for (std::size_t d = 0; d < dim; ++d) moments[d].Add(f.col(d) - mean.col(d));
  }
  Deviation worst;
  for (std::size_t d = 0; d < dim; ++d) {
    const Deviation deviation = moments[d].From(gp.Covariance(points, d));
    worst.mean = std::max(worst.mean, deviation.mean);
    worst.covariance = std::max(worst.covariance, deviation.covariance);
  }
  return worst;
}

class MomentsTest : public ::testing::TestWithParam<std::string> {
 protected:
  SparseGp Make(const GpParameters& parameters) {
    SparseGp gp(GetKernel(GetParam()));
    EXPECT_EQ(gp.Set(parameters), FactorStatus::kOk);
    return gp;
  }

  // Returns a process with q(u) = p(u). Its posterior is the prior, whose covariance is the kernel.
  GpParameters Prior() {
    GpParameters p = RandomGp(61, 2, 5);
    p.inducing_mean.setZero();
    for (Matrix& chol : p.inducing_chol) chol.setIdentity();
    return p;
  }

  Matrix points_ = Numbers(62).Normals(6, 2, 1.3);
};

TEST_P(MomentsTest, PosteriorDrawsHaveTheExactMoments) {
  const Deviation deviation = Compare(Make(RandomGp(60, 2, 5)), points_, 1.0);
  EXPECT_LT(deviation.mean, kStandardErrors);
  EXPECT_LT(deviation.covariance, kStandardErrors);
}

TEST_P(MomentsTest, PosteriorDrawsHaveTheExactMomentsForAnyNumberOfInputsAndOutputs) {
  for (const auto& [inputs, outputs] : {std::pair{3, 1}, std::pair{2, 5}}) {
    const SparseGp gp = Make(RandomGpOf(63, inputs, outputs, 5));
    const Deviation deviation = Compare(gp, Numbers(64).Normals(4, inputs, 1.3), 1.0);
    EXPECT_LT(deviation.mean, kStandardErrors);
    EXPECT_LT(deviation.covariance, kStandardErrors);
  }
}

TEST_P(MomentsTest, PriorDrawsHaveTheKernelAsCovariance) {
  const SparseGp gp = Make(Prior());
  const Matrix kernel = KernelMatrix(gp.kernel(), gp.Hyper(0), points_, points_);
  ASSERT_LT((gp.Covariance(points_, 0) - kernel).cwiseAbs().maxCoeff(), 1e-12);
  const Deviation deviation = Compare(gp, points_, 1.0);
  EXPECT_LT(deviation.mean, kStandardErrors);
  EXPECT_LT(deviation.covariance, kStandardErrors);
}

// The comparison can fail: it notices a prior with half the variance.
TEST_P(MomentsTest, APriorWithHalfTheVarianceIsFoundOut) {
  EXPECT_GT(Compare(Make(Prior()), points_, std::sqrt(0.5)).covariance, 2 * kStandardErrors);
  EXPECT_GT(Compare(Make(RandomGp(60, 2, 5)), points_, std::sqrt(0.5)).covariance,
            2 * kStandardErrors);
}

INSTANTIATE_TEST_SUITE_P(AllKernels, MomentsTest, ::testing::ValuesIn(KernelNames()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace gpode
