// What changes from step to step besides the gradient's ascent: learning rate, tolerance, noise,
// and when to end.
#include <algorithm>
#include <cmath>

#include "train/natural.h"
#include "train/trainer.h"

namespace gpode {
namespace {

// The noise's variance never falls below this share of where it started.
constexpr double kSmallestNoise = 1e-9;
constexpr double kSmallestTolerance = 1e-6;

// How long the rate takes to run down once the bound no longer improves.
std::size_t CoolingSteps(std::size_t from) { return std::max(Plateau::kWindow, from / 4); }

}  // namespace

std::size_t Trainer::steps() const {
  const bool settles = validation_ && options_.noise_variance.empty();
  return planned_steps_ + (settles ? kSettlingSteps : 0);
}

std::size_t Trainer::EndOfPhase() const {
  const std::size_t planned = plan_[state_.phase].steps;
  if (Settles()) return state_.settling_from + kSettlingSteps;
  if (options_.validation_patience > 0 && state_.stale_checks >= options_.validation_patience) {
    return 0;
  }
  if (state_.cooling_from == 0) return planned;
  return std::min(planned, state_.cooling_from + CoolingSteps(state_.cooling_from));
}

double Trainer::CurrentRate() const {
  const PhasePlan& phase = plan_[state_.phase];
  const auto planned = [&](std::size_t step) {
    return CosineRate(phase.rate, step, options_.warm_up, phase.steps);
  };
  const std::size_t from = state_.cooling_from;
  if (from == 0) return planned(state_.step);
  return CosineRate(planned(from), state_.step - from, 0, EndOfPhase() - from);
}

Tolerance Trainer::CurrentTolerance() const {
  const double scale = options_.tolerance == ToleranceRule::kLearnt ? std::exp(state_.log_tolerance)
                       : state_.keeps_shooting
                           ? options_.tight_tolerance
                           : PlannedTolerance(options_, state_.step, plan_[state_.phase].steps);
  return {.prior = options_.tolerance_prior, .scale = scale};
}

bool Trainer::NoiseIsHeld() const {
  if (Settles()) return false;
  return !options_.noise_variance.empty() ||
         static_cast<double>(GlobalStep()) <
             options_.noise_hold * static_cast<double>(planned_steps_);
}

void Trainer::UpdateNoise() {
  if (NoiseIsHeld()) return;
  const ParameterBlock& block = layout().blocks()[parameters_->noise_variance];
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    if (!(counts_[c] > 0)) continue;
    // The gradient with respect to log variance is  count / 2 (E r^2 / variance - 1).
    const double ratio = 1 + 2 * gradient_[block.flat_offset + c] / counts_[c];
    const double least =
        std::log(kSmallestNoise * start_.noise_variance[static_cast<Eigen::Index>(c)]);
    double& log_variance = state_.flat[block.flat_offset + c];
    log_variance = std::max(log_variance + NaturalLogStep(ratio), least);
  }
}

// `gap` is BoundTerms::gap; the tolerance is a standard deviation, not a variance.
void Trainer::UpdateTolerance(double gap) {
  if (options_.tolerance != ToleranceRule::kLearnt || parameters_->shape().shooting_states == 0) {
    return;
  }
  const double half = options_.tolerance_prior == TolerancePrior::kGaussian ? 0.5 : 1.0;
  state_.log_tolerance =
      std::max(state_.log_tolerance + half * NaturalLogStep(gap), std::log(kSmallestTolerance));
}

// Of the last phase: those before it are on the way.
void Trainer::CheckValidation() {
  constexpr std::size_t kEvery = 50;
  const bool due = (state_.step + 1) % kEvery == 0 || state_.step + 1 == EndOfPhase();
  if (!validation_ || state_.phase + 1 != plan_.size() || !due || Settles()) return;
  const double score = validation_->Score(*parameters_, state_.flat, pool_);
  const bool better =
      std::isfinite(score) && (state_.best_flat.empty() || score > state_.best_score);
  state_.stale_checks = better ? 0 : state_.stale_checks + 1;
  if (!better) return;
  state_.best_score = score;
  state_.best_flat = state_.flat;
}

// Where validation data have chosen: the noise was held, or that of other parameters. Whether it
// begins.
bool Trainer::BeginSettling() {
  const bool last = state_.phase + 1 == plan_.size();
  if (!last || state_.best_flat.empty() || Settles() || !options_.noise_variance.empty()) {
    return false;
  }
  state_.flat = state_.best_flat;
  state_.settling_from = state_.step;
  return true;
}

// Only where nothing but the parameters changes from step to step.
void Trainer::WatchPlateau(double bound) {
  const bool settled = state_.phase + 1 == plan_.size() &&
                       (!NoiseIsHeld() || !options_.noise_variance.empty()) &&
                       (BoundOf(state_.phase) == BoundKind::kVanilla ||
                        static_cast<double>(state_.step) >=
                            options_.tightening * static_cast<double>(plan_[state_.phase].steps));
  if (!settled || options_.patience == 0 || state_.cooling_from > 0 || Settles()) return;
  state_.plateau.Add(bound);
  if (state_.plateau.stale >= options_.patience) state_.cooling_from = state_.step + 1;
}

}  // namespace gpode
