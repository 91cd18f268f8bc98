// Draws a vector field from a Gaussian process and compares it with the standard deviation of all
// draws.
#include <gpode/gpode.h>

#include <cmath>
#include <cstdio>

int main() {
  // There are four inducing points in the plane. A whitened mean of zero and a whitened covariance
  // of one would be the prior. With a small covariance, the field is close to zero at these points.
  gpode::GpParameters parameters;
  parameters.inducing_locations = gpode::Matrix{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
  parameters.inducing_mean = gpode::Matrix::Zero(2, 4);
  parameters.inducing_chol.assign(2, 0.1 * gpode::Matrix::Identity(4, 4));
  parameters.lengthscales = gpode::Matrix::Constant(1, 2, 0.8);  // one row, which all outputs share
  parameters.variances = gpode::Vector::Constant(1, 1.0);

  gpode::SparseGp gp(gpode::GetKernel("squared-exponential"));
  const gpode::FactorStatus status = gp.Set(parameters);
  if (status != gpode::FactorStatus::kOk) {
    std::fprintf(stderr, "%s\n", gpode::Message(status).data());
    return 1;
  }

  const std::size_t features = 256;
  gpode::GpDraw draw(gp, features);
  draw.Set(gp, gpode::SampleGpNormals(gp, features, /*seed=*/1, /*step=*/0, /*sample=*/0));

  const gpode::Matrix points{{1, 1}, {0, 0}, {3, 3}};
  const gpode::Matrix f = gpode::Evaluate(draw, points);
  const gpode::Matrix variance = gp.Variance(points);
  for (int i = 0; i < points.rows(); ++i) {
    std::printf("f(%g, %g) = (%6.3f, %6.3f), standard deviation of all draws there %.3f\n",
                points(i, 0), points(i, 1), f(i, 0), f(i, 1), std::sqrt(variance(i, 0)));
  }
}
