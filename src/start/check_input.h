// Checks of data and options before a model is learnt.
#pragma once

#include "gpode/dataset.h"
#include "gpode/fit_options.h"

namespace gpode {

// Throws an InputError if an option does not fit the data, or if a model cannot be learnt from the
// data. The message names the option, or the trajectory or channel.
void CheckFitInput(const Dataset& data, const FitOptions& options);

}  // namespace gpode
