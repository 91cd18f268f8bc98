// Calibration of forecasts by the probability integral transform (PIT), the distribution function
// of the forecast at every observation y:
//   u = (1/S) sum_s Phi((y - x_s) / sd)
// for Gaussian noise of standard deviation sd, with draws x_s, s = 1, ..., S, and the standard
// normal distribution function Phi. The values u are uniform if forecasts are calibrated. The
// central band of level p contains y if |2 u - 1| <= p.
//
// Thread safety: any thread may call these functions with its own values.
#pragma once

#include <vector>

#include "gpode/forecast.h"

namespace gpode {

struct PitValues {
  // One value each per observation. `without_noise` is the share of draws below the observation;
  // draws equal to it count half.
  std::vector<double> with_noise, without_noise;
  // The number of observations without PIT values, because more than kMostLost of the draws are
  // lost (gpode/forecast.h).
  std::size_t missed = 0;
};

// Adds the PIT values of the observations `seen` (T, channels) at the forecast's times, and counts
// the missed ones. Missing observations are ignored. Lost draws are left out; the others are
// widened if the forecast is.
void AddPitValues(const Forecast& forecast, const Matrix& seen, PitValues* all);

// Returns the share of values inside the central band of a level. `missed` more values count as
// outside.
double ShareInside(const std::vector<double>& pit, double level, std::size_t missed = 0);

// Returns the number of values in each of `bins` equal parts of [0, 1].
std::vector<double> PitCounts(const std::vector<double>& pit, std::size_t bins);

}  // namespace gpode
