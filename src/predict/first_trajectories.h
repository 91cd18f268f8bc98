// A model with only the first trajectories, for reports and plots that show only these.
#pragma once

#include "gpode/model.h"

namespace gpode {

// Returns the model with the states of its first `count` trajectories only. The posterior of the
// field stays that of all trajectories.
Model FirstTrajectories(const Model& model, std::size_t count);

}  // namespace gpode
