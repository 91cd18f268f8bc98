// Mean and variance of each channel over a whole data set.
//
// Thread safety: all functions may be called from any thread.
#pragma once

#include "gpode/dataset.h"

namespace gpode {

struct ChannelMoments {
  Vector mean, variance;  // (channels); zero for a channel without values

  // Returns the unit in which a channel has about unit size: its standard deviation, the absolute
  // value of a constant channel, or one for a channel that is always zero.
  double Unit(Eigen::Index channel) const;
  Vector Units() const;
};

// Computes the moments of all values that are not missing.
ChannelMoments MomentsOf(const Dataset& data);

}  // namespace gpode
