// Calibration of forecasts by the probability integral transform (PIT)
//   u = (1/S) sum_s Phi((y - x_s) / sd)
// of every observation y, with draws x_s, s = 1, ..., S, and the standard deviation sd of the
// noise. The values u are uniform if forecasts are calibrated. The central band of level p holds y
// if |2 u - 1| <= p.
//
// Thread safety: plain values and functions.
#pragma once

#include <vector>

#include "gpode/forecast.h"

namespace gpode::report {

struct PitValues {
  std::vector<double> with_noise, without_noise;  // one value each per observation
};

// Adds the PIT values of the observations (T, channels) at the forecast's times. Missing
// observations and draws that diverged are ignored.
void AddPitValues(const Forecast& forecast, const Matrix& seen, PitValues* all);

// Returns the share of values inside the central band of a level.
double ShareInside(const std::vector<double>& pit, double level);

// Returns the number of values in each of equal bins of [0, 1].
std::vector<double> PitCounts(const std::vector<double>& pit, std::size_t bins);

}  // namespace gpode::report
