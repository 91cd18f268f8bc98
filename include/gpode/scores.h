// Scores of a forecast against what was observed.
//
// With draws x_s, s = 1 .. S, and the likelihood p(y | x) of a channel, whose variance is enlarged by
// 1e-8, for every value y:
//   MNLL      - log (1/S) sum_s p(y | x_s)
//   MSE       (y - (1/S) sum_s x_s)^2
//   CRPS      E|Y - y| - E|Y - Y'| / 2,  Y and Y' from the mixture of the p(. | x_s)
//   coverage  whether y is in the central 50, 90 or 95 % of the draws, or of that mixture
// averaged over all values that are not NaN. Lower is better but for coverage, which should be near
// its level.
//
// A diverged draw makes MSE and CRPS infinite, has probability zero in MNLL, and is left out of the
// bands; `diverged` says how many there are.
//
// Thread safety: plain functions and values; the same bits for any number of threads.
//
//   Scores scores = Score(forecast, forecast.noise, test_values);
//   std::vector<HorizonScores> rows = ScoreByHorizon(forecast, forecast.noise, test_values, end);
#pragma once

#include <span>
#include <vector>

#include "gpode/forecast.h"

namespace gpode {

struct Scores {
  double mnll = 0, mse = 0, crps = 0;
  // Of the bands without noise: right for the truth, if it is known, as in simulations.
  double coverage_50 = 0, coverage_90 = 0, coverage_95 = 0;
  // Of the bands with noise: right for real observations, which have noise.
  double predictive_50 = 0, predictive_90 = 0, predictive_95 = 0;
  std::size_t values = 0;    // how many were compared
  std::size_t diverged = 0;  // draws
};

// Scores against `observed` (T, channels), where NaN is passed over, with this noise.
Scores Score(const Forecast& forecast, const ObservationNoise& noise, const Matrix& observed,
             std::size_t threads = 0);

// Scores of several forecasts together: each counts by its number of values.
Scores Pool(std::span<const Scores> parts);

// Scores of the values at times t with from <= t - start < to; for a row that is one time, both are
// t - start.
struct HorizonScores {
  double from = 0, to = 0;
  Scores scores;  // `diverged`: by then
};

// By the time since `start`, such as the last observation's: a row between each two of the
// increasing `edges`, values outside of them being left out; without edges, a row per distinct
// time.
std::vector<HorizonScores> ScoreByHorizon(const Forecast& forecast, const ObservationNoise& noise,
                                          const Matrix& observed, double start,
                                          std::span<const double> edges = {},
                                          std::size_t threads = 0);

// Several forecasts together, row by row; all have the same rows.
std::vector<HorizonScores> PoolByHorizon(std::span<const std::vector<HorizonScores>> parts);

// The noise (channels) that forecasts of observations not trained on call for: per channel, what
// their squared errors (y - mean)^2 leave over once the draws' own variance is taken off, on
// average, and never less than was learnt. Where the model is not quite the truth, forecasts err by
// more than training residuals; validation data tell by how much.
ObservationNoise CalibratedNoise(const ObservationNoise& learnt,
                                 std::span<const Forecast> forecasts,
                                 std::span<const Matrix> observed);

}  // namespace gpode
