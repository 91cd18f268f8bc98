// Trainer: the transition from one phase of training to the next, the model at the present step,
// and saving and restoring.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gpode/error.h"
#include "train/check_state.h"
#include "train/start_values.h"
#include "train/trainer.h"

namespace gpode {
BoundKind Trainer::BoundOf(std::size_t phase) const {
  return state_.keeps_shooting ? BoundKind::kShooting : plan_[phase].bound;
}

void Trainer::BeginPhase(std::size_t phase) {
  const std::unique_ptr<ModelParts> last = std::move(parts_);
  const std::vector<double> last_flat = std::move(state_.flat);
  std::vector<TimedValues> timed =
      InModelTime(data_, start_.coordinates, options_.InputsWith(data_.inputs));
  Segmentation cut =
      CutIntoSegments(timed, BoundOf(phase) == BoundKind::kShooting ? options_.segment : 0);
  parts_ =
      std::make_unique<ModelParts>(options_, ModelShape{.dim = start_.map.dim(),
                                                        .inputs = start_.coordinates.inputs(),
                                                        .channels = start_.map.channels(),
                                                        .trajectories = data_.trajectories.size(),
                                                        .shooting_states = cut.shooting_states});
  values_ = StartValues(*parts_, start_, cut);
  bound_ = MakeBound(options_, start_, *parts_, std::move(timed), std::move(cut));
  minibatches_.emplace(options_.seed, phase, bound_->segments(), BatchSize());
  choice_.segments.clear();
  if (ranks_ != nullptr) bound_->UseRanks(*ranks_, minibatches_->whole());
  device_steps_.reset();
  is_on_device_.reset();

  state_.phase = phase;
  state_.step = 0;
  if (phase == 0) state_.log_tolerance = std::log(options_.loose_tolerance);
  state_.flat.assign(layout().flat_size(), 0.0);
  state_.adam = Adam(state_.flat.size());
  state_.state_updates.assign(data_.trajectories.size() + parts_->shape().shooting_states, 0.0);
  layout().Unconstrain(values_, state_.flat);
  if (last) CopyBlocks(last->layout(), last_flat, layout(), state_.flat);

  bvalues_.resize(values_.size());
  gradient_.resize(state_.flat.size());
  rates_.assign(state_.flat.size(), 1.0);
  // Adam does not move the parameters of the likelihood: UpdateLikelihood does.
  const ParameterBlock& block = layout().blocks()[parts_->likelihood_block()];
  std::fill_n(rates_.begin() + static_cast<std::ptrdiff_t>(block.flat_offset), block.flat_size,
              0.0);
}

// Returns the number of segments in a minibatch: as many as hold options.batch observation times on
// average, at least one; 0 stands for all segments.
std::size_t Trainer::BatchSize() const {
  double times = 0;
  for (const Trajectory& t : data_.trajectories) times += static_cast<double>(t.times.size());
  const double share = static_cast<double>(options_.batch) / times;
  const double size = std::round(share * static_cast<double>(bound_->segments()));
  return options_.batch == 0 || share >= 1 ? 0 : static_cast<std::size_t>(std::max(size, 1.0));
}

// Moves from shooting to whole trajectories or, if the polish does not help, continues with
// shooting (see FitOptions::polish_most). A run with the vanilla bound always moves on.
void Trainer::HandOver() {
  CollectStates();
  const std::size_t next = state_.phase + 1;
  if (options_.bound == BoundKind::kShooting) state_.keeps_shooting = !DoesPolishHelp();
  BeginPhase(next);
}

bool Trainer::DoesPolishHelp() {
  std::size_t times = 0;
  for (const Trajectory& t : data_.trajectories) times += t.times.size();
  if (times > options_.polish_most) return false;
  const double segments = MeanLogLikelihood();
  TrainerState before = Save();
  before.step = 0;
  BeginPhase(state_.phase + 1);
  const double whole = MeanLogLikelihood();
  Restore(before);
  const double count = std::accumulate(counts_.begin(), counts_.end(), 0.0);
  return whole >= segments - options_.polish_loss * count;
}

// Returns the log likelihood of the observations at the present parameters, averaged over a few
// draws. Their random numbers belong to step numbers that neither training nor forecasts reach.
double Trainer::MeanLogLikelihood() {
  constexpr std::uint64_t kDraws = 8, kUnusedStep = std::uint64_t{1} << 61;
  layout().Constrain(state_.flat, values_);
  bound_->Choose(bound_->AllSegments());
  choice_.segments.clear();  // so that the next step chooses its own segments
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    bound_->SampleNormals(options_.seed, kUnusedStep + i, pool_);
    const BoundTerms terms = bound_->Evaluate(values_, CurrentTolerance(), {}, pool_);
    sum +=
        terms.factor == FactorStatus::kOk ? terms.loglik : -std::numeric_limits<double>::infinity();
  }
  return sum / static_cast<double>(kDraws);
}

// Resets the parameters to those with the best validation score and begins the steps in which only
// the noise variance moves, towards the mean squared residual of these parameters. Until then, the
// noise was held fixed or followed other parameters. Returns false if there are no validation data,
// the noise is known, or these steps have been taken.
bool Trainer::BeginSettling() {
  const std::vector<double>& best = state_.validation.best_flat;
  if (!IsLastPhase() || best.empty() || IsSettling() || IsNoiseKnown()) return false;
  state_.flat = best;
  state_.settling_from = state_.step;
  return true;
}

bool Trainer::failed() const { return state_.skipped_in_a_row >= kMostSkipped; }

std::string Trainer::Warning() const {
  if (failed()) {
    return fmt::format(
        "training ended after {} of {} steps: the last {} had no usable gradient (not finite, or a "
        "kernel matrix that cannot be factored)",
        GlobalStep(), steps(), state_.skipped_in_a_row);
  }
  if (state_.skipped == 0) return "";
  return fmt::format("{} of {} steps had no usable gradient and were passed over", state_.skipped,
                     GlobalStep());
}

Model Trainer::Snapshot() const {
  Model model = UntrainedModel(data_, options_, start_);
  model.warning = Warning();
  const std::vector<double>& best = state_.validation.best_flat;
  model.parameters = {layout(), std::vector<double>(layout().value_size())};
  layout().Constrain(best.empty() || IsSettling() ? state_.flat : best, model.parameters.values);
  ReadShootingStates(model);
  return model;
}

void Trainer::ReadShootingStates(Model& model) const {
  const std::size_t count = parts_->shape().shooting_states;
  model.shooting_trajectory.resize(count);
  model.shooting_times.resize(count);
  for (const Segment& segment : bound_->segmentation().segments) {
    if (segment.state == Segment::kNone) continue;
    model.shooting_trajectory[segment.state] = segment.trajectory;
    model.shooting_times[segment.state] =
        data_.trajectories[segment.trajectory].times[segment.first - 1];
  }
}

TrainerState Trainer::Save() const {
  GPODE_CHECK(IsBetweenBlocks());
  TrainerState state = state_;
  state.objective = bound_->Checkpoint();
  return state;
}

void Trainer::Restore(const TrainerState& state) {
  if (state.phase > plan_.size()) ThrowInput("training", "phase", "is not one of the plan's");
  state_.keeps_shooting = state.keeps_shooting;
  BeginPhase(std::min(state.phase, plan_.size() - 1));
  CheckTrainerState(state, plan_, layout().flat_size(), state_.state_updates.size());
  bound_->Restore(state.objective);
  state_ = state;
}

}  // namespace gpode
