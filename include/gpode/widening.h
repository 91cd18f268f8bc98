// Band widening: what data that were held back from training say about the bands of a model.
//
// Forecast errors of an imperfect model grow faster than its draws spread. Held-back data (holdout.h)
// show by how much: channel c gets an extra variance v_c(h) that depends on the horizon h, piecewise
// linear between v_c(0) = 0 and its values at a few knots. Beyond the last knot it is proportional to
// h, but not more than the variance of the channel's data (or than at the last knot).
//
// The horizon of a time is the time since the last observation after the data, the time until the
// initial state before them, and the distance to the nearest observation of the channel within a
// gap. It is zero at all other times within the data, so that bands there stay as they are.
//
// A band is widened about its median m: a quantile q of level p moves to
//   m + sign(q - m) sqrt((q - m)^2 + z_p^2 v),   z_p the quantile of the standard normal,
// which never narrows a band, and adds v to the variance of normal draws.
//
// Thread safety: a plain value.
//
//   const double extra = std::sqrt(model.widening.Variance(channel, horizon));
//   model.widening = {};  // the bands of the draws alone
#pragma once

#include <cstddef>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/matrix.h"

namespace gpode {

struct BandWidening {
  // The knots (K), positive and increasing, in the user's time; and the extra variances there
  // (K, channels), which do not decrease with the horizon, in the squares of the user's units.
  std::vector<double> horizons = {};
  Matrix variance = {};
  // How far variances may grow beyond the last knot (channels); none: without limits.
  std::vector<double> limits = {};

  // The evidence for each channel: the number of held-back values, and their shares inside the 90 %
  // bands of observations before and after widening. Empty unless held-back data were compared.
  std::vector<std::size_t> values = {};
  std::vector<double> inside = {}, inside_widened = {};

  // The gaps of the training data: of each, trajectory, channel, and the times of the observations
  // on either side. Ordered by trajectory, channel and time.
  std::vector<std::size_t> gap_trajectory = {}, gap_channel = {};
  std::vector<double> gap_from = {}, gap_to = {};

  // Tells whether held-back data were compared, and whether any band is widened.
  bool IsJudged() const { return !values.empty(); }
  bool IsZero() const { return variance.size() == 0 || variance.isZero(0); }

  // Returns the extra variance v_c(h) of a channel; h is not negative.
  double Variance(std::size_t channel, double horizon) const;

  // Returns the distance to the nearest observation if the time is within a gap of the channel, and
  // otherwise zero.
  double DistanceInGap(std::size_t trajectory, std::size_t channel, double time) const;

  // Finds the gaps of the data: intervals between observations of a channel that are more than 2.5
  // times as long as the median one of its trajectory.
  void SetGaps(const Dataset& data);
};

// Throws an InputError unless the parts fit together and the values are possible.
void CheckWidening(const BandWidening& widening, std::size_t channels, std::size_t trajectories);

}  // namespace gpode
