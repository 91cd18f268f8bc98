// A model of fewer trajectories, for reports and pictures that show only some.
#pragma once

#include "gpode/model.h"

namespace gpode {

// Returns the model without the states of trajectories from number `count` on. What was learnt of
// the field stays the same.
Model FirstTrajectories(const Model& model, std::size_t count);

}  // namespace gpode
