// A network (gpode/mlp.h) whose weights are independent normals, as a FieldPosterior; as a point it
// is the neural ODE of
//   R. T. Q. Chen et al. (2018), Neural ordinary differential equations.
//
// The prior of a weight is N(0, prior_scale^2 / inputs), that of a bias N(0, 1). Parameters are in
// units of it, so that it is standard normal for all:
//
//   weights = scale * (mean + deviation * eps),   eps ~ N(0, I)
//   divergence = share * sum_i (deviation_i^2 + mean_i^2 - 1) / 2 - log deviation_i
//                (of a point: share * sum_i mean_i^2 / 2)
#pragma once

#include <memory>

#include "model/field_posterior.h"
#include "model/model_parameters.h"

namespace gpode {

// (P): the prior's standard deviation of every parameter of the network.
Vector WeightScales(std::size_t dim, const std::vector<std::size_t>& hidden, double prior_scale);

struct NetworkPosteriorOptions {
  std::vector<std::size_t> hidden = {};
  double prior_scale = 1;
  double share = 1;  // of the divergence that counts
  std::size_t draws = 1;
  Knowledge knowledge = Knowledge::kDistribution;
};

std::unique_ptr<FieldPosterior> MakeNetworkPosterior(const ModelParameters& parameters,
                                                     const NetworkPosteriorOptions& options);

}  // namespace gpode
