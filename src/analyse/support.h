// The support of the data: the observed states, a box around them, and distances to them.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   Support support(posterior, data);
//   if (support.IsOutside(x)) ...
#pragma once

#include "gpode/fixed_points.h"
#include "gpode/posterior.h"

namespace gpode {

class Support {
 public:
  // Takes the observed states or, without data, the learnt paths.
  Support(const Posterior& posterior, const Dataset& data);

  const Matrix& states() const { return states_; }          // (n, D), all finite
  const Vector& deviations() const { return deviations_; }  // (D), positive
  // Returns a box that holds all states, its widths multiplied by the factor.
  StateBox BoxOf(double factor) const;
  // Returns the distance to the nearest state, in standard deviations of the states.
  double Distance(const Vector& x) const;
  bool IsOutside(const Vector& x) const { return Distance(x) > kFar; }

  static constexpr double kFar = 0.5;

 private:
  Matrix states_;
  Vector deviations_;
};

// Returns the means over the draws of the learnt states (n, D) of a training trajectory at times.
Matrix LearntPath(const Posterior& posterior, std::size_t trajectory,
                  const std::vector<double>& times, std::uint64_t seed = 1);

}  // namespace gpode
