#include "model/bound.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "gpode/error.h"
#include "gpode/random.h"
#include "model/gaussian.h"

namespace gpode {
namespace {

constexpr std::size_t kSegmentsPerChunk = 16;
// What follows the gradients in a chunk's sums: log likelihood, constraint, diverged integrations,
// evaluations of the field.
constexpr std::size_t kTerms = 6;

// log p(gap) of one component, minus its derivative, and the gap's size in units of the tolerance
// (see BoundTerms::gap).
struct GapDensity {
  double log_density, pull, size;
};

GapDensity DensityOfGap(const Tolerance& tolerance, double gap) {
  const double s = tolerance.scale;
  if (tolerance.prior == TolerancePrior::kLaplace) {
    const double size = std::fabs(gap) / s;
    return {-std::log(2 * s) - size, (gap > 0 ? 1.0 : gap < 0 ? -1.0 : 0.0) / s, size};
  }
  const double size = gap * gap / (s * s);
  return {-0.5 * (std::log(2 * std::numbers::pi * s * s) + size), gap / (s * s), size};
}

// Minus the logarithm of a standard normal density, up to a constant.
double HalfSquare(std::span<const double> x) {
  return 0.5 * std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

// What an observation that an integration did not reach is worth: as if it were this many standard
// deviations off. A draw that diverges must not look better than one that is merely wrong.
constexpr double kMissedBy = 10.0;

double LogLikelihoodMissed(std::span<const double> noise_variance, std::span<const double> y,
                           std::span<const double> weights) {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (std::isnan(y[c])) continue;
    const double weight = weights.empty() ? 1.0 : weights[c];
    sum -=
        0.5 * weight * (std::log(2 * std::numbers::pi * noise_variance[c]) + kMissedBy * kMissedBy);
  }
  return sum;
}

}  // namespace

// What one thread needs to run segments.
struct Bound::Workspace {
  Solver solver;
  SolveRecord record;
  std::vector<double> start, next, times, states, bstates;

  Workspace(const SolverOptions& options, std::size_t dim, std::size_t longest)
      : solver(options), start(dim), next(dim) {
    times.reserve(longest);
    states.reserve(longest * dim);
    bstates.reserve(longest * dim);
  }
};

// Views into a chunk's partial sums.
struct Bound::Chunk {
  std::span<double> sums;   // the draw's raw sums
  std::span<double> noise;  // of the noise variances
  double &loglik, &constraint, &diverged, &evaluations, &gap, &gaps;

