// A network (gpode/mlp.h) as an unknown function: the field of the neural ODE of
//   R. T. Q. Chen et al. (2018), Neural ordinary differential equations.
//
// The prior of a weight is N(0, prior_scale^2 / inputs), where `inputs` is the number of inputs of
// the weight's layer. The prior of a bias is N(0, 1). Latent variables z are weights and biases
// divided by their prior standard deviations, so that all of them are standard normal a priori.
#pragma once

#include <memory>

#include "gpode/unknown_function.h"

namespace gpode {

std::unique_ptr<UnknownFunction> MakeNetworkFunction(const FunctionSetting& setting);

// Returns the prior standard deviations of all P weights and biases of a network, (P).
Vector WeightScales(std::size_t inputs, const std::vector<std::size_t>& hidden, std::size_t outputs,
                    double prior_scale);

}  // namespace gpode
