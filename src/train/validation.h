// How well a field forecasts data that it is not trained on: the reason to stop early.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "train/problem.h"

namespace gpode {

class Validation {
 public:
  // Every trajectory of `data` is followed from its first observation. Throws an InputError unless
  // it has the channels of the training data.
  Validation(const Dataset& data, const FitOptions& options, const Start& start);

  // The log likelihood of the data under the mean of the field in a training's flat vector, with
  // the noise that training starts from: higher is better, squared errors alone decide. Not finite
  // if it cannot be followed.
  double Score(const ModelParameters& from, std::span<const double> flat, ThreadPool& pool);

 private:
  ModelParameters parameters_;
  std::unique_ptr<Bound> bound_;
  std::vector<double> flat_, values_;
  BoundNoise noise_;
  SegmentChoice all_;
};

}  // namespace gpode
