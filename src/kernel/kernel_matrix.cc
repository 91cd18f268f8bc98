// Kernel matrices k(x, z) between two sets of points, as in K_XZ and K_ZZ of the paper, and their
// reverse.
#include <algorithm>
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

// Computes s_j = sum_k ((x_ik - z_jk) / lengthscale_k)^2 for row i of x and all rows j of z.
void SquaredDistances(const Hyperparameters& hyper, const Matrix& x, Eigen::Index i,
                      const Matrix& z, std::span<double> s) {
  const Eigen::Index dim = z.cols();
  std::fill(s.begin(), s.end(), 0.0);
  for (Eigen::Index k = 0; k < dim; ++k) {
    const double inverse = 1.0 / hyper.lengthscales[k], point = x(i, k);
    const double* column = z.data() + k;
    for (std::size_t j = 0; j < s.size(); ++j) {
      const double r = (point - column[j * dim]) * inverse;
      s[j] += r * r;
    }
  }
}

}  // namespace

void KernelMatrix(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                  const Matrix& z, Matrix& k) {
  CheckShapes("KernelMatrix", hyper, x, z);
  k.resize(x.rows(), z.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const std::span<double> row(k.data() + i * k.cols(), k.cols());
    SquaredDistances(hyper, x, i, z, row);
    kernel.Profile(row, row, {});
  }
  k *= hyper.variance;
}

Matrix KernelMatrix(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                    const Matrix& z) {
  Matrix k;
  KernelMatrix(kernel, hyper, x, z, k);
  return k;
}

void KernelMatrixPullback(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                          const Matrix& z, const Matrix& bk, Matrix& bx, Matrix& bz,
                          Hyperparameters& bhyper, std::span<double> scratch) {
  CheckShapes("KernelMatrixPullback", hyper, x, z);
  const Eigen::Index count = z.rows(), dim = z.cols();
  CheckSize("KernelMatrixPullback", "scratch", scratch.size(), 2 * count);
  const std::span<double> phi = scratch.first(count), slope = scratch.subspan(count);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    SquaredDistances(hyper, x, i, z, phi);
    kernel.Profile(phi, phi, slope);
    for (Eigen::Index j = 0; j < count; ++j) {
      bhyper.variance += bk(i, j) * phi[j];
      slope[j] *= -bk(i, j) * hyper.variance;
    }
    for (Eigen::Index k = 0; k < dim; ++k) {
      const double inverse = 1.0 / hyper.lengthscales[k], point = x(i, k);
      double pull = 0, squares = 0;
      for (Eigen::Index j = 0; j < count; ++j) {
        const double delta = (point - z(j, k)) * inverse;
        const double b = slope[j] * delta * inverse;
        pull += b;
        squares += b * delta;
        bz(j, k) -= b;
      }
      bx(i, k) += pull;
      bhyper.lengthscales[k] -= squares;
    }
  }
}

void KernelMatrixPullback(const Kernel& kernel, const Hyperparameters& hyper, const Matrix& x,
                          const Matrix& z, const Matrix& bk, Matrix& bx, Matrix& bz,
                          Hyperparameters& bhyper) {
  std::vector<double> scratch(2 * z.rows());
  KernelMatrixPullback(kernel, hyper, x, z, bk, bx, bz, bhyper, scratch);
}

}  // namespace gpode
