// Schedules of training: the phases of a run, and how the learning rate and the tolerance of
// shooting (sigma_xi of the paper, section 3.4) change over their steps.
#pragma once

#include <cstddef>
#include <vector>

#include "gpode/fit_options.h"

namespace gpode {

// The learning rate rises linearly to `peak` during the warm-up, then falls along half a cosine to
// zero at `steps`.
struct LearningRateSchedule {
  double peak = 0;
  std::size_t warm_up = 0, steps = 0;

  double At(std::size_t step) const;
  // Returns the schedule that falls from this one's rate at `from` to zero within `steps` steps.
  LearningRateSchedule CooledFrom(std::size_t from, std::size_t steps) const;
};

// The tolerance of shooting. With kFixed it is `tight` throughout; otherwise it falls from `loose`
// to `tight` by the same factor in every step, over the first part of a phase. `lowered_for` is the
// length of that part as a share of the phase's steps.
struct ToleranceSchedule {
  ToleranceRule rule = ToleranceRule::kLowered;
  double loose = 0.1, tight = 0.01;
  double lowered_for = 0.7;

  double At(std::size_t step, std::size_t steps) const;
};
ToleranceSchedule ToleranceScheduleOf(const FitOptions& options);

// A phase of a run. Its parameters start with the values that the phase before has reached.
struct PhasePlan {
  BoundKind bound;
  std::size_t steps;
  LearningRateSchedule rate;
};

// Returns the phases that the options ask for: shooting, then whole trajectories. With the vanilla
// bound, there is a shooting phase only if `approaches` is true.
std::vector<PhasePlan> PlanPhases(const FitOptions& options, bool approaches);

// Returns the phases of a run with these options on states of this dimension.
std::vector<PhasePlan> PlanOf(const FitOptions& options, std::size_t dim, std::size_t inputs);

}  // namespace gpode
