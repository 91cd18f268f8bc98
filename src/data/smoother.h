// Smoothing a noisy, irregular series with gaps, to start training from: values and derivatives.
//
// The series is modelled as a Gaussian process in time with the Matern 5/2 kernel plus white noise,
// in state-space form (Hartikainen and Sarkka, 2010), so that one pass of a Kalman filter and
// smoother costs linear time. Lengthscale and noise come from the largest marginal likelihood on a
// grid.
#pragma once

#include <span>
#include <vector>

namespace gpode {

// One series: times increase, NaN values are missing.
struct Series {
  std::span<const double> times;
  std::span<const double> values;
};

struct SmootherParameters {
  double mean = 0;
  double variance = 1;     // of the signal
  double lengthscale = 1;  // in time
  double noise_variance = 0.1;
};

struct Smoothed {
  std::vector<double> value, slope, acceleration;  // at the requested times
};

// Parameters for series that share them; what has no observation is passed over. Of long series,
// two thousand points in the middle are enough.
SmootherParameters FitSmoother(std::span<const Series> series);

// Smoothed values and derivatives at increasing times, which need not be the series' own.
Smoothed Smooth(const SmootherParameters& parameters, const Series& series,
                std::span<const double> at);

}  // namespace gpode
