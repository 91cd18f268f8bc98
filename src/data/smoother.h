// A smoother for noisy, irregular series with gaps. Training starts from its values and
// derivatives, where the paper (section S2.2) takes differences of neighbouring observations.
//
// The series is modelled as a Gaussian process in time with the Matern 5/2 kernel plus white noise,
// in state-space form (Hartikainen and Sarkka, 2010), so that a Kalman filter and smoother take
// linear time. Of a grid of lengthscales and noise variances, those with the largest marginal
// likelihood are taken.
//
// Thread safety: all functions may be called from any thread.
//
//   SmootherParameters parameters = FitSmoother(series);
//   Smoothed smooth = Smooth(parameters, series[0], times);
#pragma once

#include <span>
#include <vector>

namespace gpode {

// One series. Times increase; NaN is a missing value.
struct Series {
  std::span<const double> times;
  std::span<const double> values;
};

struct SmootherParameters {
  double mean = 0;
  double variance = 1;     // signal variance
  double lengthscale = 1;  // in units of time
  double noise_variance = 0.1;
};

struct Smoothed {
  std::vector<double> value, slope, acceleration;  // at the requested times
};

// Fits parameters that all series share; series without observations are ignored. Of a series with
// more than two thousand values, the two thousand in the middle are used.
SmootherParameters FitSmoother(std::span<const Series> series);

// Returns smoothed values and derivatives at increasing times, which need not be those of the
// series.
Smoothed Smooth(const SmootherParameters& parameters, const Series& series,
                std::span<const double> at);

}  // namespace gpode
