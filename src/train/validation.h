// The quality of a field on validation data, which decides when to stop early.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "train/start_values.h"

namespace gpode {

class Validation {
 public:
  // Every trajectory of `data` is followed from its first observation. Throws an InputError unless
  // it has the channels of the training data.
  Validation(const Dataset& data, const FitOptions& options, const Start& start);

  // Returns the log likelihood of the data under the mean function of a training's flat parameters;
  // higher is better. The noise is that at the start of training, so that only squared errors
  // matter. The result is not finite if the field cannot be followed.
  double Score(const ModelParts& from, std::span<const double> flat, ThreadPool& pool);

 private:
  ModelParts parts_;  // a point estimate
  std::unique_ptr<Bound> bound_;
  std::vector<double> z_, deviation_, values_;
  std::vector<double> noise_;  // parameters of the likelihood
};

}  // namespace gpode
