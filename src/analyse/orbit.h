// Solutions of an autonomous field, sampled at equal times.
//
// Thread safety: each thread needs an Orbit of its own.
//
//   Orbit orbit(field, box, start, scale / 20, 1e-8);
//   orbit.Extend(100);
#pragma once

#include <vector>

#include "gpode/fixed_points.h"
#include "gpode/ode.h"

namespace gpode {

class Orbit {
 public:
  // Begins a solution at `start` whose samples are `step` apart.
  Orbit(const Field& field, const StateBox& box, const Vector& start, double step,
        double tolerance);

  // Appends `count` samples. Returns false if the solution leaves the box by more than its size or
  // cannot be followed; it then has fewer samples.
  bool Extend(std::size_t count);

  double step() const { return step_; }
  std::size_t size() const { return states_.size() / dim_; }
  Eigen::Map<const Vector> State(std::size_t i) const {
    return {states_.data() + i * dim_, static_cast<Eigen::Index>(dim_)};
  }
  // Returns the samples from `first` on, (n, D).
  Matrix States(std::size_t first = 0) const;
  // Tells whether the solution left the box by more than its size, or ran away.
  bool has_left() const { return has_left_; }

 private:
  const Field& field_;
  StateBox outer_;
  std::size_t dim_;
  double step_, step_hint_ = 0;
  Solver solver_;
  std::vector<double> states_;
  bool has_left_ = false;
};

}  // namespace gpode
