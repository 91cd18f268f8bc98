// Divides the horizons of held-back data into three parts with about the same number of values
// each. The horizon of a value is the time since the last training row of its trajectory.
#pragma once

#include <span>
#include <vector>

#include "gpode/holdout.h"

namespace gpode {

// There is one part instead of three if no channel has at least nine values. There are fewer than
// three if horizons coincide.
struct HorizonThirds {
  explicit HorizonThirds(std::span<const HeldError> errors);

  // Returns the part that a horizon is in.
  std::size_t Find(double horizon) const;

  std::vector<double> ends = {};   // the last horizon of each part, increasing
  std::vector<double> means = {};  // the mean of the horizons of each part
};

}  // namespace gpode
