// Schedules of training: the phases of a run, and the learning rate and the tolerance of shooting
// over their steps.
#pragma once

#include <cstddef>
#include <vector>

#include "gpode/fit_options.h"

namespace gpode {

// A linear warm-up to `peak`, then half a cosine down to zero at `steps`.
struct LearningRateSchedule {
  double peak = 0;
  std::size_t warm_up = 0, steps = 0;

  double At(std::size_t step) const;
  // Returns the schedule that falls from this one's rate at `from` to zero within `steps` steps.
  LearningRateSchedule CooledFrom(std::size_t from, std::size_t steps) const;
};

// The tolerance of shooting, lowered from loose to tight in equal ratios over the first part of a
// phase, or fixed.
struct ToleranceSchedule {
  ToleranceRule rule = ToleranceRule::kLowered;
  double loose = 0.1, tight = 0.01;
  double lowered_for = 0.7;  // share of the phase

  double At(std::size_t step, std::size_t steps) const;
};
ToleranceSchedule ToleranceScheduleOf(const FitOptions& options);

// A phase of a run has a bound, a number of steps and a learning rate, and starts from where the
// phase before ended.
struct PhasePlan {
  BoundKind bound;
  std::size_t steps;
  LearningRateSchedule rate;
};

// Returns the phases that the options ask for: shooting, then whole trajectories. With the vanilla
// bound, only functions for which `approaches` is true shoot first.
std::vector<PhasePlan> PlanPhases(const FitOptions& options, bool approaches);

}  // namespace gpode
