// The state of a training run: with the data and the options, everything that its next step depends
// on.
//
// A run is saved and restored by copying this struct whole. Its table of names for model files
// (store/model_members.h) takes it apart by a structured binding, so that a new member does not
// compile until it is saved.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/adam.h"
#include "start/initialise.h"
#include "train/plateau.h"

namespace gpode {

// The best parameters of the last phase by validation data.
struct ValidationState {
  std::vector<double> best_flat;  // empty before the first check
  double best_score = 0;
  std::size_t stale_checks = 0;  // since the best

  bool operator==(const ValidationState&) const = default;
};

struct TrainerState {
  std::size_t phase = 0;
  std::size_t step = 0;  // within the phase
  // The step from which the learning rate runs down before the end of the phase.
  std::optional<std::size_t> cooling_from;
  Plateau plateau;
  double log_tolerance = 0;                       // where the tolerance is learnt
  bool keeps_shooting = false;                    // whole trajectories were out of reach
  std::size_t skipped = 0, skipped_in_a_row = 0;  // steps without a usable gradient

  std::vector<double> flat;  // unconstrained parameters
  Adam adam{0};
  // The number of updates of each state's posterior: initial states, then shooting states.
  // Minibatches leave most states as they are.
  std::vector<double> state_updates;
  std::vector<double> objective;  // the objective's checkpoint

  ValidationState validation;
  // The step of the last phase from which on the best parameters by validation are kept, and only
  // the noise follows the residuals.
  std::optional<std::size_t> settling_from;

  bool operator==(const TrainerState&) const = default;
};

struct TrainingState {
  // The start is kept rather than computed again, so that a resumed run does not depend on how this
  // version initialises.
  Start start;
  TrainerState trainer;
};

}  // namespace gpode
