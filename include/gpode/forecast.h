// Forecasts from a learnt model, and their scores.
//
// A forecast is a set of draws: functions from the posterior of the field, each integrated from a
// start drawn from the posterior of the initial state, or given.
//
//   Forecast forecast = ForecastTrajectory(model, 0, times);
//   Scores scores = Score(forecast, model.noise_variance, test_values);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpode/model.h"

namespace gpode {

struct ForecastOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
};

struct Forecast {
  std::vector<double> times;  // (T)
  // One (T, channels) per draw, in the user's units, without observation noise. Draws that diverged
  // before some time have NaN there and are counted.
  std::vector<Matrix> draws;
  std::size_t diverged = 0;

  Matrix Mean() const;              // (T, channels)
  Matrix Quantile(double p) const;  // (T, channels), between draws
};

// From the posterior of a training trajectory's initial state, at times on either side of its
// start.
Forecast ForecastTrajectory(const Model& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options = {});

// From a known state: values of all channels at `start`, mapped to the nearest state.
Forecast ForecastFrom(const Model& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options = {});

// Scores against observed values (T, channels); NaN is passed over. Lower is better but for
// coverage, which should be near its level. A diverged draw makes mse and crps infinite, has
// probability zero in mnll, and is left out of the bands; `diverged` says how many there are.
struct Scores {
  double mnll = 0;  // minus the mean log of (1/S) sum_s N(y | x_s, noise variance)
  double mse = 0;   // of the draws' mean
  double crps = 0;  // of the draws with noise
  double coverage_50 = 0, coverage_90 = 0, coverage_95 = 0;  // of bands without noise
  std::size_t values = 0;
  std::size_t diverged = 0;
};

Scores Score(const Forecast& forecast, const Vector& noise_variance, const Matrix& observed);

// Scores of several forecasts together: each counts by its number of values.
Scores Pool(std::span<const Scores> parts);

}  // namespace gpode
