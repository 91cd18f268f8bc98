// The state of a training run: with the data and the options, everything that its next step depends
// on.
//
// A run is saved and restored by copying this struct whole. The table of its members for model
// files (store/model_members.h) is a structured binding: after a new member is added here, that
// table does not compile until it lists the member, so that none is forgotten in the file.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/adam.h"
#include "start/initialise.h"
#include "train/plateau.h"

namespace gpode {

// The parameters of the last phase with the best score on the validation data.
struct ValidationState {
  std::vector<double> best_flat;  // unconstrained; empty before the first check
  double best_score = 0;
  std::size_t stale_checks = 0;  // number of checks since the best one

  bool operator==(const ValidationState&) const = default;
};

struct TrainerState {
  std::size_t phase = 0;
  std::size_t step = 0;  // number of steps taken in the phase
  // The step from which the learning rate falls to zero, after the bound has stopped improving; the
  // phase then ends early.
  std::optional<std::size_t> cooling_from;
  Plateau plateau;
  double log_tolerance = 0;  // used if the tolerance is learnt
  // True if the last phase continues with shooting, either because the field cannot follow whole
  // trajectories or because there are so many observations that this is unnecessary
  // (FitOptions::polish_most).
  bool keeps_shooting = false;
  std::size_t skipped = 0, skipped_in_a_row = 0;  // steps without a usable gradient

  std::vector<double> flat;  // unconstrained parameters
  Adam adam{0};
  // The number of updates of each state's posterior: initial states, then shooting states. A
  // minibatch updates only the states of its segments, and Adam needs each one's own count.
  std::vector<double> state_updates;
  std::vector<double> objective;  // the objective's checkpoint

  ValidationState validation;
  // The step of the last phase at which the parameters were reset to those with the best validation
  // score. From then on only the noise variance is updated (and the tolerance, if it is learnt).
  std::optional<std::size_t> settling_from;

  bool operator==(const TrainerState&) const = default;
};

struct TrainingState {
  // The start is saved rather than computed again, so that a resumed run does not change if a later
  // version of the program computes starts differently.
  Start start;
  TrainerState trainer;
};

}  // namespace gpode
