// Reads the parts of model files that were different before format 2: arrays for each kind of model
// instead of named parameters, and flat vectors (gpode/parameters.h) in another order.
#pragma once

#include <string_view>

#include "gpode/model.h"
#include "gpode/npz.h"
#include "train/trainer_state.h"

namespace gpode::internal {

// Reads all of a model except its options, which must have been read before.
void ReadModelBeforeNames(const Archive& archive, std::string_view file, Model& model);

// Converts the start and the flat vectors of a training state to the form of format 2.
void ReadTrainingBeforeNames(const Archive& archive, std::string_view file, const Model& model,
                             TrainingState& state);

}  // namespace gpode::internal
