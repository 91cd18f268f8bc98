#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gpode/error.h"
#include "options/fit_options.h"

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
void ClampLogs(const ParameterLayout& layout, const ParameterRange& range, std::span<double> flat) {
  const ParameterBlock& block = layout.blocks()[range.block];
  const Stretch stretch = layout.FlatOf(range);
  const std::size_t end = stretch.offset + stretch.size;
  const auto clamp = [&](std::size_t i) {
    flat[i] = std::clamp(flat[i], -kLargestLog, kLargestLog);
  };
  if (block.transform == Transform::kPositive) {
    for (std::size_t i = stretch.offset; i < end; ++i) clamp(i);
  } else if (block.transform == Transform::kLowerTriangular) {
    std::size_t i = stretch.offset;
    while (i < end) {
      for (std::size_t row = 0; row < block.shape.back(); ++row, i += row) clamp(i + row);
    }
  }
}

std::vector<double> WeightedCounts(const Dataset& data, const Vector& weights) {
  std::vector<double> counts(data.channels.size(), 0.0);
  for (const Trajectory& t : data.trajectories) {
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const auto column = t.values.col(static_cast<Eigen::Index>(c)).array();
      counts[c] +=
          weights[static_cast<Eigen::Index>(c)] * static_cast<double>((column == column).count());
    }
  }
  return counts;
}

Start CheckedStart(const Dataset& data, const FitOptions& options) {
  CheckFit(data, options);
  return Initialise(data, options);
}

}  // namespace

Trainer::Trainer(const Dataset& data, const FitOptions& options, const Dataset& validation)
    : Trainer(data, options, CheckedStart(data, options), validation) {}

Trainer::Trainer(const Dataset& data, const FitOptions& options, Start start,
                 const Dataset& validation)
    : data_(data), options_(options), start_(std::move(start)), pool_(options.threads) {
  CheckFit(data_, options_);
  plan_ = PlanPhases(options_);
  for (const PhasePlan& phase : plan_) planned_steps_ += phase.steps;
  counts_ = WeightedCounts(data_, start_.channel_weights);
  if (!validation.trajectories.empty()) {
    validation_ = std::make_unique<Validation>(validation, options_, start_);
  }
  BeginPhase(0);
}

BoundKind Trainer::BoundOf(std::size_t phase) const {
  return state_.keeps_shooting ? BoundKind::kShooting : plan_[phase].bound;
}

void Trainer::BeginPhase(std::size_t phase) {
  const std::unique_ptr<ModelParameters> last = std::move(parameters_);
  const std::vector<double> last_flat = std::move(state_.flat);
  std::vector<TimedValues> timed = InModelTime(data_, start_.time_scale);
  Segmentation cut =
      CutIntoSegments(timed, BoundOf(phase) == BoundKind::kShooting ? options_.segment : 0);
  parameters_ = std::make_unique<ModelParameters>(
      ParametersOf(options_, start_, data_.trajectories.size(), cut.shooting_states));
  bound_ = MakeBound(options_, start_, std::move(timed), std::move(cut), *parameters_,
                     KnowledgeOf(options_.model));
  state_.phase = phase;
  state_.step = 0;
  state_.flat.assign(layout().flat_size(), 0.0);
  adam_ = Adam(state_.flat.size());
  values_.assign(layout().value_size(), 0.0);
  bvalues_.resize(values_.size());
  gradient_.resize(state_.flat.size());
  rates_.assign(state_.flat.size(), 1.0);
  // The noise has steps of its own, and a point no spread.
  const auto hold = [&](std::size_t index) {
    const ParameterBlock& block = layout().blocks()[index];
    std::fill_n(rates_.begin() + static_cast<std::ptrdiff_t>(block.flat_offset), block.flat_size,
                0.0);
  };
  hold(parameters_->noise_variance);
  if (KnowledgeOf(options_.model) == Knowledge::kPoint) {
    hold(parameters_->inducing_chol);
    hold(parameters_->weight_deviation);
    hold(parameters_->x0_chol);
    hold(parameters_->state_chol);
  }
  if (phase == 0) state_.log_tolerance = std::log(options_.loose_tolerance);
  state_.state_updates.assign(data_.trajectories.size() + parameters_->shape().shooting_states,
                              0.0);
  minibatches_.emplace(options_.seed, phase, bound_->segments(), BatchSize());
  choice_.segments.clear();
  SetStart(values_);
  layout().Unconstrain(values_, state_.flat);
  if (last) CopyBlocks(*last, last_flat, *parameters_, state_.flat);
}

