// The density that the sampler of a model sees. See sampled_fit.h.
#pragma once

#include <span>
#include <vector>

#include "gpode/nuts.h"
#include "train/problem.h"

namespace gpode {

class SampledTarget {
 public:
  SampledTarget(const Dataset& data, const FitOptions& options, const Start& start);

  std::size_t size() const { return coordinates_.size(); }
  const ModelParameters& parameters() const { return parameters_; }

  // What is not sampled is taken from here, and positions are read from such vectors.
  void SetFlat(std::span<const double> flat);
  Vector PositionOf(std::span<const double> flat) const;
  // The constrained values that a position stands for.
  std::vector<double> ValuesAt(std::span<const double> position) const;

  // For one thread; the target outlives it.
  LogDensity Density() const;

 private:
  // flat[index] = centre + unit * position; the bound has the prior in it, or not.
  struct Coordinate {
    std::size_t index;
    double centre = 0, unit = 1;
    bool has_prior = true;
  };

  // Whether exp of a far position is still a positive number.
  bool IsPossible(std::span<const double> values) const;
  void AddBlock(std::size_t block, double centre, double unit, bool has_prior);

  FitOptions options_;
  Start start_;
  std::vector<TimedValues> trajectories_;
  ModelParameters parameters_;
  std::vector<Coordinate> coordinates_;
  std::vector<double> flat_;
};

// Minus the second derivatives of the log density at `position`, by differences of its gradient,
// with the sizes of their eigenvalues, and at least the prior's one, in their place: positive
// definite anywhere.
Matrix Curvature(const LogDensity& density, const Vector& position);

}  // namespace gpode
