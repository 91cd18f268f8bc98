// Checks of data and options before a model is learnt.
#pragma once

#include "gpode/dataset.h"
#include "gpode/fit_options.h"

namespace gpode {

// Throws an InputError that names the option which does not fit the data, or the data that cannot
// be learnt from.
void CheckFitInput(const Dataset& data, const FitOptions& options);

}  // namespace gpode
