// Tests of the gradient of a draw of a Gaussian process.
#include <gtest/gtest.h>

#include "field/gp_draw_gradient.h"
#include "gpode/gradient_check.h"
#include "support/field_harness.h"
#include "support/random_gp.h"

namespace gpode {
namespace {

using testing_support::Numbers;

constexpr std::size_t kInputs = 2, kInducing = 5, kFeatures = 12;

// A process with one output, a draw of it, and the draw's gradient.
class GpGradientTest : public testing::Test {
 protected:
  GpGradientTest() : gp_(GetKernel("squared-exponential")) {
    Numbers numbers(4);
    parameters_.inducing_locations = numbers.Normals(kInducing, kInputs);
    parameters_.inducing_mean.resize(1, 0);
    parameters_.lengthscales = Matrix::Constant(1, kInputs, 1.1);
    parameters_.lengthscales(0, 1) = 0.8;
    parameters_.variances = Vector::Constant(1, 1.3);
    white_ = numbers.Normals(1, kInducing);
    points_ = numbers.Normals(4, kInputs);
    cotangents_ = numbers.Normals(4, kInputs);
    gp_.Set(parameters_);
    normals_ = SampleGpNormals(gp_, kFeatures, 5, 0, 0);
  }

  // Makes the draw and its gradient for the present parameters.
  void Draw() {
    gp_.Set(parameters_);
    draw_ = std::make_unique<GpDraw>(gp_, kFeatures);
    draw_->Set(gp_, {white_.data(), kInducing}, normals_);
    gradient_ = std::make_unique<GpDrawGradient>(gp_, kFeatures);
    gradient_->Set(gp_, normals_, draw_->nu());
  }

  SparseGp gp_;
  GpParameters parameters_;
  Matrix white_, points_, cotangents_;
  GpNormals normals_;
  std::unique_ptr<GpDraw> draw_;
  std::unique_ptr<GpDrawGradient> gradient_;
};

TEST_F(GpGradientTest, IsTheJacobianOfTheDraw) {
  Draw();
  const Matrix slopes = Evaluate(*gradient_, points_);
  for (Eigen::Index p = 0; p < points_.rows(); ++p) {
    const Matrix expected = EvaluateJacobian(*draw_, points_.row(p).transpose());
    EXPECT_LT((slopes.row(p) - expected.row(0)).norm(), 1e-12);
  }
  ExpectPointsConsistent(*gradient_, points_);
}

// The raw sums of the gradient become the gradient of the process's parameters in the same way as
// those of the draw.
TEST_F(GpGradientTest, HasTheGradientOfTheProcessParameters) {
  const auto sum = [&](std::span<const double> at) {
    std::copy_n(at.begin(), 2, parameters_.lengthscales.data());
    parameters_.variances[0] = at[2];
    std::copy_n(at.begin() + 3, kInducing, white_.data());
    std::copy_n(at.begin() + 3 + kInducing, kInducing * kInputs,
                parameters_.inducing_locations.data());
    Draw();
    return Evaluate(*gradient_, points_).cwiseProduct(cotangents_).sum();
  };
  std::vector<double> at(parameters_.lengthscales.data(), parameters_.lengthscales.data() + 2);
  at.push_back(parameters_.variances[0]);
  at.insert(at.end(), white_.data(), white_.data() + kInducing);
  const Matrix& z = parameters_.inducing_locations;
  at.insert(at.end(), z.data(), z.data() + z.size());
  sum(at);
  const std::size_t n = static_cast<std::size_t>(points_.rows());
  std::vector<double> f(n * kInputs), bx(n * kInputs, 0.0), record(n * gradient_->record_size());
  std::vector<double> sums(gradient_->parameter_count(), 0.0);
  ASSERT_EQ(sums.size(), draw_->parameter_count());
  const std::span<const double> x(points_.data(), n * kInputs);
  gradient_->Record(x, f, record);
  gradient_->Pullback(x, record, {cotangents_.data(), n * kInputs}, bx, sums);
  GpGradient gradient(parameters_);
  gradient.SetZero();
  std::vector<double> bwhite(kInducing);
  draw_->PullbackRow(gp_, sums, 0, gradient, bwhite);
  gp_.FinishGradient(gradient);
  const GpParameters& g = gradient.parameters;
  std::vector<double> all(g.lengthscales.data(), g.lengthscales.data() + 2);
  all.push_back(g.variances[0]);
  all.insert(all.end(), bwhite.begin(), bwhite.end());
  all.insert(all.end(), g.inducing_locations.data(),
             g.inducing_locations.data() + g.inducing_locations.size());
  const GradientCheck check = CheckGradient(sum, at, all, {.initial_step = 0.03});
  EXPECT_TRUE(check.ok(1e-6)) << check.message;
}

}  // namespace
}  // namespace gpode
