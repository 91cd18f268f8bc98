// Data and a network's shape as a function of one flat vector, all of whose coordinates are a
// priori standard normal:
//
//   weights = weight_scale * flat[0 .. P)            (P) parameters of the network
//   x0      = flat[P .. P + N D)                      (N, D) initial states
//   log noise_variance = centre + deviation * flat[P + N D ..]   (channels)
//
// so that least squares, the sampler and the variational bound need nothing but its log likelihood.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpode/mlp.h"
#include "gpode/observation.h"
#include "gpode/ode.h"
#include "gpode/parallel.h"
#include "model/segments.h"

namespace gpode {

struct NeuralProblem {
  ObservationMap map;
  std::vector<TimedValues> trajectories;
  std::vector<std::size_t> hidden;
  Vector weight_scale;                           // (P)
  Vector log_noise_centre, log_noise_deviation;  // (channels); deviation 0: the noise is given
  SolverOptions solver;

  std::size_t dim() const { return map.dim(); }
  std::size_t weights() const { return static_cast<std::size_t>(weight_scale.size()); }
  std::size_t states() const { return trajectories.size() * dim(); }
  std::size_t channels() const { return map.channels(); }
  std::size_t flat_size() const { return weights() + states() + channels(); }

  // Parts of a flat vector, as they are in the model.
  Vector WeightsOf(std::span<const double> flat) const;
  Vector StatesOf(std::span<const double> flat) const;
  Vector NoiseOf(std::span<const double> flat) const;
};

// Of every parameter of the network: prior_scale / sqrt(inputs) of a weight, one of a bias.
Vector WeightScales(std::size_t dim, const std::vector<std::size_t>& hidden, double prior_scale);

// log p(y | flat) and its gradient. Keeps its memory between calls; one per thread of callers.
class NeuralLikelihood {
 public:
  // The problem outlives it.
  explicit NeuralLikelihood(const NeuralProblem& problem);
  ~NeuralLikelihood();

  // Writes the gradient, if there is room for it. -infinity if some integration did not reach its
  // end; the gradient is then that of the observations which were reached. Trajectories are shared
  // among the pool's threads.
  double Evaluate(std::span<const double> flat, std::span<double> gradient, ThreadPool& pool);

  // The states at all times of all trajectories, one after the other, as the last Evaluate found
  // them.
  const std::vector<double>& states() const { return states_; }

 private:
  struct Workspace;

  void Follow(std::size_t trajectory, std::span<const double> x0, Workspace& workspace,
              std::span<double> sums);

  const NeuralProblem& problem_;
  Mlp network_;
  Vector noise_;
  std::vector<std::size_t> first_state_;  // (trajectories): where its states begin
  std::vector<double> states_, totals_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  OrderedSum sum_;
};

}  // namespace gpode