  Chunk(double* part, std::size_t sum_count, std::size_t channels)
      : sums(part, sum_count),
        noise(part + sum_count, channels),
        loglik(part[sum_count + channels]),
        constraint(part[sum_count + channels + 1]),
        diverged(part[sum_count + channels + 2]),
        evaluations(part[sum_count + channels + 3]),
        gap(part[sum_count + channels + 4]),
        gaps(part[sum_count + channels + 5]) {}
};

Bound::Bound(std::unique_ptr<FieldPosterior> fields, const ObservationMap& map,
             std::vector<TimedValues> trajectories, Segmentation cut,
             const ModelParameters& parameters, const SolverOptions& solver, Knowledge states)
    : map_(map),
      trajectories_(std::move(trajectories)),
      cut_(std::move(cut)),
      parameters_(parameters),
      solver_options_(solver),
      fields_(std::move(fields)),
      point_(states == Knowledge::kPoint),
      sum_count_(fields_->draw(0).parameter_count()) {
  step_hints.assign(draws() * cut_.segments.size() + 1, 0.0);
  for (const Segment& segment : cut_.segments) longest_ = std::max(longest_, segment.count);
  width_ = sum_count_ + map_.channels() + kTerms;
  total_.resize(draws() * width_);
  bstart_.resize(draws() * cut_.segments.size() * parameters_.shape().dim);
  btarget_.resize(bstart_.size());
  bstate_.resize(parameters_.shape().dim);
}

Bound::~Bound() = default;

SegmentChoice Bound::AllSegments() const {
  SegmentChoice choice;
  for (std::size_t i = 0; i < cut_.segments.size(); ++i) choice.segments.push_back(i);
  return choice;
}

void Bound::SampleNoise(std::uint64_t seed, std::uint64_t step, const TouchedStates& touched,
                        BoundNoise& noise, ThreadPool& pool) const {
  const ModelShape& s = parameters_.shape();
  noise.fields.resize(draws());
  noise.eps_x0.resize(draws() * s.trajectories * s.dim);
  noise.eps_state.resize(draws() * s.shooting_states * s.dim);
  pool.For(draws(), [&](std::size_t i) {
    fields_->SampleNoise(seed, step, i, noise.fields[i]);
    if (point_) return;
    const auto fill = [&](Purpose purpose, const std::vector<IndexRun>& runs, std::size_t states,
                          std::vector<double>& eps) {
      const RandomStream stream(seed, step, i, purpose);
      for (const IndexRun& run : runs) {
        stream.Normals(std::span(eps).subspan((i * states + run.first) * s.dim, run.count * s.dim),
                       run.first * s.dim);
      }
    };
    fill(Purpose::kInitialState, touched.x0, s.trajectories, noise.eps_x0);
    fill(Purpose::kShootingState, touched.shooting, s.shooting_states, noise.eps_state);
  });
}

std::span<const double> Bound::StartMean(const Segment& s, std::span<const double> values) const {
  const ParameterLayout& layout = parameters_.layout();
  const std::size_t d = parameters_.shape().dim;
  return s.state == Segment::kNone
             ? layout.Values(parameters_.x0_mean, values).subspan(s.trajectory * d, d)
             : layout.Values(parameters_.state_mean, values).subspan(s.state * d, d);
}

std::span<const double> Bound::StartChol(const Segment& s, std::span<const double> values) const {
  const ParameterLayout& layout = parameters_.layout();
  const std::size_t d2 = parameters_.shape().dim * parameters_.shape().dim;
  return s.state == Segment::kNone
             ? layout.Values(parameters_.x0_chol, values).subspan(s.trajectory * d2, d2)
             : layout.Values(parameters_.state_chol, values).subspan(s.state * d2, d2);
}

std::span<const double> Bound::StartNoise(const Segment& s, std::size_t draw,
                                          const BoundNoise& noise) const {
  const ModelShape& shape = parameters_.shape();
  return s.state == Segment::kNone
             ? std::span(noise.eps_x0)
                   .subspan((draw * shape.trajectories + s.trajectory) * shape.dim, shape.dim)
             : std::span(noise.eps_state)
                   .subspan((draw * shape.shooting_states + s.state) * shape.dim, shape.dim);
}

void Bound::RunSegment(std::size_t draw, std::size_t index, const Point& point, Workspace& w,
                       Chunk& chunk) {
  const Segment& segment = cut_.segments[index];
  const std::vector<double>& times = trajectories_[segment.trajectory].times;
  const std::size_t dim = parameters_.shape().dim;
  const Field& field = fields_->draw(draw);
  const auto first = times.begin() + static_cast<std::ptrdiff_t>(segment.first);
  w.times.assign(first, first + static_cast<std::ptrdiff_t>(segment.count));
  w.states.resize(segment.count * dim);
  w.bstates.assign(segment.count * dim, 0.0);
  SampleGaussian(StartMean(segment, point.values), StartChol(segment, point.values),
                 StartNoise(segment, draw, point.noise), w.start);
  double& hint = step_hints[draw * cut_.segments.size() + index];
  const SolveResult result =
      w.solver.SolveRecorded(field, w.start, segment.start, w.times, w.states, w.record,
                             hint > 0 ? hint : step_hints.back());
  if (result.step_hint > 0) hint = result.step_hint;
  if (!result.ok()) chunk.diverged += 1;
  chunk.evaluations += static_cast<double>(result.statistics.evaluations);
  AddLikelihood(segment, result.filled, point, w, chunk);
  if (segment.next != Segment::kNone) AddConstraint(draw, index, result.ok(), point, w, chunk);
  if (point.weight != 1) {
    for (double& b : w.bstates) b *= point.weight;
  }
  double* bstart = bstart_.data() + (draw * cut_.segments.size() + index) * dim;
  std::fill_n(bstart, dim, 0.0);
  w.solver.Pullback(field, w.record, w.bstates, {bstart, dim}, chunk.sums);
}

// Of a segment's observations; the first `filled` were reached.
void Bound::AddLikelihood(const Segment& segment, std::size_t filled, const Point& point,
                          Workspace& w, Chunk& chunk) const {
  const std::size_t dim = parameters_.shape().dim, channels = map_.channels();
  const Matrix& values = trajectories_[segment.trajectory].values;
  const std::span<const double> noise_variance =
      parameters_.layout().Values(parameters_.noise_variance, point.values);
  for (std::size_t i = 0; i < segment.count; ++i) {
    const std::span<const double> y(values.data() + (segment.first + i) * channels, channels);
    const std::span<double> x = std::span(w.states).subspan(i * dim, dim);
    const std::span<double> bx = std::span(w.bstates).subspan(i * dim, dim);
    chunk.loglik +=
        point.weight * (i < filled ? LogLikelihoodPullback(map_, noise_variance, y, x, bx,
                                                           chunk.noise, channel_weights)
                                   : LogLikelihoodMissed(noise_variance, y, channel_weights));
  }
}

// Between the end of segment `index` and the shooting state there, from which the next one starts.
void Bound::AddConstraint(std::size_t draw, std::size_t index, bool reached, const Point& point,
                          Workspace& w, Chunk& chunk) {
  const std::size_t dim = parameters_.shape().dim;
  double* btarget = btarget_.data() + (draw * cut_.segments.size() + index + 1) * dim;
  std::fill_n(btarget, dim, 0.0);
  if (!reached) return;
  const Segment& following = cut_.segments[index + 1];
  SampleGaussian(StartMean(following, point.values), StartChol(following, point.values),
                 StartNoise(following, draw, point.noise), w.next);
  const std::size_t last = w.states.size() - dim;
  for (std::size_t k = 0; k < dim; ++k) {
    const GapDensity density = DensityOfGap(point.tolerance, w.next[k] - w.states[last + k]);
    chunk.constraint += point.weight * density.log_density;
    chunk.gap += density.size;
    chunk.gaps += 1;
    w.bstates[last + k] += density.pull;
    btarget[k] = -point.weight * density.pull;
  }
}

// All segments for all draws: fills total_, bstart_ and btarget_.
void Bound::RunChunks(const Point& point, const SegmentChoice& choice, ThreadPool& pool) {
  while (workspaces_.size() < pool.size()) {
    workspaces_.push_back(
        std::make_unique<Workspace>(solver_options_, parameters_.shape().dim, longest_));
  }
  const std::size_t per_draw = (choice.segments.size() + kSegmentsPerChunk - 1) / kSegmentsPerChunk;
  partial_.resize(draws() * per_draw * width_);
  pool.For(draws() * per_draw, [&](std::size_t c) {
    double* part = partial_.data() + c * width_;
    std::fill_n(part, width_, 0.0);
    Chunk chunk(part, sum_count_, map_.channels());
    const std::size_t first = c % per_draw * kSegmentsPerChunk;
    const std::size_t end = std::min(first + kSegmentsPerChunk, choice.segments.size());
    for (std::size_t i = first; i < end; ++i) {
      RunSegment(c / per_draw, choice.segments[i], point, *workspaces_[pool.WorkerIndex()], chunk);
    }
  });
  pool.For(draws(), [&](std::size_t s) {
    double* total = total_.data() + s * width_;
    std::fill_n(total, width_, 0.0);
    for (std::size_t c = s * per_draw; c < (s + 1) * per_draw; ++c) {
      const double* part = partial_.data() + c * width_;
      for (std::size_t i = 0; i < width_; ++i) total[i] += part[i];
    }
  });
}

void Bound::SumTerms(BoundTerms& terms) const {
  const double share = 1.0 / static_cast<double>(draws());
  double gaps = 0;
  for (std::size_t s = 0; s < draws(); ++s) {
    const double* last = total_.data() + (s + 1) * width_ - kTerms;
    terms.loglik += share * last[0];
    terms.constraint += share * last[1];
    terms.diverged += static_cast<std::size_t>(last[2]);
    terms.evaluations += static_cast<std::size_t>(last[3]);
    terms.gap += last[4];
    gaps += last[5];
  }
  terms.gap = gaps > 0 ? terms.gap / gaps : 1.0;
}

// The harmonic mean: rather a step too many than one that is rejected.
void Bound::SetCommonHint(const SegmentChoice& choice) {
  double inverse = 0, count = 0;
  for (std::size_t s = 0; s < draws(); ++s) {
    for (std::size_t index : choice.segments) {
      const double hint = step_hints[s * cut_.segments.size() + index];
      if (!(hint > 0)) continue;
      inverse += 1 / hint;
      count += 1;
    }
  }
  if (count > 0) step_hints.back() = count / inverse;
}

BoundTerms Bound::Evaluate(std::span<const double> values, const BoundNoise& noise,
                           const Tolerance& tolerance, const SegmentChoice& choice,
                           std::span<double> bvalues, ThreadPool& pool) {
  BoundTerms terms;
  terms.factor = fields_->Set(values, noise.fields, pool);
  if (terms.factor != FactorStatus::kOk) return terms;
  RunChunks({values, noise, tolerance, choice.weight}, choice, pool);
  SetCommonHint(choice);
  SumTerms(terms);
  terms.kl_u = fields_->Divergence();
  AddStateGradients(noise, choice, values, bvalues, terms);
  if (!bvalues.empty()) AddFieldGradients(noise, choice.weight, bvalues, pool);
  return terms;
}

// The gradients of the field's parameters and the noise variances, from total_.
void Bound::AddFieldGradients(const BoundNoise& noise, double weight, std::span<double> bvalues,
                              ThreadPool& pool) {
  const double share = 1.0 / static_cast<double>(draws());
  for (double& v : total_) v *= share;
  fields_->AddGradient(noise.fields, total_, width_, bvalues, pool);
  const std::span<double> target = parameters_.layout().Values(parameters_.noise_variance, bvalues);
  for (std::size_t s = 0; s < draws(); ++s) {
    const double* bnoise = total_.data() + s * width_ + sum_count_;
    for (std::size_t c = 0; c < map_.channels(); ++c) target[c] += weight * bnoise[c];
  }
}

// Divergence and entropy of the segments' start states, and the gradients of their distributions.
void Bound::AddStateGradients(const BoundNoise& noise, const SegmentChoice& choice,
                              std::span<const double> values, std::span<double> bvalues,
                              BoundTerms& terms) {
  const std::size_t dim = parameters_.shape().dim;
  const double share = 1.0 / static_cast<double>(draws());
  // The gradients' places: the same as the values', in bvalues.
  const auto place = [&](std::span<const double> of) {
    return bvalues.subspan(static_cast<std::size_t>(of.data() - values.data()), of.size());
  };
  // The cotangent of a state is summed before it is pulled back to the state's distribution.
  const auto pull = [&](std::size_t index, bool own, bool target) {
    const Segment& segment = cut_.segments[index];
    for (std::size_t s = 0; s < draws(); ++s) {
      const std::size_t at = (s * cut_.segments.size() + index) * dim;
      for (std::size_t k = 0; k < dim; ++k) {
        const double sum = (own ? bstart_[at + k] : 0.0) + (target ? btarget_[at + k] : 0.0);
        bstate_[k] = share * sum;
      }
      SampleGaussianPullback(StartNoise(segment, s, noise), bstate_,
                             place(StartMean(segment, values)), place(StartChol(segment, values)));
    }
  };
  for (std::size_t i = 0; i < choice.segments.size(); ++i) {
    const std::size_t index = choice.segments[i];
    const Segment& segment = cut_.segments[index];
    const std::span<const double> mean = StartMean(segment, values);
    const std::span<const double> chol = StartChol(segment, values);
    const bool initial = segment.state == Segment::kNone;
    if (initial)
      terms.kl_x0 += choice.weight * (point_ ? HalfSquare(mean) : KlFromStandard(mean, chol));
    if (!initial && !point_) terms.entropy += choice.weight * Entropy(chol, dim);
    if (bvalues.empty()) continue;
    pull(index, true, !initial && i > 0 && choice.segments[i - 1] + 1 == index);
    if (initial && point_) {
      for (std::size_t k = 0; k < dim; ++k) place(mean)[k] -= choice.weight * mean[k];
    } else if (initial) {
      KlFromStandardPullback(mean, chol, -choice.weight, place(mean), place(chol));
    } else if (!point_) {
      EntropyPullback(chol, dim, choice.weight, place(chol));
    }
    const bool next_chosen = i + 1 < choice.segments.size() && choice.segments[i + 1] == index + 1;
    if (segment.next != Segment::kNone && !next_chosen) pull(index + 1, false, true);
  }
}

}  // namespace gpode
