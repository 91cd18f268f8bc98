// From a start (start/initialise.h) to the parameters of a model.
#pragma once

#include <vector>

#include "gpode/model.h"
#include "model/bound.h"
#include "start/initialise.h"

namespace gpode {

// The parameters of the likelihood (channels parameters_per_channel) for these variances.
std::vector<double> StartNoise(const Likelihood& likelihood, const Vector& variances);

// The constrained values at which training starts. Shooting states stand at the smoothed states,
// and all states have a small spread.
std::vector<double> StartValues(const ModelParts& parts, const Start& start,
                                const Segmentation& cut);

// The bound of `parts` on these trajectories; a point estimate has one draw.
std::unique_ptr<Bound> MakeBound(const FitOptions& options, const Start& start,
                                 const ModelParts& parts, std::vector<TimedValues> trajectories,
                                 Segmentation cut);

// A model that knows everything but what has to be learnt.
Model UntrainedModel(const Dataset& data, const FitOptions& options, const Start& start);

}  // namespace gpode
