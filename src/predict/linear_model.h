// The linear model x' = A x + b of all channels. On held-back data, the forecasts of a learnt field
// are compared with those of this model.
//
// It is fitted by least squares to the integrals of the equation over windows of a few rows,
//   (x(t_j) - x(t_i)) / (t_j - t_i) = A xbar_ij + b,
// with xbar_ij the mean of x between t_i and t_j by the trapezoidal rule. Noise disturbs these
// integrals much less than it disturbs differences of neighbouring rows. Channels are scaled to
// unit variance, and A has a ridge penalty of one percent of this variance. Missing values are
// interpolated. Positive real parts of eigenvalues of A, with which long forecasts would explode,
// are set to zero.
//
// Thread safety: a LinearModel does not change after construction; any thread may call its
// functions.
//
//   const LinearModel linear(data);
//   const Matrix forecast = linear.Continue(data.trajectories[0], times);
#pragma once

#include <span>
#include <vector>

#include "data/moments.h"

namespace gpode {

class LinearModel {
 public:
  explicit LinearModel(const Dataset& data);

  // Returns the forecast (T, channels) at increasing times after the last row of the trajectory. It
  // starts from the channels' last values.
  Matrix Continue(const Trajectory& seen, std::span<const double> times) const;
  // Returns the last observed value of each channel (channels). For a channel without a value in
  // the trajectory, it is the mean of the channel in all data.
  Vector LastValues(const Trajectory& seen) const;

  // Slope returns A and Offset returns b, in the user's units.
  Matrix Slope() const;
  Vector Offset() const;

 private:
  // Returns the values (T, channels), centred, in units of their standard deviations, without gaps.
  Matrix Filled(const Trajectory& t) const;
  void Fit(const Dataset& data);

  ChannelMoments moments_;
  Vector units_;
  Matrix a_;
  Vector b_;
};

}  // namespace gpode
