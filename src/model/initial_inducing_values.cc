#include "model/initial_inducing_values.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace gpode {
namespace {

constexpr double kNoise = 0.02;  // noise variance of the slopes, over the variance of the process

}  // namespace

Matrix RegressedInducingValues(const Kernel& kernel, const Matrix& states, const Matrix& slopes,
                               double jitter, const GpParameters& gp) {
  Matrix white(slopes.cols(), gp.inducing_locations.rows());
  for (Eigen::Index d = 0; d < slopes.cols(); ++d) {
    const Eigen::Index row = gp.variances.size() == 1 ? 0 : d;
    const Hyperparameters hyper{gp.lengthscales.row(row).transpose(), gp.variances[row]};
    Matrix k = KernelMatrix(kernel, hyper, states, states);
    k.diagonal().array() += kNoise * hyper.variance;
    const Vector weights = k.llt().solve(slopes.col(d));
    const Vector u = KernelMatrix(kernel, hyper, gp.inducing_locations, states) * weights;
    Matrix kzz = KernelMatrix(kernel, hyper, gp.inducing_locations, gp.inducing_locations);
    kzz.diagonal().array() += std::max(jitter, 1e-6 * hyper.variance);
    const Eigen::LLT<Matrix> llt(kzz);
    white.row(d) = llt.matrixL().solve(u).transpose();
  }
  return white;
}

Matrix RegressedPolynomial(const Matrix& terms, const Matrix& scales, const Vector& variances,
                           Matrix& slopes) {
  Matrix weights(slopes.cols(), terms.cols());
  for (Eigen::Index d = 0; d < slopes.cols(); ++d) {
    const Eigen::Index row = scales.rows() == 1 ? 0 : d;
    const Matrix design = terms * scales.row(row).asDiagonal();
    Matrix precision = design.transpose() * design;
    precision.diagonal().array() += kNoise * variances[row];
    const Vector own = precision.llt().solve(design.transpose() * slopes.col(d));
    weights.row(d) = own.transpose();
    slopes.col(d) -= design * own;
  }
  return weights;
}

}  // namespace gpode
