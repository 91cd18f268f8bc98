// The values of a sparse Gaussian process when training starts (paper, section S2.2), and the
// limits of its size.
//
// Inducing locations are centres of clusters of the smoothed states. Lengthscales are proportional
// to the spread of the states. Inducing values come from a regression of smoothed slopes
// (initial_inducing_values.h); a polynomial part of the kernel is regressed first, and the process
// explains the rest.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   CheckProcessSize(setting);
//   FunctionStart start = StartProcess(setting, states, slopes, spread);
#pragma once

#include "gpode/unknown_function.h"

namespace gpode {

// The start values of lengthscales, in units of the spread of the states.
inline constexpr double kStartLengthscale = 1.3;

// Returns start values with which the process is about `slopes` (n, D) at `states` (n, D + U).
// `spread` (D + U) is the typical size of each argument. The hyperparameters are in the order of
// AddParameters: inducing locations, lengthscales, variances, scales of the polynomial.
FunctionStart StartProcess(const FunctionSetting& setting, const Matrix& states,
                           const Matrix& slopes, const Vector& spread);

// Throws an InputError if the covariances of the posterior, or the features of the draws, would
// need too much memory.
void CheckProcessSize(const FunctionSetting& setting);

}  // namespace gpode
