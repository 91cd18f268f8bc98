#include "train/trainer.h"

#include <algorithm>
#include <cmath>

#include "gpode/error.h"

namespace gpode {
namespace {

constexpr double kStateSpread = 0.1;  // standard deviation of the states' posteriors at the start

void CheckShare(const char* name, double share) {
  if (!(share >= 0 && share <= 1)) ThrowInput("Fit", name, "must be between 0 and 1");
}

void CheckOptions(const Dataset& data, const FitOptions& o) {
  const auto at_least_one = [](const char* name, std::size_t value) {
    CheckAtLeast("Fit", name, static_cast<std::ptrdiff_t>(value), 1);
  };
  at_least_one("inducing", o.inducing);
  at_least_one("features", o.features);
  at_least_one("draws", o.draws);
  at_least_one("steps", o.steps);
  at_least_one("segment", o.segment);
  CheckPositive("Fit", "learning_rate", o.learning_rate);
  CheckPositive("Fit", "loose_tolerance", o.loose_tolerance);
  CheckPositive("Fit", "tight_tolerance", o.tight_tolerance);
  CheckPositive("Fit", "approach_loose", o.approach_loose);
  CheckPositive("Fit", "approach_tight", o.approach_tight);
  CheckPositive("Fit", "tightening", o.tightening);
  CheckShare("approach", o.approach);
  CheckShare("polish", o.polish);
  CheckShare("noise_hold", o.noise_hold);
  if (o.observation == Observation::kPca) {
    at_least_one("states", o.states);
    if (o.states > data.channels.size()) {
      ThrowInput("Fit", "states", "must not be more than the channels");
    }
  } else if (o.states != 0 && o.states != data.channels.size()) {
    ThrowInput("Fit", "states", "must equal the number of channels, unless PCA is asked for");
  }
}

}  // namespace

std::vector<PhasePlan> PlanPhases(const FitOptions& o) {
  std::vector<PhasePlan> plan;
  const auto share = [&](double part) {
    return static_cast<std::size_t>(std::round(part * static_cast<double>(o.steps)));
  };
  const auto add = [&](BoundKind bound, std::size_t steps, double loose, double tight) {
    if (steps > 0) plan.push_back({bound, steps, loose, tight, o.tightening});
  };
  if (o.bound == BoundKind::kVanilla) {
    const std::size_t approach = share(o.approach);
    add(BoundKind::kShooting, approach, o.approach_loose, o.approach_tight);
    add(BoundKind::kVanilla, o.steps - approach, 1, 1);
  } else {
    const std::size_t polish = share(o.polish);
    add(BoundKind::kShooting, o.steps - polish, o.loose_tolerance, o.tight_tolerance);
    add(BoundKind::kVanilla, polish, 1, 1);
  }
  return plan;
}

Trainer::Trainer(const Dataset& data, const FitOptions& options)
    : data_(data), options_(options), pool_(options.threads) {
  CheckDataset(data_);
  CheckOptions(data_, options_);
  plan_ = PlanPhases(options_);
  for (const PhasePlan& phase : plan_) total_steps_ += phase.steps;
  start_ = Initialise(data_, options_);
  BeginPhase(0);
}

void Trainer::BeginPhase(std::size_t phase) {
  const std::unique_ptr<ModelParameters> last = std::move(parameters_);
  const std::vector<double> last_flat = std::move(state_.flat);
  std::vector<TimedValues> timed = InModelTime(data_, start_.time_scale);
  Segmentation cut =
      CutIntoSegments(timed, plan_[phase].bound == BoundKind::kShooting ? options_.segment : 0);
  parameters_ = std::make_unique<ModelParameters>(
      ModelShape{.dim = start_.map.dim(),
                 .channels = data_.channels.size(),
                 .inducing = options_.inducing,
                 .trajectories = data_.trajectories.size(),
                 .shooting_states = cut.shooting_states,
                 .shared_hyperparameters = options_.shared_hyperparameters});
  bound_ = std::make_unique<Bound>(
      GetKernel(options_.kernel), options_.jitter, start_.map, std::move(timed), std::move(cut),
      *parameters_, options_.features, options_.draws, options_.precision, options_.solver);
  state_ = TrainerState();
  state_.phase = phase;
  state_.flat.resize(layout().flat_size());
  adam_ = Adam(state_.flat.size());
  values_.assign(layout().value_size(), 0.0);
  bvalues_.resize(values_.size());
  gradient_.resize(state_.flat.size());
  rates_.assign(state_.flat.size(), 1.0);
  state_.state_updates.assign(data_.trajectories.size() + parameters_->shape().shooting_states,
                              0.0);
  minibatches_.emplace(options_.seed, phase, bound_->segments(), options_.batch);
  choice_.segments.clear();
  SetStart(values_);
  layout().Unconstrain(values_, state_.flat);
  if (last) TakeOver(*last, last_flat);
}

void Trainer::SetStart(std::span<double> values) const {
  const ModelShape& s = parameters_->shape();
  parameters_->WriteGp(start_.gp, values);
  const auto put = [&](std::size_t block, const auto& from) {
    std::copy_n(from.data(), from.size(), layout().Values(block, values).begin());
  };
  put(parameters_->noise_variance, start_.noise_variance);
  put(parameters_->x0_mean, start_.x0);
  const auto put_diagonals = [&](std::size_t block, std::size_t count) {
    const std::span<double> chol = layout().Values(block, values);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < s.dim; ++k) chol[(i * s.dim + k) * s.dim + k] = kStateSpread;
    }
  };
  put_diagonals(parameters_->x0_chol, s.trajectories);
  put_diagonals(parameters_->state_chol, s.shooting_states);
  const std::span<double> means = layout().Values(parameters_->state_mean, values);
  for (const Segment& segment : bound_->segmentation().segments) {
    if (segment.state == Segment::kNone) continue;
    // It starts where the observation before its first one was made.
    const auto row = static_cast<Eigen::Index>(segment.first) - 1;
    const Matrix& states = start_.states[segment.trajectory];
    std::copy_n(states.data() + row * states.cols(), s.dim, means.begin() + segment.state * s.dim);
  }
}

