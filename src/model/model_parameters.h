// The parameters of a model: their blocks in the flat vector, and the way to the GP's own struct.
#pragma once

#include <span>

#include "gpode/gp.h"
#include "gpode/parameters.h"
#include "model/segments.h"

namespace gpode {

struct ModelShape {
  std::size_t dim = 0;
  std::size_t channels = 0;
  std::size_t inducing = 0;         // of a Gaussian process; none for a network
  std::size_t trajectories = 0;     // each with an initial state x0
  std::size_t shooting_states = 0;  // in all trajectories together; none for the vanilla bound
  bool shared_hyperparameters = false;
  std::size_t weights = 0;  // of a network; none for a Gaussian process
};

// Names and positions of the blocks. The names are part of the model file's format.
class ModelParameters {
 public:
  explicit ModelParameters(const ModelShape& shape);

  const ModelShape& shape() const { return shape_; }
  const ParameterLayout& layout() const { return layout_; }

  // Block indices, for layout().Values.
  std::size_t locations, inducing_mean, inducing_chol, lengthscales, variances, noise_variance;
  std::size_t x0_mean, x0_chol, state_mean, state_chol;
  std::size_t weight_mean, weight_deviation;

  // The parameters that matter where only some states do: all but the other states'. Reuses the
  // memory of `ranges`.
  void FindRanges(const TouchedStates& touched, std::vector<ParameterRange>& ranges) const;

  // The GP's part of the constrained values; and its reverse, which adds.
  void ReadGp(std::span<const double> values, GpParameters& gp) const;
  void AddGpGradient(const GpGradient& gradient, std::span<double> bvalues) const;
  void WriteGp(const GpParameters& gp, std::span<double> values) const;

 private:
  ModelShape shape_;
  ParameterLayout layout_;
};

}  // namespace gpode
