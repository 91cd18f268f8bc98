// What a Trainer gives away: the model as it is now, and its own state.
#include <algorithm>

#include "gpode/error.h"
#include "train/trainer.h"

namespace gpode {

Model Trainer::Snapshot() const {
  Model model = ModelWithout(data_, options_, start_);
  model.warning = Warning();
  std::vector<double> values(layout().value_size());
  const bool chosen = !state_.best_flat.empty() && !Settles();
  layout().Constrain(chosen ? state_.best_flat : state_.flat, values);
  ClearSpreads(values);
  const std::span<const double> view(values);
  ReadField(view, model);
  const auto noise = layout().Values(parameters_->noise_variance, view);
  model.noise_variance = Eigen::Map<const Vector>(noise.data(), noise.size());
  const auto n = static_cast<Eigen::Index>(parameters_->shape().trajectories);
  const auto d = static_cast<Eigen::Index>(parameters_->shape().dim);
  model.x0_mean =
      Eigen::Map<const Matrix>(layout().Values(parameters_->x0_mean, view).data(), n, d);
  const double* chol = layout().Values(parameters_->x0_chol, view).data();
  for (Eigen::Index i = 0; i < n; ++i) {
    model.x0_chol.push_back(Eigen::Map<const Matrix>(chol + i * d * d, d, d));
  }
  ReadShootingStates(view, model);
  return model;
}

// A point has none.
void Trainer::ClearSpreads(std::span<double> values) const {
  if (KnowledgeOf(options_.model) != Knowledge::kPoint) return;
  for (std::size_t block : {parameters_->inducing_chol, parameters_->weight_deviation,
                            parameters_->x0_chol, parameters_->state_chol}) {
    std::ranges::fill(layout().Values(block, values), 0.0);
  }
}

void Trainer::ReadField(std::span<const double> values, Model& model) const {
  if (!IsNetwork(options_.model)) return parameters_->ReadGp(values, model.gp);
  const auto read = [&](std::size_t block) -> Vector {
    const auto own = layout().Values(block, values);
    return Eigen::Map<const Vector>(own.data(), static_cast<Eigen::Index>(own.size()));
  };
  model.network = {read(parameters_->weight_mean), read(parameters_->weight_deviation)};
}

void Trainer::ReadShootingStates(std::span<const double> values, Model& model) const {
  const std::size_t count = parameters_->shape().shooting_states;
  const auto k = static_cast<Eigen::Index>(count);
  const auto d = static_cast<Eigen::Index>(parameters_->shape().dim);
  model.shooting_trajectory.resize(count);
  model.shooting_times.resize(count);
  for (const Segment& segment : bound_->segmentation().segments) {
    if (segment.state == Segment::kNone) continue;
    model.shooting_trajectory[segment.state] = segment.trajectory;
    // It stands where the observation before the segment's first one was made.
    model.shooting_times[segment.state] =
        data_.trajectories[segment.trajectory].times[segment.first - 1];
  }
  const auto read = [&](std::size_t block, Eigen::Index width) {
    return Eigen::Map<const Matrix>(layout().Values(block, values).data(), k, width);
  };
  model.shooting_mean = read(parameters_->state_mean, d);
  model.shooting_chol = read(parameters_->state_chol, d * d);
}

TrainerState Trainer::Save() const {
  TrainerState state = state_;
  state.adam_steps = adam_.steps;
  state.first_moment = adam_.first_moment;
  state.second_moment = adam_.second_moment;
  state.step_hints = bound_->step_hints;
  return state;
}

void Trainer::Restore(const TrainerState& state) {
  if (state.phase > plan_.size())
    ThrowInput("Trainer::Restore", "phase", "is not one of the plan's");
  const bool settles = state.settling_from > 0;
  const std::size_t steps = state.phase < plan_.size() && !settles ? plan_[state.phase].steps : 1;
  if (!settles && state.step >= steps)
    ThrowInput("Trainer::Restore", "step", "is not one of the phase's");
  if (state.keeps_shooting > 1) ThrowInput("Trainer::Restore", "keeps_shooting", "must be 0 or 1");
  state_.keeps_shooting = state.keeps_shooting;
  BeginPhase(std::min(state.phase, plan_.size() - 1));
  CheckSize("Trainer::Restore", "flat", state.flat.size(), state_.flat.size());
  CheckSize("Trainer::Restore", "first_moment", state.first_moment.size(), state_.flat.size());
  CheckSize("Trainer::Restore", "second_moment", state.second_moment.size(), state_.flat.size());
  CheckSize("Trainer::Restore", "step_hints", state.step_hints.size(), bound_->step_hints.size());
  CheckSize("Trainer::Restore", "state_updates", state.state_updates.size(),
            state_.state_updates.size());
  state_.phase = state.phase;
  state_.step = state.step;
  state_.cooling_from = state.cooling_from;
  state_.plateau = state.plateau;
  state_.log_tolerance = state.log_tolerance;
  state_.skipped = state.skipped;
  state_.skipped_in_a_row = state.skipped_in_a_row;
  state_.flat = state.flat;
  state_.state_updates = state.state_updates;
  if (!state.best_flat.empty()) {
    CheckSize("Trainer::Restore", "best_flat", state.best_flat.size(), state_.flat.size());
  }
  state_.best_flat = state.best_flat;
  state_.best_score = state.best_score;
  state_.stale_checks = state.stale_checks;
  state_.settling_from = state.settling_from;
  adam_.first_moment = state.first_moment;
  adam_.second_moment = state.second_moment;
  adam_.steps = state.adam_steps;
  bound_->step_hints = state.step_hints;
}

}  // namespace gpode
