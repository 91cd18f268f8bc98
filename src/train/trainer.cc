// The steps of training (paper, algorithm 1). The bound is computed in model/bound.cc, learning
// rate and tolerance of a step in trainer_schedule.cc, and trainer_phases.cc goes from one phase to
// the next.
#include "train/trainer.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "gpode/error.h"
#include "gpode/link.h"
#include "start/check_input.h"
#include "train/start_values.h"

namespace gpode {
namespace {

// With a larger gradient, the squared moments of the optimiser would overflow and stay infinite.
constexpr double kLargestGradient = 1e100;
// The largest absolute value of a logarithm. exp overflows above about 709, and becomes zero below
// about -745.
constexpr double kLargestLog = 700;
// The most parameters that one thread updates at a time, unless they belong to one item. With fewer
// than kFewParameters in all, one thread updates them all.
constexpr std::size_t kParametersPerPiece = 1024, kFewParameters = 4 * kParametersPerPiece;

// Limits the logarithms of positive parameters, so that a step of any size leaves parameters that
// are neither zero nor infinite.
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

// Checks the input of a new run, then computes its start, which relies on the check.
Start CheckedStart(const Dataset& data, const FitOptions& options) {
  CheckFitInput(data, options);
  return Initialise(ToLinkScale(data, LinksOf(options.positive, data.channels)), options);
}

}  // namespace

Trainer::Trainer(const Dataset& data, const FitOptions& options, const Dataset& validation)
    : Trainer(data, options, CheckedStart(data, options), validation) {}

Trainer::Trainer(const Dataset& data, const FitOptions& options, Start start,
                 const Dataset& validation)
    : data_(ToLinkScale(data, LinksOf(options.positive, data.channels))),
      options_(options),
      start_(std::move(start)),
      pool_(options.threads),
      tolerance_(ToleranceScheduleOf(options)) {
  const ModelParts parts(options_,
                         {.dim = start_.map.dim(), .inputs = start_.coordinates.inputs()});
  plan_ = PlanOf(options_, start_.map.dim(), start_.coordinates.inputs());
  for (const PhasePlan& phase : plan_) planned_steps_ += phase.steps;
  counts_ = WeightedCounts(data_, start_.channel_weights);
  start_noise_ = StartNoise(parts.likelihood(), start_.noise_variance);
  if (!validation.trajectories.empty()) {
    validation_ = std::make_unique<Validation>(
        ToLinkScale(validation, LinksOf(options.positive, data.channels)), options_, start_);
  }
  BeginPhase(0);
}

void Trainer::ChooseSegments() {
  if (minibatches_->whole() && !choice_.segments.empty()) return;
  minibatches_->Choose(state_.step, choice_);
  bound_->Choose(choice_);
  parts_->FindParameters(bound_->touched(), found_);
  SplitTouched();
}

// Sets touched_ to the ranges of found_, divided into pieces of a limited size.
void Trainer::SplitTouched() {
  touched_.clear();
  std::size_t parameters = 0;
  for (const TouchedParameters& found : found_) {
    const ParameterRange& range = found.range;
    const std::size_t size = layout().FlatOf(range).size;
    parameters += size;
    const std::size_t each = range.count > 0 ? std::max<std::size_t>(size / range.count, 1) : 1;
    const std::size_t most = std::max<std::size_t>(kParametersPerPiece / each, 1);
    for (std::size_t i = 0; i < range.count; i += most) {
      touched_.push_back({{range.block, range.first + i, std::min(most, range.count - i)},
                          found.first_state == TouchedParameters::kNoState
                              ? TouchedParameters::kNoState
                              : found.first_state + i});
    }
  }
  has_many_parameters_ = parameters > kFewParameters;
}

template <typename Visit>
void Trainer::ForTouched(Visit&& visit) {
  if (has_many_parameters_) {
    pool_.For(touched_.size(), [&](std::size_t i) { visit(touched_[i]); });
  } else {
    for (const TouchedParameters& touched : touched_) visit(touched);
  }
}

// Computes the constrained values of the parameters that the chosen segments depend on, and sets
// their gradients to zero.
void Trainer::ComputeValues() {
  ForTouched([&](const TouchedParameters& touched) {
    const ParameterRange& range = touched.range;
    layout().Constrain(range, state_.flat, values_);
    const Stretch value = layout().ValuesOf(range), flat = layout().FlatOf(range);
    std::fill_n(bvalues_.begin() + static_cast<std::ptrdiff_t>(value.offset), value.size, 0.0);
    std::fill_n(gradient_.begin() + static_cast<std::ptrdiff_t>(flat.offset), flat.size, 0.0);
  });
}

void Trainer::ComputeGradient() {
  ForTouched([&](const TouchedParameters& touched) {
    layout().ConstrainPullback(touched.range, values_, bvalues_, gradient_);
  });
}

Progress Trainer::Step() {
  GPODE_CHECK(!done());
  if (IsOnDevice()) return StepOnDevice();
  ChooseSegments();
  ComputeValues();
  bound_->SampleNormals(options_.seed, GlobalStep(), pool_);
  const BoundTerms terms = bound_->Evaluate(values_, CurrentTolerance(), bvalues_, pool_);
  ComputeGradient();
  const Progress progress = ProgressOf(terms);
  // A step without a usable gradient is skipped: it changes nothing but the counts of such steps.
  if (terms.factor == FactorStatus::kOk && IsGradientUsable()) {
    state_.skipped_in_a_row = 0;
    if (!IsSettling()) UpdateParameters();
    UpdateLikelihood();
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

bool Trainer::IsGradientUsable() {
  std::atomic<bool> is_usable = true;
  ForTouched([&](const TouchedParameters& touched) {
    const Stretch flat = layout().FlatOf(touched.range);
    for (std::size_t i = flat.offset; i < flat.offset + flat.size; ++i) {
      if (!(std::fabs(gradient_[i]) < kLargestGradient)) is_usable = false;
    }
  });
  return bound_->splits_states() ? IsUsableOnAllRanks(is_usable) : is_usable.load();
}

void Trainer::UpdateParameters() {
  const double rate = CurrentRate();
  ++state_.adam.steps;
  is_collected_ = !bound_->splits_states();
  const auto count = [&](const std::vector<IndexRun>& runs, std::size_t first) {
    for (const IndexRun& run : runs) {
      for (std::size_t i = 0; i < run.count; ++i) ++state_.state_updates[first + run.first + i];
    }
  };
  count(bound_->touched().x0, 0);
  count(bound_->touched().shooting, parts_->shape().trajectories);
  ForTouched([&](const TouchedParameters& touched) {
    if (touched.first_state != TouchedParameters::kNoState) {
      UpdateStates(touched, rate);
    } else {
      const Stretch flat = layout().FlatOf(touched.range);
      state_.adam.Update(flat.offset, flat.size, static_cast<double>(state_.adam.steps), gradient_,
                         rate, rates_, state_.flat);
    }
    ClampLogs(layout(), touched.range, state_.flat);
  });
}

// Updates the posteriors of states. Adam's bias correction depends on how often a state was
// updated, so that neighbouring states with equal numbers of updates are updated in one call;
// without minibatches that is one call for all states.
void Trainer::UpdateStates(const TouchedParameters& touched, double rate) {
  const ParameterRange& range = touched.range;
  const double* updates = state_.state_updates.data() + touched.first_state;
  for (std::size_t i = 0; i < range.count;) {
    std::size_t end = i + 1;
    while (end < range.count && updates[end] == updates[i]) ++end;
    const Stretch flat = layout().FlatOf({range.block, range.first + i, end - i});
    state_.adam.Update(flat.offset, flat.size, updates[i], gradient_, rate, rates_, state_.flat);
    i = end;
  }
}

void Trainer::EndStep() {
  if (++state_.step < EndOfPhase() || BeginSettling()) return;
  if (!IsLastPhase()) return HandOver();
  ++state_.phase;
  state_.step = 0;
  state_.cooling_from.reset();
}

Progress Trainer::ProgressOf(const BoundTerms& terms) const {
  const std::span<const double> values(values_);
  const std::span<const double> parameters = parts_->LikelihoodParameters(values);
  const auto channels = static_cast<double>(data_.channels.size());
  double noise = 0;
  for (std::size_t c = 0; c < data_.channels.size(); ++c) {
    const Likelihood& likelihood = parts_->likelihood();
    noise += likelihood.ForChannel(c).Deviation(likelihood.OfChannel(c, parameters)) / channels;
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
          .lengthscale = parts_->function().MeanLengthscale(values),
          .diverged = terms.diverged,
          .evaluations = terms.evaluations,
          .skipped = state_.skipped};
}

}  // namespace gpode
