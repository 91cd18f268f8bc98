// The bounds of the paper (equations 11 and 19). Their KL and entropy terms are computed in
// gaussian.cc and posterior_families.cc, solutions of the ODE in ode/solver.cc.
#include "model/bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpode/error.h"
#include "ode/forced_solver.h"

namespace gpode {
namespace {

constexpr std::size_t kSegmentsPerItem = 16;
// The work on a single state (normals, draws, their reverses and divergences) is small. With more
// states than kFewStates, threads share this work in chunks of kStatesPerChunk.
constexpr std::size_t kStatesPerChunk = 64, kFewStates = 192;
// The number of scalar terms in a slot, after the gradients: log likelihood, constraint,
// integrations that failed, evaluations of the field, sum and number of gaps.
constexpr std::size_t kTerms = 6;

struct GapDensity {
  double log_density, pull, size;
};

// Computes three functions of one component of a gap s_i - x(t_i; s_(i-1)): its log density (paper,
// equation 16), minus the derivative of that by the gap (`pull`), and the squared or absolute gap
// in units of the tolerance (`size`; see BoundTerms::gap).
GapDensity DensityOfGap(const Tolerance& tolerance, double gap) {
  const double s = tolerance.scale;
  if (tolerance.prior == TolerancePrior::kLaplace) {
    const double size = std::fabs(gap) / s;
    return {-std::log(2 * s) - size, (gap > 0 ? 1.0 : gap < 0 ? -1.0 : 0.0) / s, size};
  }
  const double size = gap * gap / (s * s);
  return {-0.5 * (std::log(2 * std::numbers::pi * s * s) + size), gap / (s * s), size};
}

double WeightOf(std::span<const double> weights, std::size_t channel) {
  return weights.empty() ? 1 : weights[channel];
}

// Ends an integration when the misfit of its states, half the sum of the weighted squared residuals
// of Gaussian channels, each divided by its variance, exceeds the largest one allowed.
class MisfitRule final : public StopRule {
 public:
  explicit MisfitRule(const ObservationMap& map) : map_(map), values_(map.channels()) {}

  // Takes the observations (rows, channels), the memory to which the states (rows, D) are written,
  // and for each channel half of its weight divided by its variance.
  void Begin(const double* observations, std::span<const double> states,
             std::span<const double> precisions, double largest) {
    observations_ = observations;
    states_ = states;
    precisions_ = precisions;
    largest_ = largest;
    misfit_ = 0;
    seen_ = 0;
  }

  bool StopsAfter(std::size_t filled) override {
    const std::size_t dim = map_.dim(), channels = values_.size();
    for (; seen_ < filled; ++seen_) {
      map_.ApplyTo(states_.subspan(seen_ * dim, dim), values_);
      for (std::size_t c = 0; c < channels; ++c) {
        const double y = observations_[seen_ * channels + c];
        if (!std::isnan(y)) misfit_ += precisions_[c] * (y - values_[c]) * (y - values_[c]);
      }
    }
    return misfit_ > largest_;
  }

 private:
  const ObservationMap& map_;
  std::vector<double> values_;
  const double* observations_ = nullptr;
  std::span<const double> states_, precisions_;
  double largest_ = 0, misfit_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace

// The working memory of one thread, for one segment at a time.
struct Bound::Workspace {
  Solver solver;
  SolveRecord record;
  ForcedSolver forced_solver;
  MisfitRule misfit;
  std::vector<double> times, states, bstates, channels, bchannels, force;

  Workspace(const SolverOptions& options, std::size_t dim, std::size_t longest,
            const ObservationMap& map)
      : solver(options),
        forced_solver(options),
        misfit(map),
        channels(map.channels()),
        bchannels(map.channels()) {
    times.reserve(longest);
    states.reserve(longest * dim);
    bstates.reserve(longest * dim);
  }

