#include "train/phases.h"

#include <algorithm>
#include <cmath>

namespace gpode {

std::vector<PhasePlan> PlanPhases(const FitOptions& o) {
  const bool vanilla = o.bound == BoundKind::kVanilla;
  // Where nothing but the data holds the field back, as it does a network or a point, shooting
  // follows the noise from state to state, and does not come back from there.
  const double shooting_share =
      vanilla ? (o.model == ModelKind::kGpode ? o.approach : 0) : 1 - o.polish;
  const auto shooting =
      static_cast<std::size_t>(std::round(shooting_share * static_cast<double>(o.steps)));
  std::vector<PhasePlan> plan;
  if (shooting > 0) plan.push_back({BoundKind::kShooting, shooting, o.learning_rate});
  if (shooting < o.steps) {
    const double share = plan.empty() ? 1.0 : o.last_rate;
    plan.push_back({BoundKind::kVanilla, o.steps - shooting, share * o.learning_rate});
  }
  return plan;
}

double PlannedTolerance(const FitOptions& o, std::size_t step, std::size_t steps) {
  if (o.tolerance == ToleranceRule::kFixed) return o.tight_tolerance;
  const double done = static_cast<double>(step) / (o.tightening * static_cast<double>(steps));
  const double loose = std::log(o.loose_tolerance), tight = std::log(o.tight_tolerance);
  return std::exp(loose + (tight - loose) * std::min(done, 1.0));
}

}  // namespace gpode
