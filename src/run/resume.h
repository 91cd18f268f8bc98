// Continues a training run that has been loaded from a file. See Resume in gpode/training.h.
#pragma once

#include <string_view>

#include "gpode/training.h"

namespace gpode::internal {

// Returns the model at the end of the run. Messages about the saved run begin with `name`. Nothing
// is written unless control.checkpoint names a file.
TrainedModel ResumeSaved(TrainedModel saved, std::string_view name, const FitControl& control);

}  // namespace gpode::internal
