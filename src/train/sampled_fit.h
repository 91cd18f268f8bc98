// Models whose posterior is a set of draws by the No-U-Turn sampler: of the latent variables of the
// function, its hyperparameters, initial states and, unless it is known, the noise. The chains of a
// process start from a point estimate (gauss_newton.h), those of a network from variational fits of
// their own. A posterior that is_linearised() starts from draws of a linearised model instead, and
// moves them by short chains (linearised_draws.h).
//
// The mass matrix of a chain is the curvature of the density where the chain starts. That of a
// process, which has few coordinates, is adapted from there.
#pragma once

#include <functional>

#include "gpode/training.h"

namespace gpode {

// Returns a run that is not finished and has no model if the report asked to stop.
TrainedModel SampleModel(const Dataset& data, const FitOptions& options,
                         const std::function<bool(const Progress&)>& report);

}  // namespace gpode