// In segments of average length.
std::size_t Trainer::BatchSize() const {
  double times = 0;
  for (const Trajectory& t : data_.trajectories) times += static_cast<double>(t.times.size());
  const double share = static_cast<double>(options_.batch) / times;
  const double size = std::round(share * static_cast<double>(bound_->segments()));
  return options_.batch == 0 || share >= 1 ? 0 : static_cast<std::size_t>(std::max(size, 1.0));
}

void Trainer::SetStart(std::span<double> values) const {
  const ModelShape& s = parameters_->shape();
  WriteField(start_, *parameters_, values);
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

std::size_t Trainer::GlobalStep() const {
  std::size_t step = state_.step;
  for (std::size_t i = 0; i < state_.phase; ++i) step += plan_[i].steps;
  return step;
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
  // A step without a usable gradient changes nothing but the counts.
  if (terms.factor == FactorStatus::kOk && GradientIsUsable()) {
    state_.skipped_in_a_row = 0;
    if (!Settles()) UpdateParameters();
    UpdateNoise();
    UpdateTolerance(terms.gap);
    WatchPlateau(progress.bound);
    CheckValidation();
  } else {
    ++state_.skipped;
    ++state_.skipped_in_a_row;
  }
  EndStep();
  return progress;
}

// From shooting to whole trajectories, or on with shooting: see FitOptions::polish_most. Whoever
// asks for the vanilla bound gets it.
void Trainer::HandOver() {
  const std::size_t next = state_.phase + 1;
  if (options_.bound == BoundKind::kShooting) state_.keeps_shooting = !PolishHelps();
  BeginPhase(next);
}

bool Trainer::PolishHelps() {
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

// Of the observations, at the present parameters, over a few draws that no step uses.
double Trainer::MeanLogLikelihood() {
  constexpr std::uint64_t kDraws = 8, kUnusedStep = std::uint64_t{1} << 61;
  layout().Constrain(state_.flat, values_);
  choice_ = bound_->AllSegments();
  FindTouched(bound_->segmentation(), choice_.segments, touched_);
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    bound_->SampleNoise(options_.seed, kUnusedStep + i, touched_, noise_, pool_);
    const BoundTerms terms =
        bound_->Evaluate(values_, noise_, CurrentTolerance(), choice_, {}, pool_);
    sum +=
        terms.factor == FactorStatus::kOk ? terms.loglik : -std::numeric_limits<double>::infinity();
  }
  choice_.segments.clear();
  return sum / static_cast<double>(kDraws);
}

void Trainer::EndStep() {
  if (++state_.step < EndOfPhase() || BeginSettling()) return;
  if (state_.phase + 1 < plan_.size()) {
    HandOver();
  } else {
    ++state_.phase;
    state_.step = 0;
    state_.cooling_from = 0;
  }
}

bool Trainer::GradientIsUsable() const {
  for (const ParameterRange& range : ranges_) {
    const Stretch flat = layout().FlatOf(range);
    for (std::size_t i = flat.offset; i < flat.offset + flat.size; ++i) {
      if (!(std::fabs(gradient_[i]) < kLargestGradient)) return false;
    }
  }
  return true;
}

void Trainer::UpdateParameters() {
  const double rate = CurrentRate();
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
    ClampLogs(layout(), range, state_.flat);
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

bool Trainer::failed() const { return state_.skipped_in_a_row >= kMostSkippedInARow; }

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

Progress Trainer::ProgressOf(const BoundTerms& terms) const {
  const auto variances =
      layout().Values(parameters_->noise_variance, std::span<const double>(values_));
  double noise = 0;
  for (double v : variances) noise += std::sqrt(v) / static_cast<double>(variances.size());
  const auto lengthscales =
      layout().Values(parameters_->lengthscales, std::span<const double>(values_));
  double log_lengthscale = 0;
  for (double l : lengthscales) {
    log_lengthscale += std::log(l) / static_cast<double>(lengthscales.size());
  }
  const Tolerance tolerance = CurrentTolerance();
  const bool gaussian = tolerance.prior == TolerancePrior::kGaussian;
  return {.step = GlobalStep(),
          .steps = steps(),
          .phase = BoundOf(state_.phase),
          .bound = terms.Total(),
          .loglik = terms.loglik,
          .constraint = terms.constraint,
          .kl_u = terms.kl_u,
          .tolerance = tolerance.scale,
          .gap = tolerance.scale * (gaussian ? std::sqrt(terms.gap) : terms.gap),
          .noise = noise,
          .lengthscale = lengthscales.empty() ? NAN : std::exp(log_lengthscale),
          .diverged = terms.diverged,
          .evaluations = terms.evaluations,
          .skipped = state_.skipped};
}

}  // namespace gpode
