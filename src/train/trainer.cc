#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpode/error.h"
#include "gpode/random.h"

namespace gpode {
namespace {

// Standard deviation of the states' posteriors at the start, in spreads of the states.
constexpr double kStateSpread = 0.1;

// So many steps in a row without a usable gradient end the training.
constexpr std::size_t kMostSkippedInARow = 200;
// Beyond this the optimiser's squares would overflow, and never come back.
constexpr double kLargestGradient = 1e100;

// exp of these is neither zero nor infinite.
constexpr double kLargestLog = 700;

// Logarithms of positive parameters stay where exp is a positive number, whatever the rate.
void ClampLogs(const ParameterLayout& layout, std::span<double> flat) {
  const auto clamp = [&](std::size_t i) {
    flat[i] = std::clamp(flat[i], -kLargestLog, kLargestLog);
  };
  for (const ParameterBlock& block : layout.blocks()) {
    const std::size_t end = block.flat_offset + block.flat_size;
    if (block.transform == Transform::kPositive) {
      for (std::size_t i = block.flat_offset; i < end; ++i) clamp(i);
    } else if (block.transform == Transform::kLowerTriangular) {
      std::size_t i = block.flat_offset;
      while (i < end) {
        for (std::size_t row = 0; row < block.shape.back(); ++row, i += row) clamp(i + row);
      }
    }
  }
}

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
  CheckObservation(data, o);
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
  state_.phase = phase;
  state_.step = 0;
  state_.flat.assign(layout().flat_size(), 0.0);
  adam_ = Adam(state_.flat.size());
  values_.assign(layout().value_size(), 0.0);
  bvalues_.resize(values_.size());
  gradient_.resize(state_.flat.size());
  rates_.assign(state_.flat.size(), 1.0);
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
      for (std::size_t k = 0; k < s.dim; ++k) {
        chol[(i * s.dim + k) * s.dim + k] = kStateSpread * start_.spread[k];
      }
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

// All segments, or a part of a permutation that changes every time all have been seen.
SegmentChoice Trainer::ChooseSegments() const {
  const std::size_t count = bound_->segments(), batch = options_.batch;
  if (batch == 0 || batch >= count) return bound_->AllSegments();
  const std::size_t per_epoch = count / batch;
  const RandomStream stream(options_.seed, state_.step / per_epoch, state_.phase,
                            Purpose::kMinibatch);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint64_t> words(count);
  stream.Words(words);
  for (std::size_t i = count; i-- > 1;) std::swap(order[i], order[words[i] % (i + 1)]);
  const std::size_t first = state_.step % per_epoch * batch;
  SegmentChoice choice{{order.begin() + first, order.begin() + first + batch},
                       static_cast<double>(count) / static_cast<double>(batch)};
  std::sort(choice.segments.begin(), choice.segments.end());
  return choice;
}

Progress Trainer::Step() {
  GPODE_CHECK(!done());
  layout().Constrain(state_.flat, values_);
  bound_->SampleNoise(options_.seed, GlobalStep(), noise_);
  std::fill(bvalues_.begin(), bvalues_.end(), 0.0);
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  const BoundTerms terms =
      bound_->Evaluate(values_, noise_, CurrentTolerance(), ChooseSegments(), bvalues_, pool_);
  layout().ConstrainPullback(values_, bvalues_, gradient_);
  const Progress progress = ProgressOf(terms);
  const PhasePlan& phase = plan_[state_.phase];
  // A step without a usable gradient changes nothing but the counts.
  const bool usable = std::all_of(gradient_.begin(), gradient_.end(),
                                  [](double g) { return std::fabs(g) < kLargestGradient; });
  if (usable && terms.factor == FactorStatus::kOk) {
    state_.skipped_in_a_row = 0;
    SetNoiseRate();
    adam_.Step(gradient_,
               CosineRate(options_.learning_rate, state_.step, options_.warm_up, phase.steps),
               rates_, state_.flat);
    ClampLogs(layout(), state_.flat);
  } else {
    ++state_.skipped;
    ++state_.skipped_in_a_row;
  }
  if (++state_.step == phase.steps) {
    if (state_.phase + 1 < plan_.size()) {
      BeginPhase(state_.phase + 1);
    } else {
      ++state_.phase;
      state_.step = 0;
    }
  }
  return progress;
}

bool Trainer::failed() const { return state_.skipped_in_a_row >= kMostSkippedInARow; }

std::string Trainer::Warning() const {
  if (failed()) {
    return fmt::format(
        "training ended after {} of {} steps: the last {} had no usable gradient (not finite, or a "
        "kernel matrix that cannot be factored)",
        GlobalStep(), total_steps_, state_.skipped_in_a_row);
  }
  if (state_.skipped == 0) return "";
  return fmt::format("{} of {} steps had no usable gradient and were passed over", state_.skipped,
                     GlobalStep());
}

// Which share of the learning rate the noise has at this step.
void Trainer::SetNoiseRate() {
  const double held = options_.noise_hold * static_cast<double>(total_steps_);
  const bool holding = static_cast<double>(GlobalStep()) < held || !options_.noise_variance.empty();
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
          .skipped = state_.skipped};
}

Model Trainer::Snapshot() const {
  Model model;
  model.options = options_;
  model.channels = data_.channels;
  model.map = start_.map;
  model.state_scale = start_.state_scale;
  model.state_offset = start_.state_offset;
  model.time_scale = start_.time_scale;
  model.warning = Warning();
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
  state_.phase = state.phase;
  state_.step = state.step;
  state_.skipped = state.skipped;
  state_.skipped_in_a_row = state.skipped_in_a_row;
  state_.flat = state.flat;
  adam_.first_moment = state.first_moment;
  adam_.second_moment = state.second_moment;
  adam_.steps = state.adam_steps;
  bound_->step_hints = state.step_hints;
}

}  // namespace gpode