// The blocks that both phases have keep their values.
void Trainer::TakeOver(const ModelParameters& from, std::span<const double> from_flat) {
  for (const ParameterBlock& block : from.layout().blocks()) {
    const ParameterBlock& to = layout().Find(block.name);
    if (to.flat_size != block.flat_size) continue;
    std::copy_n(from_flat.begin() + block.flat_offset, block.flat_size,
                state_.flat.begin() + to.flat_offset);
  }
}

std::size_t Trainer::GlobalStep() const {
  std::size_t step = state_.step;
  for (std::size_t i = 0; i < state_.phase; ++i) step += plan_[i].steps;
  return step;
}

Tolerance Trainer::CurrentTolerance() const {
  const PhasePlan& phase = plan_[state_.phase];
  const double done =
      static_cast<double>(state_.step) / (phase.tightening * static_cast<double>(phase.steps));
  const double loose = std::log(phase.loose), tight = std::log(phase.tight);
  return {.scale = std::exp(loose + (tight - loose) * std::min(done, 1.0))};
}

void Trainer::ChooseSegments() {
  if (minibatches_->whole() && !choice_.segments.empty()) return;
  minibatches_->Choose(state_.step, choice_);
  FindTouched(bound_->segmentation(), choice_.segments, touched_);
  parameters_->FindRanges(touched_, ranges_);
}

Progress Trainer::Step() {
  GPODE_CHECK(!done());
  ChooseSegments();
  for (const ParameterRange& range : ranges_) {
    layout().Constrain(range, state_.flat, values_);
    const Stretch value = layout().ValuesOf(range), flat = layout().FlatOf(range);
    std::fill_n(bvalues_.begin() + static_cast<std::ptrdiff_t>(value.offset), value.size, 0.0);
    std::fill_n(gradient_.begin() + static_cast<std::ptrdiff_t>(flat.offset), flat.size, 0.0);
  }
  bound_->SampleNoise(options_.seed, GlobalStep(), touched_, noise_, pool_);
  const BoundTerms terms =
      bound_->Evaluate(values_, noise_, CurrentTolerance(), choice_, bvalues_, pool_);
  for (const ParameterRange& range : ranges_) {
    layout().ConstrainPullback(range, values_, bvalues_, gradient_);
  }
  const Progress progress = ProgressOf(terms);
  // A step without a usable gradient changes nothing but the count.
  if (terms.factor == FactorStatus::kOk && GradientIsFinite()) UpdateParameters();
  if (++state_.step == plan_[state_.phase].steps) {
    if (state_.phase + 1 < plan_.size()) {
      BeginPhase(state_.phase + 1);
    } else {
      ++state_.phase;
      state_.step = 0;
    }
  }
  return progress;
}

bool Trainer::GradientIsFinite() const {
  for (const ParameterRange& range : ranges_) {
    const Stretch flat = layout().FlatOf(range);
    for (std::size_t i = flat.offset; i < flat.offset + flat.size; ++i) {
      if (!std::isfinite(gradient_[i])) return false;
    }
  }
  return true;
}

