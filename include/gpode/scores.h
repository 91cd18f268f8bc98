// Scores of a forecast against observations.
//
// With draws x_s, s = 1 .. S, and the likelihood p(y | x) of a channel, for every value y (the
// variance of the likelihood is enlarged by 1e-8, so that it is never zero):
//   MNLL      - log (1/S) sum_s p(y | x_s)
//   MSE       (y - (1/S) sum_s x_s)^2
//   CRPS      E|Y - y| - E|Y - Y'| / 2,  Y and Y' from the mixture of the p(. | x_s)
//   coverage  1 if y is in the central 50, 90 or 95 % of the draws, else 0; `predictive` is the
//             same for the central part of the mixture of the p(. | x_s)
// A score is the average over all values that are not NaN. Lower is better, except for coverage,
// which should be near its level. A forecast whose bands are widened (widening.h) has the scores of
// its widened draws, with two exceptions: the mean in MSE stays that of the draws themselves, and a
// value that is inside a `predictive` band before widening counts as inside.
//
// A draw that is lost, because its integration failed, makes MSE and CRPS infinite and has
// probability zero in MNLL. In bands it counts as in Forecast::Quantile; a value is outside a band
// whose ends are NaN.
//
// Thread safety: all functions may be called from any thread; results have the same bits for any
// number of threads.
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
  // Coverage of the bands without noise, to be used if the exact states are known, as in
  // simulations.
  double coverage_50 = 0, coverage_90 = 0, coverage_95 = 0;
  // Coverage of the bands with noise, to be used for real observations.
  double predictive_50 = 0, predictive_90 = 0, predictive_95 = 0;
  std::size_t values = 0;      // number of values compared
  std::size_t diverged = 0;    // number of draws that ran away
  std::size_t unfinished = 0;  // number of draws that needed more solver steps than allowed
};

// Returns the scores of a forecast against `observed` (T, channels) with this noise. NaN is a
// missing value.
Scores Score(const Forecast& forecast, const ObservationNoise& noise, const Matrix& observed,
             std::size_t threads = 0);

// Returns the scores of several forecasts together, weighted by their numbers of values.
Scores Pool(std::span<const Scores> parts);

// The scores of the values at times t with from <= t - start < to. In a row for a single time t,
// `from` and `to` are both t - start.
struct HorizonScores {
  double from = 0, to = 0;
  Scores scores;  // `diverged` and `unfinished` count draws lost at these times
};

// Returns the scores by the time since `start`, such as the time of the last observation. There is
// one row for each interval between increasing `edges`, and values outside the edges are left out.
// If there are no edges, there is one row per distinct time.
std::vector<HorizonScores> ScoreByHorizon(const Forecast& forecast, const ObservationNoise& noise,
                                          const Matrix& observed, double start,
                                          std::span<const double> edges = {},
                                          std::size_t threads = 0);

// Returns the scores of several forecasts together, row by row. All must have the same rows.
std::vector<HorizonScores> PoolByHorizon(std::span<const std::vector<HorizonScores>> parts);

// Returns noise with which forecasts of the held-out observations are calibrated. The variance of a
// channel is the mean of (y - mean of the draws)^2 - (variance of the draws), but never less than
// the learnt variance. Forecasts of an imperfect model have larger errors than its training
// residuals; held-out data show how much larger.
ObservationNoise CalibratedNoise(const ObservationNoise& learnt,
                                 std::span<const Forecast> forecasts,
                                 std::span<const Matrix> observed);

}  // namespace gpode
