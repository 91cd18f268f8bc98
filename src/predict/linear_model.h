// The linear model x' = A x + b of all channels, which forecasts of held-back data are compared
// with.
//
// It is fitted by least squares to the integrals of the equation over windows of a few rows,
//   (x(t_j) - x(t_i)) / (t_j - t_i) = A xbar_ij + b,
// with xbar_ij the mean of x between t_i and t_j by the trapezoidal rule, which noise disturbs much
// less than differences of neighbouring rows. Channels are scaled to unit size, and A is shrunk by
// one percent of their variance. Missing values are interpolated. Eigenvalues of A with a positive
// real part, which would let long forecasts explode, lose that part.
//
// Thread safety: never changes after construction; any thread may call anything.
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

  // Returns the values (T, channels) at increasing times after the last row of the trajectory, where
  // the forecast starts.
  Matrix Continue(const Trajectory& seen, std::span<const double> times) const;
  // Returns the last value of each channel (channels); the mean of the data where the trajectory
  // has none.
  Vector LastValues(const Trajectory& seen) const;

  // A and b in the user's units.
  Matrix Slope() const;
  Vector Offset() const;

 private:
  Matrix Filled(const Trajectory& t) const;  // (T, channels), in units of the channels' spread
  void Fit(const Dataset& data);

  ChannelMoments moments_;
  Vector units_;
  Matrix a_;
  Vector b_;
};

}  // namespace gpode
