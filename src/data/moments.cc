// Moments of the data. For moments of the field's posterior q(f), see field/sparse_gp.cc.
#include "data/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpode {
namespace {

template <typename Visit>
void ForObserved(const Dataset& data, Eigen::Index channel, Visit visit) {
  for (const Trajectory& t : data.trajectories) {
    for (Eigen::Index i = 0; i < t.values.rows(); ++i) {
      if (!std::isnan(t.values(i, channel))) visit(t.values(i, channel));
    }
  }
}

double MeanOf(const Dataset& data, Eigen::Index channel) {
  double count = 0, sum = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  ForObserved(data, channel, [&](double value) {
    sum += value;
    count += 1;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  });
  // If all values are equal, that value is the mean. A mean with a rounding error would give the
  // channel a variance that it does not have.
  return smallest == largest ? smallest : count > 0 ? sum / count : 0;
}

}  // namespace

double ChannelMoments::Unit(Eigen::Index channel) const {
  if (variance[channel] > 0) return std::sqrt(variance[channel]);
  return mean[channel] != 0 ? std::fabs(mean[channel]) : 1.0;
}

Vector ChannelMoments::Units() const {
  Vector units(mean.size());
  for (Eigen::Index c = 0; c < units.size(); ++c) units[c] = Unit(c);
  return units;
}

ChannelMoments MomentsOf(const Dataset& data) {
  const auto channels = static_cast<Eigen::Index>(data.channels.size());
  ChannelMoments m{Vector::Zero(channels), Vector::Zero(channels)};
  for (Eigen::Index c = 0; c < channels; ++c) {
    m.mean[c] = MeanOf(data, c);
    double count = 0, squares = 0;
    ForObserved(data, c, [&](double value) {
      squares += (value - m.mean[c]) * (value - m.mean[c]);
      count += 1;
    });
    m.variance[c] = count > 0 ? squares / count : 0;
  }
  return m;
}

}  // namespace gpode
