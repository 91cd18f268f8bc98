// The reverse of the Cholesky factorisation K = L L^T, with L lower triangular:
//   I. Murray (2016), Differentiation of the Cholesky decomposition.
#pragma once

#include "gpode/matrix.h"

namespace gpode {

// Sets bk to the cotangent (gpode/field.h) of K, given L = factor and its cotangent bL = bfactor
// (only the lower triangle of bL is used): bk = L^-T P L^-1, where P is the lower triangle of
// L^T bL with its diagonal halved. bk is not made symmetric: KernelMatrixPullback sums over all
// entries, so its result is the same. Callers that need a symmetric cotangent take (bk + bk^T) / 2.
void CholeskyPullback(const Matrix& factor, const Matrix& bfactor, Matrix& bk);

}  // namespace gpode
