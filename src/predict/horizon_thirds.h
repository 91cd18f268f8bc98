// Thirds of the horizons of held-back data, with about equally many values each.
#pragma once

#include <span>
#include <vector>

#include "gpode/holdout.h"

namespace gpode {

// One part in place of three where a channel has only a few values.
struct HorizonThirds {
  explicit HorizonThirds(std::span<const HeldError> errors);

  // Returns the part that a horizon is in.
  std::size_t Find(double horizon) const;

  std::vector<double> ends = {};   // the last horizon of each part, increasing
  std::vector<double> means = {};  // the mean of the horizons of each part
};

}  // namespace gpode
