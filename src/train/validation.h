// Validation: how well a field forecasts data that it is not trained on, the reason to stop early.
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

  // The log likelihood of the data under the mean function of a training's flat parameters, with
  // the noise that training starts from, so that squared errors alone decide; higher is better. It
  // is not finite if the field cannot be followed.
  double Score(const ModelParts& from, std::span<const double> flat, ThreadPool& pool);

 private:
  ModelParts parts_;  // a point estimate
  std::unique_ptr<Bound> bound_;
  std::vector<double> z_, deviation_, values_;
  std::vector<double> noise_;  // parameters of the likelihood
};

}  // namespace gpode
