// The parameters of a model at the start of training, made from what start/initialise.h has guessed
// from the data.
#pragma once

#include <vector>

#include "gpode/model.h"
#include "model/bound.h"
#include "start/initialise.h"

namespace gpode {

// Returns the parameters of the likelihood (channels, parameters_per_channel) for these variances.
std::vector<double> StartNoise(const Likelihood& likelihood, const Vector& variances);

// Returns the constrained values (gpode/parameters.h) of all parameters at which training starts.
// The posterior means of the shooting states are smoothed data, and the posteriors of all states
// are narrow.
std::vector<double> StartValues(const ModelParts& parts, const Start& start,
                                const Segmentation& cut);

// Returns the bound of `parts` on these trajectories. It has options.draws draws, or a single one
// if the posterior is a point estimate, whose draws are all equal.
std::unique_ptr<Bound> MakeBound(const FitOptions& options, const Start& start,
                                 const ModelParts& parts, std::vector<TimedValues> trajectories,
                                 Segmentation cut, NoisePieces pieces = {});

// Returns a model with everything except the learnt parameters.
Model UntrainedModel(const Dataset& data, const FitOptions& options, const Start& start);

}  // namespace gpode
