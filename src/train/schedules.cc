#include "train/schedules.h"

#include <algorithm>
#include <cmath>

#include "core/adam.h"
#include "model/model_parts.h"

namespace gpode {

double LearningRateSchedule::At(std::size_t step) const {
  return CosineRate(peak, step, warm_up, steps);
}

LearningRateSchedule LearningRateSchedule::CooledFrom(std::size_t from, std::size_t within) const {
  return {.peak = At(from), .warm_up = 0, .steps = within};
}

double ToleranceSchedule::At(std::size_t step, std::size_t steps) const {
  if (rule == ToleranceRule::kFixed) return tight;
  const double done = static_cast<double>(step) / (lowered_for * static_cast<double>(steps));
  const double log_loose = std::log(loose), log_tight = std::log(tight);
  return std::exp(log_loose + (log_tight - log_loose) * std::min(done, 1.0));
}

ToleranceSchedule ToleranceScheduleOf(const FitOptions& options) {
  return {.rule = options.tolerance,
          .loose = options.loose_tolerance,
          .tight = options.tight_tolerance,
          .lowered_for = options.tightening};
}

std::vector<PhasePlan> PlanOf(const FitOptions& options, std::size_t dim, std::size_t inputs) {
  const ModelParts parts(options, {.dim = dim, .inputs = inputs});
  return PlanPhases(options,
                    parts.function().is_regular() && !parts.posterior().is_point_estimate());
}

std::vector<PhasePlan> PlanPhases(const FitOptions& o, bool approaches) {
  const bool vanilla = o.bound == BoundKind::kVanilla;
  const double share = vanilla ? (approaches ? o.approach : 0) : 1 - o.polish;
  const auto shooting = static_cast<std::size_t>(std::round(share * static_cast<double>(o.steps)));
  const auto rate = [&](double peak, std::size_t steps) {
    return LearningRateSchedule{.peak = peak, .warm_up = o.warm_up, .steps = steps};
  };
  std::vector<PhasePlan> plan;
  if (shooting > 0) {
    plan.push_back({BoundKind::kShooting, shooting, rate(o.learning_rate, shooting)});
  }
  if (shooting < o.steps) {
    const std::size_t steps = o.steps - shooting;
    const double peak = (plan.empty() ? 1.0 : o.last_rate) * o.learning_rate;
    plan.push_back({BoundKind::kVanilla, steps, rate(peak, steps)});
  }
  return plan;
}

}  // namespace gpode
