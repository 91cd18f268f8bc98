// The values of channels that people see. Likelihoods of counts, and lognormal, see a channel through
// a soft floor (model/soft_floor.h): the rate or median that a draw stands for is positive, even
// where the draw itself is negative.
//
// Thread safety: any thread may call this function.
#pragma once

#include "gpode/forecast.h"

namespace gpode {

// Returns a draw or quantiles (T, channels) of a forecast as they are shown. Forecasts of states, and
// those without such likelihoods, are shown as they are.
Matrix ShownValues(const Forecast& forecast, Matrix values);

}  // namespace gpode
