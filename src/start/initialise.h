// Where training starts from: scales, the observation map, smoothed states and slopes, inducing
// points.
#pragma once

#include "gpode/model.h"
#include "model/segments.h"

namespace gpode {

// Everything about the data that training needs, in the model's coordinates.
struct Start {
  ObservationMap map;
  Vector state_scale, state_offset;  // (D): the user's state is scale z + offset
  Vector spread;                     // (D): the size of z; one, unless scaling is turned off
  double time_scale = 1;
  std::vector<Matrix> states;  // per trajectory (T, D): smoothed, at the observation times
  Matrix x0;                   // (trajectories, D): smoothed, at the start times
  GpParameters gp;             // of a process
  Vector weights;              // (P) of a network, in units of their prior
  Vector noise_variance;       // (channels)
  Vector channel_weights;      // (channels), see Bound::channel_weights
};

// Throws an InputError that names the option which does not fit the data.
void CheckFit(const Dataset& data, const FitOptions& options);

Start Initialise(const Dataset& data, const FitOptions& options);

}  // namespace gpode
