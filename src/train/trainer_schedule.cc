// The part of Trainer that sets, from step to step, the learning rate, the tolerance and the noise
// variance, checks validation data, and ends phases.
#include <algorithm>
#include <cmath>

#include "model/natural.h"
#include "train/check_state.h"
#include "train/trainer.h"

namespace gpode {
namespace {

// Limits a learnt tolerance: at zero, log p(s_i | s_(i-1)) would be infinite.
constexpr double kSmallestTolerance = 1e-6;

// Returns the number of steps in which the learning rate falls to zero, if the bound stopped
// improving at step `from`.
std::size_t CoolingSteps(std::size_t from) { return std::max(Plateau::kWindow, from / 4); }

}  // namespace

std::size_t Trainer::steps() const {
  return planned_steps_ + (validation_ && !IsNoiseKnown() ? kSettlingSteps : 0);
}

std::size_t Trainer::GlobalStep() const {
  std::size_t step = state_.step;
  for (std::size_t i = 0; i < state_.phase; ++i) step += plan_[i].steps;
  return step;
}

std::size_t Trainer::EndOfPhase() const {
  const std::size_t planned = plan_[state_.phase].steps;
  if (IsSettling()) return *state_.settling_from + kSettlingSteps;
  const bool stale = state_.validation.stale_checks >= options_.validation_patience;
  if (options_.validation_patience > 0 && stale) return 0;
  if (!state_.cooling_from) return planned;
  return std::min(planned, *state_.cooling_from + CoolingSteps(*state_.cooling_from));
}

double Trainer::CurrentRate() const {
  const LearningRateSchedule& planned = plan_[state_.phase].rate;
  if (!state_.cooling_from) return planned.At(state_.step);
  const std::size_t from = *state_.cooling_from;
  return planned.CooledFrom(from, EndOfPhase() - from).At(state_.step - from);
}

Tolerance Trainer::CurrentTolerance() const {
  double scale = tolerance_.At(state_.step, plan_[state_.phase].steps);
  if (state_.keeps_shooting) scale = tolerance_.tight;
  if (tolerance_.rule == ToleranceRule::kLearnt) scale = std::exp(state_.log_tolerance);
  return {.prior = options_.tolerance_prior, .scale = scale};
}

bool Trainer::IsNoiseHeld() const {
  if (IsSettling()) return false;
  return IsNoiseKnown() || static_cast<double>(GlobalStep()) <
                               options_.noise_hold * static_cast<double>(planned_steps_);
}

void Trainer::UpdateLikelihood() {
  if (IsNoiseHeld()) return;
  const Likelihood& likelihood = parts_->likelihood();
  const ParameterBlock& block = layout().blocks()[parts_->likelihood_block()];
  const std::span<double> log_parameters =
      std::span(state_.flat).subspan(block.flat_offset, block.flat_size);
  const std::span<const double> gradient =
      std::span<const double>(gradient_).subspan(block.flat_offset, block.flat_size);
  const std::span<const double> start(start_noise_);
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    likelihood.ForChannel(c).Update(likelihood.OfChannel(c, gradient), counts_[c],
                                    likelihood.OfChannel(c, start),
                                    likelihood.OfChannel(c, log_parameters));
  }
}

// Moves a learnt tolerance towards the gaps between segments; `gap` is BoundTerms::gap.
// NaturalLogStep returns the step of a log variance. A Gaussian tolerance is a standard deviation,
// so that its logarithm takes half of that step.
void Trainer::UpdateTolerance(double gap) {
  if (tolerance_.rule != ToleranceRule::kLearnt || parts_->shape().shooting_states == 0) return;
  const double half = options_.tolerance_prior == TolerancePrior::kGaussian ? 0.5 : 1.0;
  state_.log_tolerance =
      std::max(state_.log_tolerance + half * NaturalLogStep(gap), std::log(kSmallestTolerance));
}

// Scores the parameters on the validation data every kValidationEvery steps and keeps the best.
// Only steps of the last phase count, because its parameters become the model.
void Trainer::CheckValidation() {
  const bool due = (state_.step + 1) % kValidationEvery == 0 || state_.step + 1 == EndOfPhase();
  if (!validation_ || !IsLastPhase() || !due || IsSettling()) return;
  const double score = validation_->Score(*parts_, state_.flat, pool_);
  ValidationState& best = state_.validation;
  const bool better = std::isfinite(score) && (best.best_flat.empty() || score > best.best_score);
  best.stale_checks = better ? 0 : best.stale_checks + 1;
  if (!better) return;
  CollectStates();
  best.best_score = score;
  best.best_flat = state_.flat;
}

// Lets the learning rate run down once the bound no longer grows. Watches the bound only in the
// last phase, and not while the noise is still held or the tolerance still falls: the bound may
// rise again when they change.
void Trainer::WatchPlateau(double bound) {
  const bool noise_is_pending = IsNoiseHeld() && !IsNoiseKnown();
  const bool tolerance_moves =
      BoundOf(state_.phase) == BoundKind::kShooting &&
      static_cast<double>(state_.step) <
          options_.tightening * static_cast<double>(plan_[state_.phase].steps);
  if (!IsLastPhase() || noise_is_pending || tolerance_moves) return;
  if (options_.patience == 0 || state_.cooling_from || IsSettling()) return;
  state_.plateau.Add(bound);
  if (state_.plateau.stale >= options_.patience) state_.cooling_from = state_.step + 1;
}

}  // namespace gpode
