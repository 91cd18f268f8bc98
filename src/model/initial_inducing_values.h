// The inducing values that training starts from, a regression of slopes (paper, section S2.2):
//
//   U = K(Z, X) (K(X, X) + noise I)^-1 dX,   L v = U,   L L^T = K(Z, Z)
//
// for the slopes dX at the states X of smoothed data. docs/equations.md says how the paper's
// formula differs.
//
//   Matrix white = RegressedInducingValues(kernel, states, slopes, jitter, gp);
#pragma once

#include "gpode/gp.h"

namespace gpode {

// Returns the whitened inducing values (D, M) of the Gaussian process regression of slopes (n, D)
// at states (n, D). Of `gp` it uses locations, lengthscales and variances.
Matrix RegressedInducingValues(const Kernel& kernel, const Matrix& states, const Matrix& slopes,
                               double jitter, const GpParameters& gp);

// Returns the weights b (D, J) of the ridge regression of slopes (n, D) on terms (n, J) times their
// scales (D or 1, J), with the same noise as that of the inducing values, and leaves the
// residuals in `slopes`.
Matrix RegressedPolynomial(const Matrix& terms, const Matrix& scales, const Vector& variances,
                           Matrix& slopes);

}  // namespace gpode
