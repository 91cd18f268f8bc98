// Where a training run stands: with the data and the options, all that its next step depends on.
#pragma once

#include "start/initialise.h"
#include "train/trainer.h"

namespace gpode {

struct TrainingState {
  // Kept rather than computed again, so that a resumed run does not depend on how this version
  // initialises.
  Start start;
  TrainerState trainer;
};

}  // namespace gpode
