// The reverse of a Cholesky factorisation, K = L L^T:
//   I. Murray (2016), Differentiation of the Cholesky decomposition.
#pragma once

#include "gpode/matrix.h"

namespace gpode {

// Computes a cotangent bk of K from that of its Cholesky factor, of which the lower triangle counts:
// with P = lower(L^T bL), diagonal halved, the cotangent is the symmetric part of L^-T P L^-1. This
// function leaves out taking the symmetric part, because the pullback of K adds up both triangles.
void CholeskyPullback(const Matrix& factor, const Matrix& bfactor, Matrix& bk);

}  // namespace gpode
