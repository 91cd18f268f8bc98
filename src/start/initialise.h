// The start of training: the coordinates, the observation map, smoothed states and slopes, and
// initial values of the unknown function.
#pragma once

#include <vector>

#include "gpode/coordinates.h"
#include "gpode/dataset.h"
#include "gpode/observation.h"
#include "gpode/unknown_function.h"

namespace gpode {

// Everything about the data that training needs, in the model's coordinates.
struct Start {
  ObservationMap map;
  Coordinates coordinates;
  Vector spread;               // (D): typical size of the model's states; one if they are scaled
  std::vector<Matrix> states;  // per trajectory (T, D): smoothed, at the observation times
  Matrix x0;                   // (trajectories, D): smoothed, at the start times
  FunctionStart function;
  Vector noise_variance;   // (channels): start values for training, in the user's units
  Vector channel_weights;  // (channels), see Bound::channel_weights
};

Start Initialise(const Dataset& data, const FitOptions& options);

}  // namespace gpode
