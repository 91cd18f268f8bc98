// What is seen of a state:  y = C x + b + noise,  noise_c ~ N(0, noise_variance_c) for each channel
// c.
//
// In a model, C (channels, D) and b (channels) also hold the scaling between the model's
// coordinates, in which priors are of unit size, and the user's units; the noise is in the user's
// units.
//
// Thread safety: plain values and functions.
//
//   FitOptions options{.observation = Observation::kPca, .states = 5};
//   options.observation_map = PrincipalComponents(all_recordings, 5);
#pragma once

#include <span>

#include "gpode/dataset.h"
#include "gpode/field.h"

namespace gpode {

struct ObservationMap {
  Matrix matrix;  // C (channels, D)
  Vector offset;  // b (channels)

  std::size_t channels() const { return matrix.rows(); }
  std::size_t dim() const { return matrix.cols(); }
  // Whether every state has a channel of its own.
  bool IsDiagonal() const;
  // Rows of states (n, D) to rows of channels (n, channels), without noise.
  Matrix Apply(const Matrix& states) const;
  // The other way by least squares, from the channels that were seen (NaN: missing); NaN where
  // these do not determine the state.
  Matrix StatesOf(const Matrix& values) const;

  static ObservationMap Identity(std::size_t dim);
};

// What is known of states a priori standard normal once their channels are seen.
struct StateGuess {
  Matrix mean, variance;  // (n, D); without observation 0 and 1
};

// values (n, channels), NaN: missing; noise_variance (channels), positive.
StateGuess GuessStates(const ObservationMap& map, const Vector& noise_variance,
                       const Matrix& values);

// The `states` leading principal components of all trajectories together, scaled so that scores
// have unit variance: y = C score + b. Missing values are filled with what the components make of
// the row's other channels.
ObservationMap PrincipalComponents(const Dataset& data, std::size_t states);

// log p(y | x): the sum over observed channels of y (NaN is missing), each times its weight; no
// weights: all one.
double LogLikelihood(const ObservationMap& map, std::span<const double> noise_variance,
                     std::span<const double> y, std::span<const double> x,
                     std::span<const double> weights = {});

// The same and its reverse for the cotangent 1:  bx (D) and bnoise (channels) are added to.
double LogLikelihoodPullback(const ObservationMap& map, std::span<const double> noise_variance,
                             std::span<const double> y, std::span<const double> x,
                             std::span<double> bx, std::span<double> bnoise,
                             std::span<const double> weights = {});

}  // namespace gpode
