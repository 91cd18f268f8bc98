// Checks the state of a training run that was read from a file. Without these checks, impossible
// counts and sizes would make a resumed run read out of bounds, or never end.
//
// Thread safety: any thread may call these functions.
//
//   CheckTrainerState(state, PlanOf(options, dim, inputs), parts.layout().flat_size(), states);
#pragma once

#include <cstddef>
#include <span>

#include "train/schedules.h"
#include "train/trainer_state.h"

namespace gpode {

// The number of steps at the end of a run with validation data in which the noise variance is the
// only parameter that changes.
inline constexpr std::size_t kSettlingSteps = 100;

// Throws an InputError unless a run with this plan can have these counts and sizes. `size` is the
// number of unconstrained parameters in the state's phase, `states` the number of its initial and
// shooting states.
void CheckTrainerState(const TrainerState& state, std::span<const PhasePlan> plan, std::size_t size,
                       std::size_t states);
// Throws an InputError unless all numbers of the state are finite and in their ranges.
void CheckTrainerNumbers(const TrainerState& state);

}  // namespace gpode
