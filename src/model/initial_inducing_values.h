// The inducing values that training starts from, a regression of slopes (paper, section S2.2):
//
//   U = K(Z, X) (K(X, X) + noise I)^-1 dX,   L v = U,   L L^T = K(Z, Z)
//
// for the slopes dX at the states X of smoothed data; v are the whitened values that are returned.
// docs/equations.md says how the paper's formula differs.
//
//   Matrix white = RegressedInducingValues(kernel, states, slopes, jitter, gp);
#pragma once

#include "gpode/gp.h"

namespace gpode {

// Returns the whitened inducing values v (D, M) of the regression of slopes (n, D) at states
// (n, D). Uses the inducing locations, lengthscales and variances of `gp`, not its inducing values.
Matrix RegressedInducingValues(const Kernel& kernel, const Matrix& states, const Matrix& slopes,
                               double jitter, const GpParameters& gp);

// Fits slopes (n, D) by ridge regression on the J terms of a polynomial (field/polynomial.h).
// `terms` (n, J) are the values of the terms, `scales` (D or 1, J) the prior standard deviations of
// their weights, and `variances` (D or 1) the variances of the process. Returns the weights (D, J)
// divided by their prior standard deviations, and leaves the residuals in `slopes`. The noise
// variance is the same as for the inducing values.
Matrix RegressedPolynomial(const Matrix& terms, const Matrix& scales, const Vector& variances,
                           Matrix& slopes);

}  // namespace gpode
