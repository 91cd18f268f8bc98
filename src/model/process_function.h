// The sparse Gaussian process of the paper as an unknown function (sections 3.1 to 3.3, S1.1,
// S1.2).
//
// Latent variables are the whitened inducing values of every output; hyperparameters are inducing
// locations, lengthscales and variances. A draw adds a function drawn from the prior to the update
// through the inducing values (decoupled sampling). Without that residual, the field is the mean of
// the process given the inducing values, as in npODE:
//   M. Heinonen et al. (2018), Learning unknown ODE models with Gaussian processes.
//
// A kernel with a linear or polynomial part (kernel/kernel_sum.h) adds J = 1 + I, ... weights to the
// latent variables of each output, which are then (D, M + J) and whiten the whole field at the
// inducing points (field/polynomial_whitening.h):
//   f_d(x) = g_d(x) + sum_j beta_dj psi_j(x),   beta_dj ~ N(0, s_dj^2).
// The scales s, the prior.linear of field/polynomial.h in the units of states and slopes, are
// parameters that the start sets and nothing changes: their gradient is left at zero.
//
// The prior of the hyperparameters, which counts in point estimates, is
//   log lengthscale ~ N(log centre, 0.5^2),   log variance ~ N(log centre, 1)
// around the start, with lengthscales four times as long. Without it, the densest process follows
// the noise; long lengthscales are fields that bend little over the data.
#pragma once

#include <memory>

#include "gpode/unknown_function.h"

namespace gpode {

std::unique_ptr<UnknownFunction> MakeProcessFunction(const FunctionSetting& setting);

// Gives a draw of a process the random numbers of its prior function, in place of sampled ones.
void SetPriorNormals(FunctionDraw& draw, const GpNormals& normals);

}  // namespace gpode
