// The phases of a training run: each has a bound, a number of steps, a learning rate and a
// tolerance, and starts from where the one before ended.
#pragma once

#include <vector>

#include "gpode/model.h"

namespace gpode {

struct PhasePlan {
  BoundKind bound;
  std::size_t steps;
  double rate;  // the peak of its learning rate
};

// The phases that the options ask for: shooting, then whole trajectories.
std::vector<PhasePlan> PlanPhases(const FitOptions& options);

// The tolerance of shooting at `step` of a phase of `steps`, unless it is learnt.
double PlannedTolerance(const FitOptions& options, std::size_t step, std::size_t steps);

}  // namespace gpode
