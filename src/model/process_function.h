// The sparse Gaussian process of the paper as an unknown function (sections 3.1 to 3.3, S1.1,
// S1.2).
//
// Latent variables are the whitened inducing values of every output; hyperparameters are inducing
// locations, lengthscales and variances. A draw is a function drawn from the prior plus an update
// that makes it pass through the inducing values (decoupled sampling). Its difference from the mean
// of the process given the inducing values is called the residual. Without a residual, the field is
// that mean, as in npODE:
//   M. Heinonen et al. (2018), Learning unknown ODE models with Gaussian processes.
//
// A kernel with a linear or polynomial part (kernel/kernel_sum.h) adds a polynomial with J terms
// psi_j (field/polynomial.h) to each output d of the process g_d:
//   f_d(x) = g_d(x) + sum_j beta_dj psi_j(x),   beta_dj ~ N(0, s_dj^2).
// The latent variables are then (D, M + J) for D outputs and M inducing points, and whiten the
// values of the whole field at the inducing points (field/polynomial_whitening.h). The scales s_dj
// are parameters that are computed at the start from the option prior.linear and the units of
// states and slopes. Training does not change them: their gradient is zero. A sampler that draws
// the residual also draws the scales of a polynomial of degree two or three. A priori, the scales
// of all terms of one degree of an output are their start values times one log-normal factor, whose
// logarithm has the standard deviation 0.5 for the constant and the linear terms together, 1.5 for
// the terms of degree two, and 1.5 for those of degree three.
//
// Point estimates have a prior of the hyperparameters,
//   log lengthscale ~ N(log centre, 0.5^2),   log variance ~ N(log centre, 1).
// The centre of a variance is its value at the start, that of a lengthscale four times its value at
// the start, because fields with long lengthscales bend little over the data. Without this prior,
// the estimate with the highest density is a field that follows the noise. If a sampler also draws
// the residual, centres and deviations come from PriorOptions instead.
#pragma once

#include <memory>

#include "gpode/unknown_function.h"

namespace gpode {

std::unique_ptr<UnknownFunction> MakeProcessFunction(const FunctionSetting& setting);

// Returns one matrix (n, M) for each input k. The matrix times the latent variables is the
// derivative, with respect to input k, of the process without its residual at points (n, inputs).
// `process` must be made by MakeProcessFunction, with one output and without a polynomial part.
std::vector<Matrix> GradientBasis(const UnknownFunction& process, const Matrix& points);
// Reverses GradientBasis, which must have returned `basis`: adds the cotangents of the
// hyperparameters to bvalues.
void GradientBasisPullback(UnknownFunction& process, const Matrix& points,
                           std::span<const Matrix> basis, std::span<const Matrix> bbasis,
                           std::span<double> bvalues);

// Sets the random numbers that FunctionDraw::Sample would draw otherwise. `draw` must be a draw of
// a process.
void SetPriorNormals(FunctionDraw& draw, const GpNormals& normals);

}  // namespace gpode
