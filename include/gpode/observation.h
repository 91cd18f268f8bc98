// Observation of a state:  y = C x + b + noise,  noise_c ~ N(0, noise_variance_c) for each channel
// c.
//
// In a model, x is in the model's coordinates (coordinates.h) and y in the user's units: C
// (channels, D) and b (channels) include the scaling between them. The noise is in the user's
// units.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   FitOptions options{.observation = Observation::kPca, .states = 5};
//   options.observation_map = PrincipalComponents(all_recordings, 5);
#pragma once

#include <optional>
#include <span>

#include "gpode/dataset.h"
#include "gpode/matrix.h"

namespace gpode {

struct StateEstimate {
  Vector mean;             // (D)
  Matrix covariance = {};  // (D, D); empty if it was not requested
};

struct ObservationMap {
  Matrix matrix;  // C (channels, D)
  Vector offset;  // b (channels)

  std::size_t channels() const { return matrix.rows(); }
  std::size_t dim() const { return matrix.cols(); }
  // Tells whether C is square and diagonal without zeros, so that channel d shows state d alone.
  bool IsDiagonal() const;
  // Maps rows of states (n, D) to rows of channels (n, channels), without noise.
  Matrix Apply(const Matrix& states) const;
  // ApplyTo maps one state x (D) to channels. AddReverse adds the cotangent (field.h) of x, which
  // is C^T bchannels, to bx.
  void ApplyTo(std::span<const double> x, std::span<double> channels) const;
  void AddReverse(std::span<const double> bchannels, std::span<double> bx) const;
  // Returns the state that fits one row of channel values best by least squares; NaN values are
  // left out. If the covariance (channels, channels) of the values is given, the covariance of the
  // state is computed, too. Returns nothing if the values do not determine the state.
  std::optional<StateEstimate> StateOf(std::span<const double> values,
                                       const Matrix& covariance = {}) const;
  // Returns the states (n, D) that fit the rows of values (n, channels) best. If C is diagonal,
  // state d is NaN in rows where channel d is missing; otherwise a row is NaN if its values do not
  // determine all states.
  Matrix StatesOf(const Matrix& values) const;

  static ObservationMap Identity(std::size_t dim);
};

// The posterior of states that are standard normal a priori, given observed values of the channels.
struct StateGuess {
  Matrix mean, variance;  // (n, D); 0 and 1 in a row without any observation
};

// Returns the posterior for values (n, channels), NaN where missing, with Gaussian noise of these
// positive variances (channels).
StateGuess GuessStates(const ObservationMap& map, const Vector& noise_variance,
                       const Matrix& values);

// Returns the map y = C score + b of the `states` leading principal components of all trajectories
// together, scaled so that scores have unit variance. A missing value is replaced by what the
// components predict from the other channels of its row.
ObservationMap PrincipalComponents(const Dataset& data, std::size_t states);

}  // namespace gpode
