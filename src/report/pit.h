// Whether bands hold what they promise, by the probability integral transform (PIT)
//   u = (1/S) sum_s Phi((y - x_s) / sd)   of every observation y, draws x_s, noise sd,
// which is uniform if forecasts are calibrated. The central band of level p holds y if
// |2 u - 1| <= p.
#pragma once

#include <vector>

#include "gpode/forecast.h"

namespace gpode::report {

struct PitValues {
  std::vector<double> with_noise, without_noise;  // of equally many observations
};

// Of the observations (T, channels) at the forecast's times; NaN is passed over, and so are draws
// that diverged.
void AddPitValues(const Forecast& forecast, const Matrix& seen, PitValues* all);

// The share of values inside the central band.
double ShareInside(const std::vector<double>& pit, double level);

// How many values are in each of equal bins of [0, 1].
std::vector<double> PitCounts(const std::vector<double>& pit, std::size_t bins);

}  // namespace gpode::report
