#include "train/check_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

constexpr std::string_view kWhere = "training";

void CheckAtMost(std::string_view name, std::size_t value, std::size_t most) {
  if (value <= most) return;
  ThrowInput(kWhere, name, fmt::format("is {}, must be at most {}", value, most));
}

void CheckNonNegativeValues(std::string_view name, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0 && std::isfinite(values[i]))) {
      CheckNonNegative(kWhere, fmt::format("{}[{}]", name, i), values[i]);
    }
  }
}

void CheckCounts(const TrainerState& state, std::span<const PhasePlan> plan) {
  if (state.phase > plan.size()) ThrowInput(kWhere, "phase", "is not one of the plan's");
  std::size_t all = kSettlingSteps;
  for (const PhasePlan& phase : plan) all += phase.steps;
  const bool ended = state.phase == plan.size(), settles = state.settling_from.has_value();
  const std::size_t steps = ended ? 1 : plan[state.phase].steps;
  // A run that has ended keeps the step from which it settled.
  if (settles) {
    if (plan.empty() || state.phase + 1 < plan.size()) {
      ThrowInput(kWhere, "settling_from", "is set, but the phase is not the last");
    }
    CheckAtMost("settling_from", *state.settling_from, plan.back().steps);
  }
  const std::size_t end = settles && !ended ? *state.settling_from + kSettlingSteps : steps;
  if (state.step >= end) ThrowInput(kWhere, "step", "is not one of the phase's");
  if (settles && !ended && state.step < *state.settling_from) {
    ThrowInput(kWhere, "step", "is before settling_from");
  }
  if (state.cooling_from) CheckAtMost("cooling_from", *state.cooling_from, state.step);
  CheckAtMost("skipped", state.skipped, all);
  CheckAtMost("skipped_in_a_row", state.skipped_in_a_row, state.skipped);
  CheckAtMost("adam_steps", state.adam.steps, all);
  CheckAtMost("stale_checks", state.validation.stale_checks, all);
  CheckAtMost("plateau/count", state.plateau.count, Plateau::kWindow - 1);
  CheckAtMost("plateau/windows", state.plateau.windows, all);
  CheckAtMost("plateau/stale", state.plateau.stale, state.plateau.windows);
}

}  // namespace

void CheckTrainerState(const TrainerState& state, std::span<const PhasePlan> plan, std::size_t size,
                       std::size_t states) {
  CheckCounts(state, plan);
  CheckSize(kWhere, "flat", state.flat.size(), size);
  CheckSize(kWhere, "first_moment", state.adam.first_moment.size(), size);
  CheckSize(kWhere, "second_moment", state.adam.second_moment.size(), size);
  CheckSize(kWhere, "state_updates", state.state_updates.size(), states);
  const std::vector<double>& best = state.validation.best_flat;
  if (!best.empty()) CheckSize(kWhere, "best_flat", best.size(), size);
}

void CheckTrainerNumbers(const TrainerState& state) {
  constexpr double kLargestLog = 300;
  CheckFinite(kWhere, "flat", state.flat);
  CheckFinite(kWhere, "first_moment", state.adam.first_moment);
  CheckNonNegativeValues("second_moment", state.adam.second_moment);
  CheckNonNegativeValues("state_updates", state.state_updates);
  CheckNonNegativeValues("step_hints", state.objective);
  CheckFinite(kWhere, "best_flat", state.validation.best_flat);
  CheckFinite(kWhere, "best_score", state.validation.best_score);
  if (!(std::fabs(state.log_tolerance) <= kLargestLog)) {
    ThrowInput(kWhere, "log_tolerance", "has an impossible value");
  }
}

}  // namespace gpode
