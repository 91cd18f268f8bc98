// The score of a field on validation data, which decides when to stop early and which parameters
// become the model.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "train/start_values.h"

namespace gpode {

class Validation {
 public:
  // Score integrates every trajectory of `data` from the state that its first observation shows.
  // Throws an InputError unless the data have as many channels as the training data.
  Validation(const Dataset& data, const FitOptions& options, const Start& start);

  // See Trainer::UseRanks.
  void UseRanks(Ranks& ranks) { bound_->UseRanks(ranks, false); }

  // Returns the log likelihood of the validation data if the field is the posterior mean of the
  // unconstrained parameters `flat` of the model `from`; higher is better. The noise variance is
  // that at the start of training, so that scores differ by squared errors only. The score is
  // -infinity if an integration fails.
  double Score(const ModelParts& from, std::span<const double> flat, ThreadPool& pool);

 private:
  ModelParts parts_;  // parts of the same model, but with a point estimate as its posterior
  std::unique_ptr<Bound> bound_;
  std::vector<double> z_, deviation_, values_;
  std::vector<double> noise_;  // parameters of the likelihood
};

}  // namespace gpode
