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
#include <memory>

#include "gpode/training.h"
#include "train/sampling_state.h"

namespace gpode {

// What a run reports, where it goes on from, and how it is saved; each may be empty.
struct SamplingControl {
  std::function<bool(const Progress&)> report = {};
  std::shared_ptr<const SamplingState> from = {};
  // Called with an unfinished run whenever `seconds` have passed since the last time, and when the
  // report has asked to stop.
  std::function<void(const TrainedModel&)> save = {};
  double seconds = 0;
};

// Returns an unfinished run, whose model has no draws, if the report asked to stop.
TrainedModel SampleModel(const Dataset& data, const FitOptions& options,
                         const SamplingControl& control);

}  // namespace gpode