  void SetStopRule(StopRule* rule) {
    solver.SetStopRule(rule);
    forced_solver.SetStopRule(rule);
  }
};

// The parts of the memory into which a work item writes its results, its slot.
struct Bound::Slot {
  std::span<double> sums;         // the sums from which the field's gradient is computed
  std::span<double> bparameters;  // gradient with respect to the likelihood's parameters
  double &loglik, &constraint, &diverged, &evaluations, &gap, &gaps;
  // A row for each segment: the gradients with respect to its start state (D) and to the shooting
  // state at its end (D), the solver's step size, and the gradient with respect to the force of
  // process noise on each piece (pieces, D).
  double* segments;

  Slot(double* slot, std::size_t sum_count, std::size_t parameters)
      : sums(slot, sum_count),
        bparameters(slot + sum_count, parameters),
        loglik(slot[sum_count + parameters]),
        constraint(slot[sum_count + parameters + 1]),
        diverged(slot[sum_count + parameters + 2]),
        evaluations(slot[sum_count + parameters + 3]),
        gap(slot[sum_count + parameters + 4]),
        gaps(slot[sum_count + parameters + 5]),
        segments(slot + sum_count + parameters + kTerms) {}
};

Bound::Bound(const ModelParts& parts, const ObservationMap& map,
             std::vector<TimedValues> trajectories, Segmentation cut, const SolverOptions& solver,
             std::size_t draws, NoisePieces pieces)
    : parts_(parts),
      map_(map),
      trajectories_(std::move(trajectories)),
      cut_(std::move(cut)),
      solver_options_(solver),
      pieces_(std::move(pieces)) {
  CheckAtLeast("Bound", "draws", static_cast<std::ptrdiff_t>(draws), 1);
  for (std::size_t s = 0; s < draws; ++s) draws_.push_back(parts_.function().MakeDraw());
  const std::size_t dim = parts_.shape().dim, latent = parts_.latent().size();
  const std::size_t parameters = parts_.layout().blocks()[parts_.likelihood_block()].value_size;
  step_sizes_.assign(draws * cut_.segments.size() + 1, 0.0);
  for (const Segment& segment : cut_.segments) longest_ = std::max(longest_, segment.count);
  sum_count_ = draws_[0]->field().parameter_count();
  total_size_ = sum_count_ + parameters + kTerms;
  std::size_t most_pieces = 0;
  for (std::size_t count : pieces_.counts) most_pieces = std::max(most_pieces, count);
  row_size_ = 2 * dim + 1 + most_pieces * dim;
  slot_size_ = total_size_ + kSegmentsPerItem * row_size_;
  normals_.assign(draws, std::vector<double>(latent, 0.0));
  z_ = normals_;
  bz_.resize(draws * latent);
  MapStates();
}

Bound::~Bound() = default;

SegmentChoice Bound::AllSegments() const {
  SegmentChoice choice;
  for (std::size_t i = 0; i < cut_.segments.size(); ++i) choice.segments.push_back(i);
  return choice;
}

void Bound::MapStates() {
  const std::size_t trajectories = parts_.shape().trajectories;
  starting_.assign(trajectories + parts_.shape().shooting_states, Segment::kNone);
  ending_ = starting_;
  positions_.assign(cut_.segments.size(), 0);
  for (std::size_t i = 0; i < cut_.segments.size(); ++i) {
    const Segment& s = cut_.segments[i];
    starting_[s.state == Segment::kNone ? s.trajectory : trajectories + s.state] = i;
    if (s.next != Segment::kNone) ending_[trajectories + s.next] = i;
  }
}

void Bound::Choose(const SegmentChoice& choice) {
  choice_ = choice;
  for (std::size_t i = 0; i < choice_.segments.size(); ++i) positions_[choice_.segments[i]] = i;
  if (split_ == nullptr) {
    FindTouched(cut_, choice_.segments, touched_);
  } else {
    FindTouchedBy(split_->rank(), touched_);
  }
  parts_.FindLatentRanges(touched_, ranges_);
  SplitStates();
}

void Bound::UseRanks(Ranks& ranks, bool splits_states) {
  evaluator_ = std::make_unique<RankEvaluator>(ranks);
  split_ = splits_states && parts_.StatesHaveOwnParameters() ? &ranks : nullptr;
}

// Returns the position, among the chosen segments, of the first segment that a rank evaluates. Two
// ranks may evaluate the same segment for different draws.
std::size_t Bound::FirstPosition(std::size_t rank) const {
  const std::size_t place = RankEvaluator::FirstPlace(items(), rank, split_->size());
  return std::min(place / draws() * kSegmentsPerItem, choice_.segments.size());
}

// Returns the position after the last segment that a rank evaluates.
std::size_t Bound::EndPosition(std::size_t rank) const {
  const std::size_t place = RankEvaluator::FirstPlace(items(), rank + 1, split_->size());
  return std::min((place + draws() - 1) / draws() * kSegmentsPerItem, choice_.segments.size());
}

void Bound::FindTouchedBy(std::size_t rank, TouchedStates& touched) const {
  const std::size_t first = FirstPosition(rank);
  FindTouched(cut_, std::span(choice_.segments).subspan(first, EndPosition(rank) - first), touched);
}

// Divides the states into chunks_ if there are many of them.
void Bound::SplitStates() {
  chunks_.clear();
  const auto is_state = [](const LatentRange& range) {
    return range.part == ModelParts::kInitial || range.part == ModelParts::kShooting;
  };
  std::size_t states = 0;
  for (const LatentRange& range : ranges_) states += is_state(range) ? range.count : 0;
  if (states <= kFewStates || !parts_.StatesHaveOwnParameters()) return;
  for (const LatentRange& range : ranges_) {
    if (!is_state(range)) continue;
    for (std::size_t i = 0; i < range.count; i += kStatesPerChunk) {
      chunks_.push_back({range.part, range.first + i, std::min(kStatesPerChunk, range.count - i)});
    }
  }
  std::erase_if(ranges_, is_state);
}

// Returns the position of a segment among the chosen ones, or kNone if it was not chosen.
std::size_t Bound::ChosenPosition(std::size_t segment) const {
  if (segment == Segment::kNone) return Segment::kNone;
  const std::size_t position = positions_[segment];
  const bool is_chosen =
      position < choice_.segments.size() && choice_.segments[position] == segment;
  return is_chosen ? position : Segment::kNone;
}

void Bound::SampleNormals(std::uint64_t seed, std::uint64_t step, ThreadPool& pool) {
  const bool random = !parts_.posterior().is_point_estimate();
  pool.For(draws() * (1 + chunks_.size()), [&](std::size_t i) {
    const std::size_t s = i % draws(), chunk = i / draws();
    if (chunk == 0) draws_[s]->Sample(seed, step, s);
    const auto ranges = chunk == 0 ? std::span(ranges_) : std::span(chunks_).subspan(chunk - 1, 1);
    if (random) parts_.latent().SampleNormals(seed, step, s, ranges, normals_[s]);
  });
}

FactorStatus Bound::Begin(std::span<const double> values, const Tolerance& tolerance,
                          ThreadPool& pool) {
  values_ = values;
  tolerance_ = tolerance;
  const FactorStatus status = parts_.function().Set(values, pool);
  if (status != FactorStatus::kOk) return status;
  pool.For(draws() * (1 + chunks_.size()), [&](std::size_t i) {
    const std::size_t s = i % draws(), chunk = i / draws();
    const auto ranges = chunk == 0 ? std::span(ranges_) : std::span(chunks_).subspan(chunk - 1, 1);
    parts_.posterior().Draw(values, normals_[s], ranges, z_[s]);
    if (chunk > 0) return;
    draws_[s]->Set(parts_.latent().Part(ModelParts::kFunction, std::span<const double>(z_[s])));
  });
  while (workspaces_.size() < pool.size()) {
    workspaces_.push_back(
        std::make_unique<Workspace>(solver_options_, parts_.shape().dim, longest_, map_));
  }
  return status;
}

std::size_t Bound::ItemsPerDraw() const {
  return (choice_.segments.size() + kSegmentsPerItem - 1) / kSegmentsPerItem;
}

std::size_t Bound::items() const { return draws() * ItemsPerDraw(); }

void Bound::Sums(std::size_t item, std::size_t worker, std::span<double> memory) const {
  std::ranges::fill(memory, 0.0);
  const Slot slot(memory.data(), sum_count_, total_size_ - sum_count_ - kTerms);
  const std::size_t from = item % ItemsPerDraw() * kSegmentsPerItem;
  const std::size_t to = std::min(from + kSegmentsPerItem, choice_.segments.size());
  for (std::size_t i = from; i < to; ++i) {
    RunSegment(item / ItemsPerDraw(), i, i - from, *workspaces_[worker], slot);
  }
}

const double* Bound::RowOf(const ItemResults& results, std::size_t draw,
                           std::size_t position) const {
  return results.Rest(draw, position / kSegmentsPerItem) + position % kSegmentsPerItem * row_size_;
}

LatentRange Bound::StartRange(const Segment& s) const {
  return s.state == Segment::kNone ? LatentRange{ModelParts::kInitial, s.trajectory, 1}
                                   : LatentRange{ModelParts::kShooting, s.state, 1};
}

std::span<const double> Bound::StartState(std::size_t draw, const Segment& segment) const {
  return parts_.latent().Range(StartRange(segment), std::span<const double>(z_[draw]));
}

// Integrates segment number choice_.segments[position] with one draw, and adds its terms and
// gradients to the slot. Results that belong to this segment alone are written to row `place` of
// Slot::segments.
void Bound::RunSegment(std::size_t draw, std::size_t position, std::size_t place, Workspace& w,
                       const Slot& slot) const {
  const std::size_t index = choice_.segments[position], dim = parts_.shape().dim;
  const Segment& segment = cut_.segments[index];
  const std::vector<double>& times = trajectories_[segment.trajectory].times;
  const Field& field = draws_[draw]->field();
  const auto first = times.begin() + static_cast<std::ptrdiff_t>(segment.first);
  w.times.assign(first, first + static_cast<std::ptrdiff_t>(segment.count));
  w.states.resize(segment.count * dim);
  w.bstates.assign(segment.count * dim, 0.0);
  const double known = step_sizes_[draw * cut_.segments.size() + index];
  const double hint = known > 0 ? known : step_sizes_.back();
  const std::span<const double> x0 = StartState(draw, segment);
  const InputSignal* const inputs = trajectories_[segment.trajectory].inputs.get();
  Force force;
  if (parts_.HasProcessNoise()) {
    SetForce(draw, segment, w);
    force = {.ends = pieces_.ends[segment.trajectory], .values = w.force};
  }
  const bool has_limit = std::isfinite(largest_misfit_);
  if (has_limit) {
    const Matrix& values = trajectories_[segment.trajectory].values;
    w.misfit.Begin(values.data() + segment.first * map_.channels(), w.states, precisions_,
                   largest_misfit_);
  }
  w.SetStopRule(has_limit ? &w.misfit : nullptr);
  const SolveResult result = parts_.HasProcessNoise()
                                 ? w.forced_solver.SolveRecorded(field, force, x0, segment.start,
                                                                 w.times, w.states, hint, inputs)
                                 : w.solver.SolveRecorded(field, x0, segment.start, w.times,
                                                          w.states, w.record, hint, inputs);
  double* own = slot.segments + place * row_size_;
  own[2 * dim] = result.step_hint > 0 ? result.step_hint : known;
  if (!result.ok()) slot.diverged += 1;
  slot.evaluations += static_cast<double>(result.statistics.evaluations);
  if (result.status == SolveStatus::kStopped) return;
  AddLikelihood(segment, result.filled, w, slot);
  if (segment.next != Segment::kNone && result.ok()) AddConstraint(draw, segment, place, w, slot);
  if (!with_gradient_) return;
  if (choice_.weight != 1) {
    for (double& b : w.bstates) b *= choice_.weight;
  }
  if (parts_.HasProcessNoise()) {
    w.forced_solver.Pullback(field, force, w.bstates, {own, dim},
                             {own + 2 * dim + 1, w.force.size()}, slot.sums);
  } else {
    w.solver.Pullback(field, w.record, w.bstates, {own, dim}, slot.sums);
  }
}

// Sets w.force to the force on each piece of a segment: component d is s_d / sqrt(h) times a latent
// variable, where h is the length of the piece and s_d the standard deviation of the process noise.
void Bound::SetForce(std::size_t draw, const Segment& segment, Workspace& w) const {
  const std::size_t dim = parts_.shape().dim, n = segment.trajectory;
  const std::span<const double> deviation =
      parts_.layout().Values(parts_.process_noise_block(), values_);
  const std::span<const double> z =
      parts_.latent().Range({ModelParts::kForce, pieces_.Before(n), pieces_.counts[n]},
                            std::span<const double>(z_[draw]));
  const double share = 1 / std::sqrt(pieces_.lengths[n]);
  w.force.resize(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) w.force[i] = deviation[i % dim] * share * z[i];
}

// Reverses SetForce for all segments of a draw: sets the gradient with respect to the latent
// variables of the force, and adds that with respect to the standard deviations to bvalues.
void Bound::AddForceGradient(const ItemResults& results, std::size_t draw,
                             std::span<double> bvalues) {
  const std::size_t dim = parts_.shape().dim, latent = parts_.latent().size();
  const double share = 1.0 / static_cast<double>(draws());
  const std::size_t block = parts_.process_noise_block();
  const std::span<const double> deviation = parts_.layout().Values(block, values_);
  const std::span<double> bdeviation = parts_.layout().Values(block, bvalues);
  for (std::size_t i = 0; i < choice_.segments.size(); ++i) {
    const std::size_t n = cut_.segments[choice_.segments[i]].trajectory;
    const double* bforce = RowOf(results, draw, i) + 2 * dim + 1;
    const LatentRange range{ModelParts::kForce, pieces_.Before(n), pieces_.counts[n]};
    const std::span<const double> z =
        parts_.latent().Range(range, std::span<const double>(z_[draw]));
    const std::span<double> bz =
        parts_.latent().Range(range, std::span(bz_).subspan(draw * latent, latent));
    const double unit = share / std::sqrt(pieces_.lengths[n]);
    for (std::size_t k = 0; k < z.size(); ++k) {
      bz[k] = unit * deviation[k % dim] * bforce[k];
      bdeviation[k % dim] += unit * z[k] * bforce[k];
    }
  }
}

// Adds the log likelihood of a segment's observations. The integration has reached only the first
// `filled` of them.
void Bound::AddLikelihood(const Segment& segment, std::size_t filled, Workspace& w,
                          const Slot& slot) const {
  const std::size_t dim = parts_.shape().dim, channels = map_.channels();
  const Matrix& values = trajectories_[segment.trajectory].values;
  const std::span<const double> parameters = parts_.LikelihoodParameters(values_);
  for (std::size_t i = 0; i < segment.count; ++i) {
    const std::span<const double> y(values.data() + (segment.first + i) * channels, channels);
    if (i >= filled) {
      slot.loglik += choice_.weight * parts_.likelihood().RowMissed(y, parameters, channel_weights);
      continue;
    }
    map_.ApplyTo(std::span(w.states).subspan(i * dim, dim), w.channels);
    std::ranges::fill(w.bchannels, 0.0);
    slot.loglik +=
        choice_.weight * parts_.likelihood().RowReverse(y, w.channels, parameters, channel_weights,
                                                        w.bchannels, slot.bparameters);
    map_.AddReverse(w.bchannels, std::span(w.bstates).subspan(i * dim, dim));
  }
}

// Adds log p(s_i | x_i): the density of the gap between the end x_i of a segment and the shooting
// state s_i at which the next one starts.
void Bound::AddConstraint(std::size_t draw, const Segment& segment, std::size_t place, Workspace& w,
                          const Slot& slot) const {
  const std::size_t dim = parts_.shape().dim;
  double* btarget = slot.segments + place * row_size_ + dim;
  const std::span<const double> target =
      parts_.latent().Item(ModelParts::kShooting, segment.next, std::span<const double>(z_[draw]));
  const std::size_t last = w.states.size() - dim;
  for (std::size_t k = 0; k < dim; ++k) {
    const GapDensity density = DensityOfGap(tolerance_, target[k] - w.states[last + k]);
    slot.constraint += choice_.weight * density.log_density;
    slot.gap += density.size;
    slot.gaps += 1;
    w.bstates[last + k] += density.pull;
    btarget[k] = -choice_.weight * density.pull;
  }
}

// Remembers the solver's last step size of each segment, for the next evaluation. Segments that
// were never integrated will start with the harmonic mean of the others, which small step sizes
// dominate: one step too many costs less than a step that is rejected.
void Bound::TakeStepSizes(const ItemResults& results) {
  const std::size_t dim = parts_.shape().dim;
  double inverse = 0, count = 0;
  for (std::size_t s = 0; s < draws(); ++s) {
    for (std::size_t i = 0; i < choice_.segments.size(); ++i) {
      const double size = RowOf(results, s, i)[2 * dim];
      step_sizes_[s * cut_.segments.size() + choice_.segments[i]] = size;
      if (!(size > 0)) continue;
      inverse += 1 / size;
      count += 1;
    }
  }
  if (count > 0) step_sizes_.back() = count / inverse;
}

void Bound::SumTerms(std::span<const double> totals, BoundTerms& terms) const {
  const double share = 1.0 / static_cast<double>(draws());
  double gaps = 0;
  for (std::size_t s = 0; s < draws(); ++s) {
    const double* last = totals.data() + (s + 1) * total_size_ - kTerms;
    terms.loglik += share * last[0];
    terms.constraint += share * last[1];
    terms.diverged += static_cast<std::size_t>(last[2]);
    terms.evaluations += static_cast<std::size_t>(last[3]);
    terms.gap += last[4];
    gaps += last[5];
  }
  terms.gap = gaps > 0 ? terms.gap / gaps : 1.0;
}

// Adds the divergences from the prior of the function and of the states at which the chosen
// segments start. Shooting states have a flat prior: their divergence is minus their entropy.
void Bound::AddDivergences(std::span<double> bvalues, BoundTerms& terms, ThreadPool& pool) {
  const LatentPosterior& posterior = parts_.posterior();
  terms.kl_u =
      posterior.Divergence(values_, parts_.latent().Whole(ModelParts::kFunction), -1, bvalues);
  if (posterior.is_point_estimate()) {
    terms.kl_u += parts_.function().HyperparameterCost(-1, bvalues);
  }
  if (parts_.HasProcessNoise()) {
    terms.kl_u +=
        posterior.Divergence(values_, parts_.latent().Whole(ModelParts::kForce), -1, bvalues);
  }
  AddStateDivergences(bvalues, terms, pool);
}

void Bound::AddStateDivergences(std::span<double> bvalues, BoundTerms& terms, ThreadPool& pool) {
  divergences_.resize(choice_.segments.size());
  ComputeStateDivergences(ranges_, bvalues);
  pool.For(chunks_.size(), [&](std::size_t chunk) {
    ComputeStateDivergences(std::span(chunks_).subspan(chunk, 1), bvalues);
  });
  if (split_ != nullptr) GatherDivergences();
  for (std::size_t i = 0; i < choice_.segments.size(); ++i) {
    if (cut_.segments[choice_.segments[i]].state == Segment::kNone) {
      terms.kl_x0 += choice_.weight * divergences_[i];
    } else {
      terms.entropy -= choice_.weight * divergences_[i];
    }
  }
}

// Computes the divergences of the states at which the chosen segments start.
void Bound::ComputeStateDivergences(std::span<const LatentRange> ranges,
                                    std::span<double> bvalues) {
  for (const LatentRange& range : ranges) {
    if (range.part == ModelParts::kFunction || range.part == ModelParts::kForce) continue;
    for (std::size_t item = range.first; item < range.first + range.count; ++item) {
      const std::size_t position = ChosenPosition(starting_[NumberOf(range.part, item)]);
      if (position == Segment::kNone) continue;
      divergences_[position] =
          parts_.posterior().Divergence(values_, {range.part, item, 1}, -choice_.weight, bvalues);
    }
  }
}

void Bound::GatherDivergences() {
  offsets_.resize(split_->size() + 1);
  for (std::size_t rank = 0; rank < split_->size(); ++rank) offsets_[rank] = FirstPosition(rank);
  offsets_.back() = choice_.segments.size();
  split_->Gather(offsets_, divergences_);
}

// Returns the number of a state among all initial and shooting states.
std::size_t Bound::NumberOf(std::size_t part, std::size_t item) const {
  return part == ModelParts::kInitial ? item : parts_.shape().trajectories + item;
}

// Computes the gradient with respect to a draw's states, from two sources: the constraint of the
// segment that ends at a state, and the integration of the segment that starts at it.
void Bound::GatherStateCotangents(const ItemResults& results, std::size_t draw,
                                  std::span<const LatentRange> ranges) {
  const std::size_t dim = parts_.shape().dim, latent = parts_.latent().size();
  const double share = 1.0 / static_cast<double>(draws());
  const std::span<double> bz = std::span(bz_).subspan(draw * latent, latent);
  for (const LatentRange& range : ranges) {
    if (range.part == ModelParts::kFunction || range.part == ModelParts::kForce) continue;
    for (std::size_t item = range.first; item < range.first + range.count; ++item) {
      const std::span<double> b = parts_.latent().Item(range.part, item, bz);
      std::ranges::fill(b, 0.0);
      const std::size_t end = ChosenPosition(ending_[NumberOf(range.part, item)]);
      const std::size_t start = ChosenPosition(starting_[NumberOf(range.part, item)]);
      if (end != Segment::kNone) {
        const double* row = RowOf(results, draw, end);
        for (std::size_t k = 0; k < dim; ++k) b[k] += row[dim + k];
      }
      if (start != Segment::kNone) {
        const double* row = RowOf(results, draw, start);
        for (std::size_t k = 0; k < dim; ++k) b[k] += row[k];
      }
      if (share == 1) continue;
      for (double& v : b) v *= share;
    }
  }
}

// Adds the gradient of the log likelihood and the constraints with respect to the parameters of the
// latent variables in `ranges`, one draw after the other.
void Bound::AddDrawReverses(const ItemResults& results, std::span<const LatentRange> ranges,
                            std::span<double> bvalues) {
  const std::size_t latent = parts_.latent().size();
  for (std::size_t s = 0; s < draws(); ++s) {
    GatherStateCotangents(results, s, ranges);
    parts_.posterior().DrawReverse(values_, normals_[s], ranges,
                                   std::span(bz_).subspan(s * latent, latent), bvalues);
  }
}

// Adds the gradient of the log likelihood and the constraints. AddDivergences adds the gradient
// of the divergences.
void Bound::AddGradient(ItemResults& results, std::span<double> bvalues, ThreadPool& pool) {
  const double share = 1.0 / static_cast<double>(draws());
  for (double& v : results.totals) v *= share;
  if (needs_.hyperparameters) {
    parts_.function().Pullback(draws_, results.totals, total_size_, bz_, parts_.latent().size(),
                               bvalues, pool);
  } else {
    parts_.function().PullbackToLatent(draws_, results.totals, total_size_, bz_,
                                       parts_.latent().size(), bvalues, pool);
  }
  if (parts_.HasProcessNoise()) {
    for (std::size_t s = 0; s < draws(); ++s) AddForceGradient(results, s, bvalues);
  }
  AddDrawReverses(results, ranges_, bvalues);
  pool.For(chunks_.size(), [&](std::size_t chunk) {
    AddDrawReverses(results, std::span(chunks_).subspan(chunk, 1), bvalues);
  });
  const std::span<double> target = parts_.LikelihoodParameters(bvalues);
  for (std::size_t s = 0; s < draws(); ++s) {
    const double* bparameters = results.totals.data() + s * total_size_ + sum_count_;
    for (std::size_t c = 0; c < target.size(); ++c) target[c] += choice_.weight * bparameters[c];
  }
}

BoundTerms Bound::Finish(ItemResults& results, std::span<double> bvalues, ThreadPool& pool) {
  BoundTerms terms;
  TakeStepSizes(results);
  SumTerms(results.totals, terms);
  if (!bvalues.empty()) AddGradient(results, bvalues, pool);
  AddDivergences(bvalues, terms, pool);
  return terms;
}

void Bound::Restore(std::span<const double> checkpoint) {
  CheckSize("Bound::Restore", "checkpoint", checkpoint.size(), step_sizes_.size());
  step_sizes_.assign(checkpoint.begin(), checkpoint.end());
}

void Bound::ForgetStepSizes() { std::ranges::fill(step_sizes_, 0.0); }

// Returns the largest misfit of a segment (MisfitRule) with which the bound can reach the floor, or
// infinity if that is not known. The log likelihood is at most what it would be without residuals.
double Bound::LargestMisfit(ThreadPool& pool) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t channels = map_.channels();
  const Likelihood& likelihood = parts_.likelihood();
  if (!std::isfinite(needs_.floor) || draws() > 1 || parts_.shape().shooting_states > 0 ||
      choice_.weight != 1) {
    return kInfinity;
  }
  const std::span<const double> parameters = parts_.LikelihoodParameters(values_);
  precisions_.resize(channels);
  std::vector<double> logs(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    if (!likelihood.ForChannel(c).is_gaussian()) return kInfinity;
    const double variance = likelihood.ForChannel(c).Variance(likelihood.OfChannel(c, parameters));
    precisions_[c] = 0.5 * WeightOf(channel_weights, c) / variance;
    logs[c] = 0.5 * WeightOf(channel_weights, c) * std::log(2 * std::numbers::pi * variance);
  }
  BoundTerms terms;
  AddDivergences({}, terms, pool);
  for (std::size_t index : choice_.segments) {
    const Segment& segment = cut_.segments[index];
    const Matrix& values = trajectories_[segment.trajectory].values;
    const double* y = values.data() + segment.first * channels;
    for (std::size_t i = 0; i < segment.count * channels; ++i) {
      if (!std::isnan(y[i])) terms.loglik -= logs[i % channels];
    }
  }
  const double most = terms.Total();
  // The margin is larger than any difference by rounding from the sums of a whole evaluation.
  return most - needs_.floor + 1e-6 + 1e-9 * (std::fabs(most) + std::fabs(needs_.floor));
}

BoundTerms Bound::Evaluate(std::span<const double> values, const Tolerance& tolerance,
                           std::span<double> bvalues, ThreadPool& pool,
                           const EvaluationNeeds& needs) {
  needs_ = needs;
  if (const FactorStatus status = Begin(values, tolerance, pool); status != FactorStatus::kOk) {
    BoundTerms terms;
    terms.factor = status;
    return terms;
  }
  with_gradient_ = !bvalues.empty();
  largest_misfit_ = LargestMisfit(pool);
  if (largest_misfit_ < 0) {
    BoundTerms terms;
    terms.diverged = 1;
    return terms;
  }
  evaluator_->Evaluate(*this, pool, results_);
  return Finish(results_, bvalues, pool);
}

}  // namespace gpode
