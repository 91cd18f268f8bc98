#include "gpode/condition.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/autocorrelation.h"
#include "data/segments.h"
#include "gpode/error.h"
#include "gpode/importance.h"
#include "gpode/parallel.h"
#include "io/reading.h"
#include "model/model_draws.h"
#include "predict/start_problem.h"

namespace gpode {
namespace {

constexpr std::string_view kWhere = "Condition";
// The number of fields that are tried for each draw that is kept.
constexpr std::size_t kTries = 4;
// The number of random starts of the search with the mean field.
constexpr std::size_t kStarts = 16;
// A mode is searched again in growing windows of time if its mean squared residual exceeds kPoorFit
// noise variances. The result is not trusted if that of all draws exceeds kLargestMisfit.
constexpr double kPoorFit = 4, kLargestMisfit = 4;
// A larger Pareto shape, or fewer effective fields, means that a few fields carry all the weight.
constexpr double kLargestShape = 0.7, kFewestEffective = 10;

void CheckGiven(const Model& model, const Dataset& given) {
  if (!model.given.empty()) {
    ThrowInput(kWhere, "model", "is already conditioned on data, must be the model before that");
  }
  CheckDataset(given);
  if (given.channels != model.channels) {
    ThrowInput(kWhere, "given",
               fmt::format("must have the model's channels, {}", internal::ListOf(model.channels)));
  }
  CheckSize(kWhere, "the measured inputs", given.inputs.size(), model.inputs.size());
}

// Returns the number of pieces of the process noise for a span of the model's time: pieces are
// about as long as those of the training data.
std::size_t CountPieces(const NoisePieces& trained, double span) {
  constexpr double kMost = 10000;
  const double length = std::accumulate(trained.lengths.begin(), trained.lengths.end(), 0.0) /
                        static_cast<double>(trained.lengths.size());
  return static_cast<std::size_t>(std::clamp(std::ceil(span / length), 1.0, kMost));
}

// Returns values of the layout `to`. Blocks that have the same shape in both layouts keep their
// values; the others, which belong to the trajectories, come from `fallback`.
std::vector<double> WithBlocks(const ParameterLayout& from, std::span<const double> values,
                               const ParameterLayout& to, const std::vector<double>& fallback) {
  std::vector<double> result = fallback;
  for (std::size_t b = 0; b < to.blocks().size(); ++b) {
    const ParameterBlock& block = to.blocks()[b];
    if (!from.Has(block.name) || from.Find(block.name).shape != block.shape) continue;
    std::ranges::copy(from.Values(from.Index(block.name), values),
                      to.Values(b, std::span(result)).begin());
  }
  return result;
}

// Returns the model with the trajectories of the new data in place of its own. Its draws of states
// are placeholders.
Model WithTrajectories(const Model& model, const Dataset& given) {
  Model result = model;
  result.start_times.clear();
  result.end_times.clear();
  result.input_samples.clear();
  result.noise_pieces.clear();
  result.shooting_trajectory.clear();
  result.shooting_times.clear();
  const NoisePieces pieces = PiecesOf(model);
  for (const Trajectory& t : given.trajectories) {
    result.start_times.push_back(t.start());
    result.end_times.push_back(t.times.back());
    if (!model.inputs.empty()) result.input_samples.push_back(t.inputs);
    if (model.noise_pieces.empty()) continue;
    // A trajectory of one time also has a piece, which begins before its only observation.
    if (!(result.end_times.back() > result.start_times.back())) {
      ThrowInput(kWhere, "given", "has a trajectory of one time, must have two for process noise");
    }
    result.noise_pieces.push_back(CountPieces(
        pieces, model.coordinates.TimeToModel(result.end_times.back(), result.start_times.back())));
  }
  if (!result.widening.IsZero()) result.widening.SetGaps(given);
  const ModelParts parts(model.options, ShapeOf(result));
  const std::vector<double> zeros(parts.latent().size(), 0.0), ones(zeros.size(), 1.0);
  const std::vector<double> fallback = parts.ValuesAt(zeros, ones, model.parameters);
  const ParameterLayout& from = model.parameters.layout;
  result.parameters = {parts.layout(),
                       WithBlocks(from, model.parameters.values, parts.layout(), fallback)};
  result.draws.resize(model.draws.rows(), static_cast<Eigen::Index>(parts.layout().value_size()));
  for (Eigen::Index row = 0; row < model.draws.rows(); ++row) {
    const std::span<const double> values(model.draws.row(row).data(), from.value_size());
    std::ranges::copy(WithBlocks(from, values, parts.layout(), fallback),
                      result.draws.row(row).begin());
  }
  return result;
}

bool SameRow(const Trajectory& a, std::size_t i, const Trajectory& b, std::size_t j) {
  if (a.times[i] != b.times[j]) return false;
  for (Eigen::Index c = 0; c < a.values.cols(); ++c) {
    const double x = a.values(static_cast<Eigen::Index>(i), c);
    const double y = b.values(static_cast<Eigen::Index>(j), c);
    if (!(x == y || (std::isnan(x) && std::isnan(y)))) return false;
  }
  return true;
}

// Marks the rows of a trajectory that were training data. A trajectory is a longer version of a
// training trajectory if it has that trajectory's first row and at least two of its rows; otherwise
// no row is marked.
std::vector<char> RowsSeen(const Trajectory& given, const Dataset& seen) {
  std::vector<char> best(given.times.size(), 0);
  std::ptrdiff_t most = 1;
  for (const Trajectory& old : seen.trajectories) {
    std::vector<char> same(given.times.size(), 0);
    std::size_t j = 0;
    bool has_first = false;
    for (std::size_t i = 0; i < given.times.size(); ++i) {
      while (j < old.times.size() && old.times[j] < given.times[i]) ++j;
      if (j == old.times.size() || !SameRow(given, i, old, j)) continue;
      same[i] = 1;
      has_first = has_first || j == 0;
    }
    const std::ptrdiff_t count = std::ranges::count(same, 1);
    if (!has_first || count <= most) continue;
    most = count;
    best = same;
  }
  return best;
}

// One new trajectory: all its observations, and those of them that were training data.
struct GivenTrajectory {
  StartData all, old;
  bool has_old = false;
  Vector guess;  // the mode for the mean field, from which the searches for other fields start
};

// One field with a start of each trajectory, and the weight of this pair.
struct Candidate {
  std::vector<double> starts, force;
  double log_weight = -HUGE_VAL, misfit = 0;
};

class Conditioning {
 public:
  Conditioning(const Model& model, const Dataset& given, const Dataset& seen,
               const ConditionOptions& options)
      : options_(options),
        result_(WithTrajectories(model, given)),
        draws_(result_),
        pieces_(PiecesOf(result_)) {
    const std::vector<TimedValues> timed =
        InModelTime(given, model.coordinates, model.input_rule());
    for (std::size_t n = 0; n < timed.size(); ++n) {
      GivenTrajectory t;
      t.all = {.times = timed[n].times, .values = timed[n].values, .inputs = timed[n].inputs};
      if (!pieces_.counts.empty()) t.all.ends = pieces_.ends[n];
      const std::vector<char> same = RowsSeen(given.trajectories[n], seen);
      t.has_old = std::ranges::count(same, 1) > 0;
      t.old = t.all;
      for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] == 0) t.old.values.row(static_cast<Eigen::Index>(i)).setConstant(NAN);
      }
      trajectories_.push_back(std::move(t));
    }
    values_ = given.observed();
  }

  Conditioned Run() {
    FindGuesses();
    const std::size_t count = kTries * options_.draws;
    std::vector<Candidate> candidates = TryAll(count);
    std::vector<double> log_weights = WeightsOf(candidates);
    SmoothedWeights weights = SmoothWeights(log_weights);
    if (std::ranges::count(log_weights, -HUGE_VAL) < std::ssize(log_weights) &&
        Discount(candidates, Resample(weights.weights, options_.draws, 0.5))) {
      candidates = TryAll(count);
      log_weights = WeightsOf(candidates);
      weights = SmoothWeights(log_weights);
    }
    Conditioned done{.model = {},
                     .fields = count,
                     .failed = static_cast<std::size_t>(std::ranges::count(log_weights, -HUGE_VAL)),
                     .shape = weights.shape,
                     .effective = weights.effective,
                     .values = values_};
    if (done.failed == count) {
      throw InputError("given data: no draw of the field has a solution that reaches them");
    }
    Keep(candidates, Resample(weights.weights, options_.draws, 0.5), &done.misfit);
    done.model = std::move(result_);
    return done;
  }

 private:
  std::size_t dim() const { return result_.dim(); }

  // Returns the standard deviation of the force on a piece of trajectory n.
  std::vector<double> Deviation(const ModelDraw& draw, std::size_t n) const {
    std::vector<double> deviation = draw.process_noise;
    for (double& d : deviation) d /= std::sqrt(pieces_.lengths[n]);
    return deviation;
  }

  // Finds the modes with the mean field, from which the search with each draw starts.
  void FindGuesses() {
    const ModelDraw mean = draws_.MakeMean();
    const ObservationNoise noise = result_.noise_on_link_scale();
    ThreadPool pool(options_.threads);
    pool.For(trajectories_.size(), [&](std::size_t n) {
      GivenTrajectory& t = trajectories_[n];
      const std::vector<double> deviation = Deviation(mean, n);
      StartProblem problem(mean.function->field(), t.all, result_.map, noise, deviation,
                           result_.options.solver);
      t.guess = problem.Search(options_.seed, kStarts).unknowns;
    });
  }

  std::vector<Candidate> TryAll(std::size_t count) const {
    std::vector<Candidate> candidates(count);
    ThreadPool pool(options_.threads);
    pool.For(count, [&](std::size_t i) { candidates[i] = Try(i); });
    return candidates;
  }

  static std::vector<double> WeightsOf(const std::vector<Candidate>& candidates) {
    std::vector<double> log_weights;
    for (const Candidate& c : candidates) log_weights.push_back(c.log_weight);
    return log_weights;
  }

  // Gives the channels smaller weights if the mean residuals of the chosen candidates are
  // correlated, as training does: n values then count as the effective number of independent ones.
  // With full weights, errors of the model would pass for evidence. Returns true if a weight has
  // changed.
  bool Discount(const std::vector<Candidate>& candidates, const std::vector<std::size_t>& chosen) {
    constexpr std::size_t kMost = 32;  // candidates that are followed
    if (!result_.options.discount) return false;
    std::vector<Matrix> sums;
    for (const GivenTrajectory& t : trajectories_) {
      sums.emplace_back(Matrix::Zero(t.all.values.rows(), t.all.values.cols()));
    }
    const std::size_t step = (chosen.size() + kMost - 1) / kMost;
    std::size_t followed = 0;
    for (std::size_t s = 0; s < chosen.size(); s += step, ++followed) {
      AddResiduals(candidates[chosen[s]], chosen[s], sums);
    }
    std::vector<double> weights;
    for (Eigen::Index c = 0; c < std::ssize(result_.channels); ++c) {
      std::vector<std::vector<double>> series;
      for (const Matrix& sum : sums) series.emplace_back(sum.col(c).begin(), sum.col(c).end());
      // Residuals that are smaller than the noise are no errors of the model, correlated or not.
      const auto channel = static_cast<std::size_t>(c);
      const double noise = result_.noise_on_link_scale().Deviation(channel);
      const double least = std::pow(noise * static_cast<double>(followed), 2);
      weights.push_back(1 / AutocorrelationTime(series, least));
    }
    if (std::ranges::all_of(weights, [](double w) { return w >= 1; })) return false;
    for (GivenTrajectory& t : trajectories_) t.all.weights = t.old.weights = weights;
    return true;
  }

  // Adds the residuals of candidate i to `sums`, one matrix (T, channels) for each trajectory.
  void AddResiduals(const Candidate& candidate, std::size_t i, std::vector<Matrix>& sums) const {
    const ModelDraw draw = draws_.MakeField(options_.seed, i);
    const ObservationNoise noise = draws_.NoiseOf(options_.seed, i);
    const double* starts = candidate.starts.data();
    const double* force = candidate.force.data();
    for (std::size_t n = 0; n < trajectories_.size(); ++n) {
      const std::vector<double> deviation = Deviation(draw, n);
      StartProblem problem(draw.function->field(), trajectories_[n].all, result_.map, noise,
                           deviation, result_.options.solver);
      Vector u(problem.size());
      u.head(ToIndex(dim())) = Eigen::Map<const Vector>(starts, ToIndex(dim()));
      const Eigen::Index forces = u.size() - ToIndex(dim());
      if (forces > 0) u.tail(forces) = Eigen::Map<const Vector>(force, forces);
      starts += dim();
      force += forces;
      sums[n] += problem.Residuals(u);
    }
  }

  // Finds the mode of one trajectory with one field.
  StartMode ModeOf(StartProblem& problem, const GivenTrajectory& t) const {
    StartMode mode = problem.Minimise(t.guess, problem.times());
    const auto values = static_cast<double>((!t.all.values.array().isNaN()).count());
    if (std::isfinite(mode.cost) && problem.Misfit(mode.unknowns) <= kPoorFit * values) return mode;
    StartMode other = problem.MinimiseGrowing(t.guess);
    return other.cost < mode.cost ? other : mode;
  }

  // Draws a start of each trajectory for field i, and computes the weight of the pair.
  Candidate Try(std::size_t i) const {
    const ModelDraw draw = draws_.MakeField(options_.seed, i);
    const ObservationNoise noise = draws_.NoiseOf(options_.seed, i);
    Candidate candidate;
    double log_weight = 0;
    for (std::size_t n = 0; n < trajectories_.size(); ++n) {
      const GivenTrajectory& t = trajectories_[n];
      const std::vector<double> deviation = Deviation(draw, n);
      StartProblem problem(draw.function->field(), t.all, result_.map, noise, deviation,
                           result_.options.solver);
      const StartMode mode = ModeOf(problem, t);
      if (!std::isfinite(mode.cost)) return {};
      const Eigen::LLT<Eigen::MatrixXd> factor(mode.curvature);
      if (factor.info() != Eigen::Success) return {};
      Vector normals(problem.size());
      RandomStream(options_.seed, kForecastStep, i * trajectories_.size() + n,
                   Purpose::kInitialState)
          .Normals({normals.data(), static_cast<std::size_t>(normals.size())});
      const Vector u = mode.unknowns + Vector(factor.matrixU().solve(normals));
      const double log_det = 2 * factor.matrixLLT().diagonal().array().log().sum();
      // The factors 2 pi of the prior and of q cancel.
      log_weight += -problem.Cost(u, problem.times()) + 0.5 * normals.squaredNorm() - 0.5 * log_det;
      candidate.misfit += problem.Misfit(u);
      if (t.has_old) log_weight -= OldEvidence(draw, noise, deviation, t, mode.unknowns);
      candidate.starts.insert(candidate.starts.end(), u.begin(), u.begin() + ToIndex(dim()));
      candidate.force.insert(candidate.force.end(), u.begin() + ToIndex(dim()), u.end());
    }
    candidate.log_weight = std::isfinite(log_weight) ? log_weight : -HUGE_VAL;
    return candidate;
  }

  static Eigen::Index ToIndex(std::size_t i) { return static_cast<Eigen::Index>(i); }

  // Returns the log evidence of the rows that were training data, by Laplace's approximation.
  double OldEvidence(const ModelDraw& draw, const ObservationNoise& noise,
                     std::span<const double> deviation, const GivenTrajectory& t,
                     const Vector& from) const {
    StartProblem problem(draw.function->field(), t.old, result_.map, noise, deviation,
                         result_.options.solver);
    const StartMode mode = problem.Minimise(from, problem.times());
    if (!std::isfinite(mode.cost)) return HUGE_VAL;
    const Eigen::LLT<Eigen::MatrixXd> factor(mode.curvature);
    return -mode.cost - factor.matrixLLT().diagonal().array().log().sum();
  }

  // Replaces the draws of the model by the chosen candidates, and computes their mean misfit.
  void Keep(const std::vector<Candidate>& candidates, const std::vector<std::size_t>& chosen,
            double* misfit) {
    GivenDraws& given = result_.given;
    given.seed = options_.seed;
    const std::size_t any = chosen.front();
    given.starts.resize(std::ssize(chosen), std::ssize(candidates[any].starts));
    given.force.resize(std::ssize(chosen), std::ssize(candidates[any].force));
    *misfit = 0;
    for (std::size_t s = 0; s < chosen.size(); ++s) {
      const Candidate& c = candidates[chosen[s]];
      given.fields.push_back(chosen[s]);
      std::ranges::copy(c.starts, given.starts.row(ToIndex(s)).begin());
      std::ranges::copy(c.force, given.force.row(ToIndex(s)).begin());
      *misfit += c.misfit / static_cast<double>(chosen.size() * std::max<std::size_t>(values_, 1));
    }
  }

  ConditionOptions options_;
  Model result_;
  ModelDraws draws_;
  NoisePieces pieces_;
  std::vector<GivenTrajectory> trajectories_;
  std::size_t values_ = 0;
};

}  // namespace

std::string Conditioned::Describe() const {
  return fmt::format(
      "conditioned on {} values: {} fields worth {:.0f}, Pareto k {:.2f}, mean squared residual "
      "{:.2g} "
      "times the noise variance",
      values, fields, effective, shape, misfit);
}

std::string Conditioned::Warning() const {
  if (misfit > kLargestMisfit) {
    return fmt::format(
        "the field does not explain the given data: mean squared residual {:.2g} times the noise "
        "variance",
        misfit);
  }
  if (effective < kFewestEffective ||
      (shape > kLargestShape && effective < 10 * kFewestEffective)) {
    return fmt::format(
        "few fields follow the given data: {} of them are worth {:.1f}; more --draws help, or a "
        "fit with these data",
        fields, effective);
  }
  return "";
}

Conditioned Condition(const Model& model, const Dataset& given, const Dataset& seen,
                      const ConditionOptions& options) {
  CheckAtLeast(kWhere, "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
  CheckGiven(model, given);
  const std::vector<Link> links = model.links();
  if (links.empty()) return Conditioning(model, given, seen, options).Run();
  return Conditioning(model, ToLinkScale(given, links), ToLinkScale(seen, links), options).Run();
}

}  // namespace gpode
