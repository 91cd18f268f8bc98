// How well weights do on data that they are not trained on.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "neural/neural_start.h"

namespace gpode {

class Validation {
 public:
  // On the trajectories of `problem`, from their initial states in the flat vector; or, if given,
  // from others (trajectories, D).
  explicit Validation(NeuralProblem problem, const Matrix& x0 = {});

  // Minus the root mean squared error, in deviations of the noise at the centre of its prior.
  // `flat` is one of the training's; of it, weights and perhaps initial states are read.
  double Score(std::span<const double> flat, ThreadPool& pool);

 private:
  NeuralProblem problem_;
  NeuralLikelihood likelihood_;
  std::vector<double> flat_;
  std::size_t taken_;    // how many numbers of a flat vector are read
  double at_truth_ = 0;  // the log likelihood without any error
  double values_ = 0;
};

// On the trajectories of `data`, from their first observations on; without these, on the last
// options.validation_share of each training trajectory, which `training` then loses; none: null.
std::unique_ptr<Validation> MakeValidation(const NeuralStart& start, const NeuralOptions& options,
                                           const Dataset& data, NeuralProblem& training);

}  // namespace gpode
