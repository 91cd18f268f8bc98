// Band widening: extra variance of a model's bands that held-back data showed to be necessary.
//
// Forecast errors of an imperfect model grow faster than its draws spread. Held-back data
// (holdout.h) show by how much: channel c gets an extra variance v_c(h) that depends on the horizon
// h. It is piecewise linear between v_c(0) = 0 and its values at a few knots. Beyond the last knot
// it is proportional to h, up to the larger of the variance of the channel's data and v_c at the
// last knot.
//
// The horizon of a time after the data is the time since the last observation; of a time before the
// data, the time until the initial state; of a time within a gap of the channel's data, the
// distance to the nearest observation of the channel. At all other times it is zero, so that bands
// there do not change.
//
// A band is widened about its median m: a quantile q of level p moves to
//   m + sign(q - m) sqrt((q - m)^2 + z_p^2 v),   z_p the quantile p of the standard normal,
// which never makes a band narrower. If the draws are normal, it adds v to their variance.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
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
  // The knots (K), positive and increasing, in the user's time, and the extra variances at the
  // knots (K, channels), in squares of the user's units, which do not decrease with the horizon.
  std::vector<double> horizons = {};
  Matrix variance = {};
  // The largest extra variances beyond the last knot (channels); if empty, there is no limit.
  std::vector<double> limits = {};

  // The evidence for each channel: the number of held-back values, and their shares inside the 90 %
  // bands of observations before and after widening. Empty unless held-back data were compared.
  std::vector<std::size_t> values = {};
  std::vector<double> inside = {}, inside_widened = {};

  // The gaps of the training data, ordered by trajectory, channel and time. Entry i of these
  // vectors is for gap i: its trajectory and channel, and the times of the observations before and
  // after it.
  std::vector<std::size_t> gap_trajectory = {}, gap_channel = {};
  std::vector<double> gap_from = {}, gap_to = {};

  // IsJudged returns true if held-back data were compared, IsZero if no band is widened.
  bool IsJudged() const { return !values.empty(); }
  bool IsZero() const { return variance.size() == 0 || variance.isZero(0); }

  // Returns the extra variance v_c(h) of a channel; h is not negative.
  double Variance(std::size_t channel, double horizon) const;

  // Returns the distance to the nearest observation if the time is within a gap of the channel, and
  // otherwise zero.
  double DistanceInGap(std::size_t trajectory, std::size_t channel, double time) const;

  // Finds the gaps of the data: intervals between observations of a channel that are more than 2.5
  // times as long as the median interval of that channel in the same trajectory.
  void SetGaps(const Dataset& data);
};

// Throws an InputError unless all members have sizes that fit together and allowed values.
void CheckWidening(const BandWidening& widening, std::size_t channels, std::size_t trajectories);

}  // namespace gpode
