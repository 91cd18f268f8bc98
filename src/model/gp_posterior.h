// The sparse Gaussian process of the paper as a FieldPosterior; as a point it is npODE, whose field
// is the mean of the process given the inducing values.
//   M. Heinonen et al. (2018), Learning unknown ODE models with Gaussian processes.
//
// The divergence of a point is minus the logarithm, up to a constant, of the prior density of
// inducing values, whitened, and hyperparameters:
//   inducing values ~ N(0, I),   log lengthscale ~ N(centre, 0.5^2),   log variance ~ N(centre, 1)
// Without that of hyperparameters the densest point is a process that follows the noise; long
// lengthscales are fields that bend little over the data.
#pragma once

#include <memory>

#include "model/field_posterior.h"
#include "model/model_parameters.h"

namespace gpode {

struct GpPosteriorOptions {
  const Kernel& kernel;
  double jitter = 1e-6;
  std::size_t features = 256;  // of a distribution
  std::size_t draws = 1;
  FeaturePrecision precision = FeaturePrecision::kDouble;
  Knowledge knowledge = Knowledge::kDistribution;
  // Centres of the priors of a point's hyperparameters, in their shapes; none: all one.
  Matrix lengthscales = {};
  Vector variances = {};
};

std::unique_ptr<FieldPosterior> MakeGpPosterior(const ModelParameters& parameters,
                                                const GpPosteriorOptions& options);

}  // namespace gpode