void Trainer::UpdateParameters() {
  SetNoiseRate();
  const double rate =
      CosineRate(options_.learning_rate, state_.step, options_.warm_up, plan_[state_.phase].steps);
  ++adam_.steps;
  const std::size_t trajectories = parameters_->shape().trajectories;
  const auto count = [&](const std::vector<IndexRun>& runs, std::size_t first) {
    for (const IndexRun& run : runs) {
      for (std::size_t i = 0; i < run.count; ++i) ++state_.state_updates[first + run.first + i];
    }
  };
  count(touched_.x0, 0);
  count(touched_.shooting, trajectories);
  for (const ParameterRange& range : ranges_) {
    if (range.block == parameters_->x0_mean || range.block == parameters_->x0_chol) {
      UpdateStates(range, range.first, rate);
    } else if (range.block == parameters_->state_mean || range.block == parameters_->state_chol) {
      UpdateStates(range, trajectories + range.first, rate);
    } else {
      const Stretch flat = layout().FlatOf(range);
      adam_.Update(flat.offset, flat.size, static_cast<double>(adam_.steps), gradient_, rate,
                   rates_, state_.flat);
    }
  }
}

// States that had equally many updates go together: all of them, without minibatches.
void Trainer::UpdateStates(const ParameterRange& range, std::size_t first_state, double rate) {
  const double* updates = state_.state_updates.data() + first_state;
  for (std::size_t i = 0; i < range.count;) {
    std::size_t end = i + 1;
    while (end < range.count && updates[end] == updates[i]) ++end;
    const Stretch flat = layout().FlatOf({range.block, range.first + i, end - i});
    adam_.Update(flat.offset, flat.size, updates[i], gradient_, rate, rates_, state_.flat);
    i = end;
  }
}

// Which share of the learning rate the noise has at this step.
void Trainer::SetNoiseRate() {
  const double held = options_.noise_hold * static_cast<double>(total_steps_);
  const bool holding = static_cast<double>(GlobalStep()) < held;
  const ParameterBlock& noise = layout().blocks()[parameters_->noise_variance];
  std::fill_n(rates_.begin() + noise.flat_offset, noise.flat_size, holding ? 0.0 : 1.0);
}

Progress Trainer::ProgressOf(const BoundTerms& terms) const {
  const auto variances =
      layout().Values(parameters_->noise_variance, std::span<const double>(values_));
  double noise = 0;
  for (double v : variances) noise += std::sqrt(v) / static_cast<double>(variances.size());
  return {.step = GlobalStep(),
          .steps = total_steps_,
          .phase = plan_[state_.phase].bound,
          .bound = terms.Total(),
          .loglik = terms.loglik,
          .constraint = terms.constraint,
          .kl_u = terms.kl_u,
          .tolerance = CurrentTolerance().scale,
          .noise = noise,
          .diverged = terms.diverged,
          .evaluations = terms.evaluations};
}

Model Trainer::Snapshot() const {
  Model model;
  model.options = options_;
  model.channels = data_.channels;
  model.map = start_.map;
  model.state_scale = start_.state_scale;
  model.state_offset = start_.state_offset;
  model.time_scale = start_.time_scale;
  for (const Trajectory& t : data_.trajectories) model.start_times.push_back(t.start());
  std::vector<double> values(layout().value_size());
  layout().Constrain(state_.flat, values);
  const std::span<const double> view(values);
  parameters_->ReadGp(view, model.gp);
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
  return model;
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
  BeginPhase(std::min(state.phase, plan_.size() - 1));
  CheckSize("Trainer::Restore", "flat", state.flat.size(), state_.flat.size());
  CheckSize("Trainer::Restore", "first_moment", state.first_moment.size(), state_.flat.size());
  CheckSize("Trainer::Restore", "second_moment", state.second_moment.size(), state_.flat.size());
  CheckSize("Trainer::Restore", "step_hints", state.step_hints.size(), bound_->step_hints.size());
  CheckSize("Trainer::Restore", "state_updates", state.state_updates.size(),
            state_.state_updates.size());
  state_.phase = state.phase;
  state_.step = state.step;
  state_.flat = state.flat;
  state_.state_updates = state.state_updates;
  adam_.first_moment = state.first_moment;
  adam_.second_moment = state.second_moment;
  adam_.steps = state.adam_steps;
  bound_->step_hints = state.step_hints;
}

}  // namespace gpode
