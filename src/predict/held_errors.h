// Errors of forecasts, as FitWidening takes them.
#pragma once

#include <vector>

#include "gpode/forecast.h"
#include "gpode/holdout.h"

namespace gpode {

// Adds the errors of a forecast of `seen` (T, channels) whose horizons count from the time `begins`.
// Missing values, values at or before that time, and times that no draw reached are left out.
void AddHeldErrors(const Forecast& forecast, const Matrix& seen, double begins,
                   std::size_t trajectory, std::vector<HeldError>* errors);

}  // namespace gpode
