// Covariance matrices between two sets of points, and their reverse.
#include <vector>

#include "gpode/error.h"
#include "gpode/kernel.h"

namespace gpode {
namespace {

void CheckShapes(const char* function, const Hyperparameters& hyper, const Matrix& x,
                 const Matrix& z) {
  CheckSize(function, "a row of x", x.cols(), hyper.lengthscales.size());
  CheckSize(function, "a row of z", z.cols(), hyper.lengthscales.size());
}

// s_j = sum_k ((x_ik - z_jk) / lengthscale_k)^2 for one i.
void SquaredDistances(const Hyperparameters& hyper, const Matrix& x, Eigen::Index i,
                      const Matrix& z, std::span<double> s) {
  for (Eigen::Index j = 0; j < z.rows(); ++j) {
    double sum = 0;
    for (Eigen::Index k = 0; k < z.cols(); ++k) {
      const double r = (x(i, k) - z(j, k)) / hyper.lengthscales[k];
      sum += r * r;
    }
    s[j] = sum;
  }
}

}  // namespace

Matrix KernelMatrix(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                    const Matrix& z) {
  CheckShapes("KernelMatrix", hyper, x, z);
  Matrix k(x.rows(), z.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const std::span<double> row(k.data() + i * k.cols(), k.cols());
    SquaredDistances(hyper, x, i, z, row);
    kernel.Profile(row, row, {});
  }
  k *= hyper.variance;
  return k;
}

void KernelMatrixPullback(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                          const Matrix& z, const Matrix& bk, Matrix& bx, Matrix& bz,
                          Hyperparameters& bhyper) {
  CheckShapes("KernelMatrixPullback", hyper, x, z);
  std::vector<double> phi(z.rows()), psi(z.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    SquaredDistances(hyper, x, i, z, phi);
    kernel.Profile(phi, phi, psi);
    for (Eigen::Index j = 0; j < z.rows(); ++j) {
      const double b = bk(i, j);
      bhyper.variance += b * phi[j];
      const double slope = -b * hyper.variance * psi[j];
      for (Eigen::Index k = 0; k < z.cols(); ++k) {
        const double inverse = 1.0 / hyper.lengthscales[k];
        const double delta = (x(i, k) - z(j, k)) * inverse;
        bx(i, k) += slope * delta * inverse;
        bz(j, k) -= slope * delta * inverse;
        bhyper.lengthscales[k] -= slope * delta * delta * inverse;
      }
    }
  }
}

}  // namespace gpode
