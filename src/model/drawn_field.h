// The fields that a sampler's draws are (PosteriorDraws, gpode/model.h), in the model's
// coordinates.
#pragma once

#include <memory>

#include "gpode/model.h"

namespace gpode {

std::unique_ptr<Field> DrawnField(const Model& model, std::size_t row);

// Row `row` of the draws of a process: its whitened inducing values and hyperparameters, at the
// model's inducing locations, without covariance.
GpParameters DrawnGp(const Model& model, std::size_t row);

// The mean of q(f).
std::unique_ptr<Field> MeanOf(const SparseGp& gp);

// A network with these weights (P).
std::unique_ptr<Field> NetworkOf(const Model& model, std::span<const double> weights);

}  // namespace gpode
