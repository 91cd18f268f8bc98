// Reads what model files had before format 1.2: members for each kind of model in place of named
// parameters, and flat vectors in another order.
#pragma once

#include <string_view>

#include "gpode/model.h"
#include "gpode/npz.h"
#include "train/trainer_state.h"

namespace gpode::internal {

// Reads everything of a model but its options, which it has already.
void ReadModelBeforeNames(const Archive& archive, std::string_view file, Model& model);

// Brings the start and the flat vectors of a training state into the present form.
void ReadTrainingBeforeNames(const Archive& archive, std::string_view file, const Model& model,
                             TrainingState& state);

}  // namespace gpode::internal
