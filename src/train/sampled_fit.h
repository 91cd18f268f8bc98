// Models whose posterior is a set of draws by the No-U-Turn sampler. A draw has values of the
// function's latent variables, its hyperparameters, the initial states and, unless it is known, the
// noise. The chains of a process all start from one point estimate (gauss_newton.h), each chain of
// a network from a variational fit of its own. A posterior family for which is_linearised() is true
// starts from draws of a linearised model instead, and moves them by short chains
// (linearised_draws.h).
//
// The mass matrix of a chain is the curvature of the density where the chain starts. A process has
// few coordinates, so that its mass matrix is adapted during the warm-up.
#pragma once

#include <functional>

#include "gpode/training.h"

namespace gpode {

// Fits a model and draws from its posterior. If `report` asks to stop by returning false, the
// result has an untrained model and is not marked as finished.
TrainedModel SampleModel(const Dataset& data, const FitOptions& options,
                         const std::function<bool(const Progress&)>& report);

}  // namespace gpode
