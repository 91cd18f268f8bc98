// The parameters of a model at the start of training (start/initialise.h).
#pragma once

#include <vector>

#include "gpode/model.h"
#include "model/bound.h"
#include "start/initialise.h"

namespace gpode {

// Returns the parameters of the likelihood (channels, parameters_per_channel) for these variances.
std::vector<double> StartNoise(const Likelihood& likelihood, const Vector& variances);

// Returns the constrained values at which training starts. Shooting states stand at the smoothed
// states, and all states have a small spread.
std::vector<double> StartValues(const ModelParts& parts, const Start& start,
                                const Segmentation& cut);

// Returns the bound of `parts` on these trajectories; a point estimate has one draw.
std::unique_ptr<Bound> MakeBound(const FitOptions& options, const Start& start,
                                 const ModelParts& parts, std::vector<TimedValues> trajectories,
                                 Segmentation cut);

// Returns a model with everything except the learnt parameters.
Model UntrainedModel(const Dataset& data, const FitOptions& options, const Start& start);

}  // namespace gpode
