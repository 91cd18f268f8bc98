// The density that the sampler of a model draws from: likelihood times prior of everything unknown.
//
// A position holds, one after the other, the latent variables of the function, its sampled
// hyperparameters (logarithms), initial states and, unless it is known, the logarithms of the
// likelihood's parameters. A priori latent variables are standard normal, hyperparameters as the
// function says, and logarithms of the likelihood's parameters normal with deviation 2 around those
// of a noise whose variance is a hundredth of the channel's.
#pragma once

#include <span>
#include <vector>

#include "gpode/nuts.h"
#include "train/start_values.h"

namespace gpode {

class SampledTarget {
 public:
  SampledTarget(const Dataset& data, const FitOptions& options, const Start& start);

  std::size_t size() const { return coordinates_.size(); }
  const ModelParts& parts() const { return parts_; }

  // Takes the values of everything that is not sampled from these flat parameters.
  void SetFlat(std::span<const double> flat);
  Vector PositionOf(std::span<const double> flat) const;
  // Returns the constrained values of all parameters at a position.
  std::vector<double> ValuesAt(std::span<const double> position) const;

  // Returns the density, for one thread. The target must outlive it.
  LogDensity Density() const;

 private:
  // flat[index] = centre + unit * position. `has_prior` says whether the bound has the prior of the
  // coordinate in it; otherwise it is standard normal.
  struct Coordinate {
    std::size_t index;
    double centre = 0, unit = 1;
    bool has_prior = true;
  };

  // Tells whether all values are finite, and positive where they must be: exp of a far position may
  // be neither.
  bool ArePossible(std::span<const double> values) const;
  void AddBlock(std::size_t block);
  void AddLatent(std::size_t part);
  void AddNoise(const Dataset& data);

  FitOptions options_;
  Start start_;
  std::vector<TimedValues> trajectories_;
  ModelParts parts_;
  std::vector<Coordinate> coordinates_;
  std::vector<double> flat_;
};

// Returns minus the second derivatives of the log density at `position`, by differences of its
// gradient. Each eigenvalue is replaced by its absolute value or, if that is larger, by one, the
// curvature of the prior, so that the result is positive definite.
Matrix Curvature(const LogDensity& density, const Vector& position);

}  // namespace gpode
