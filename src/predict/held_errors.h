// The errors of a forecast, in the form that FitWidening (gpode/holdout.h) takes.
#pragma once

#include <vector>

#include "gpode/forecast.h"
#include "gpode/holdout.h"

namespace gpode {

// Adds the errors of a forecast of the values `seen` (T, channels). The horizon of a value is its
// time minus `begins`. Missing values, values whose horizon is not positive, and values at times
// at which too many draws are lost are left out.
void AddHeldErrors(const Forecast& forecast, const Matrix& seen, double begins,
                   std::size_t trajectory, std::vector<HeldError>* errors);

}  // namespace gpode
