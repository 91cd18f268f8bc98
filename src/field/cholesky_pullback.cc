#include "field/cholesky_pullback.h"

namespace gpode {

void CholeskyPullback(const Matrix& factor, const Matrix& bfactor, Matrix& bk) {
  bk.noalias() = factor.transpose() * bfactor;
  bk.triangularView<Eigen::StrictlyUpper>().setZero();
  bk.diagonal() *= 0.5;
  factor.transpose().triangularView<Eigen::Upper>().solveInPlace(bk);
  factor.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(bk);
}

}  // namespace gpode
