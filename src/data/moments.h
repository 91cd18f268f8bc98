// Mean and variance of each channel over a whole data set.
#pragma once

#include "gpode/dataset.h"

namespace gpode {

struct ChannelMoments {
  Vector mean, variance;  // (channels); zero where nothing was seen

  // What a channel is measured by: its standard deviation; a constant's own size; else one.
  double Unit(Eigen::Index channel) const;
  Vector Units() const;
};

// NaN is passed over.
ChannelMoments MomentsOf(const Dataset& data);

}  // namespace gpode
