// Models whose posterior is a set of draws by the No-U-Turn sampler.
//
// What is sampled, beside x0 and, unless it is given, the noise:
//   kNeuralHmc   all weights of the network
//   kGpodeHmc    whitened inducing values, lengthscales and variances; inducing locations are those
//                of a variational fit, whose posterior the chains start from
//
// A priori weights, in units of their prior, inducing values and initial states are standard
// normal, logarithms of hyperparameters as in model/gp_posterior.h, and those of the noise's
// variances N(log(variance of the channel / 100), 2^2). The mass matrix is the curvature of the
// density where chains start; that of a process, which has few coordinates, is adapted from there.
#pragma once

#include <functional>

#include "gpode/training.h"

namespace gpode {

// Unfinished, without a model, if the report asked to stop.
TrainedModel SampleModel(const Dataset& data, const FitOptions& options,
                         const std::function<bool(const Progress&)>& report);

}  // namespace gpode
