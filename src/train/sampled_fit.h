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
#include <memory>

#include "gpode/training.h"
#include "train/sampling_state.h"

namespace gpode {

// The callbacks of a run, and the state that it continues from; each may be empty.
struct SamplingControl {
  std::function<bool(const Progress&)> report = {};
  std::shared_ptr<const SamplingState> from = {};
  // Called with an unfinished run whenever `seconds` have passed since the last time, and when the
  // report has asked to stop.
  std::function<void(const TrainedModel&)> save = {};
  double seconds = 0;
};

// Fits a model and draws from its posterior. If the report asks to stop by returning false, the
// result is not marked as finished, and its model has no draws.
TrainedModel SampleModel(const Dataset& data, const FitOptions& options,
                         const SamplingControl& control);

}  // namespace gpode
