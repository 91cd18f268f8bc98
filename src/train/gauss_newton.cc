#include "train/gauss_newton.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>

namespace gpode {
namespace {

// The largest number of segments of all trajectories together.
constexpr std::size_t kMostSegments = 40;
// The tolerances of the ties between segments, in units of the states' spread, the largest number
// of steps at each tolerance, and how often a step that does not lower the cost is halved.
constexpr double kTolerances[] = {0.3, 0.1, 0.03, 0.01, 0.003, 0.001};
constexpr int kSteps = 8, kHalvings = 8;
// The steps at a tolerance end when a step lowers the cost by less than the share kLeastShare or by
// less than kLeastGain.
constexpr double kLeastShare = 1e-3, kLeastGain = 0.05;
// On the way down, the noise is learnt at this tolerance and smaller ones. As long as the field has
// not been learnt, the noise would explain what the field cannot.
constexpr double kNoiseTolerance = 0.03;
// The number of steps that maximise the evidence of the hyperparameters, and the first and the
// largest size of a step.
constexpr int kEvidenceSteps = 25;
constexpr double kFirstStep = 0.2, kLargestStep = 0.5;

// An estimate is discarded if its mean squared error is more than this many noise variances.
constexpr double kLargestError = 10;

// Process noise is found if the logarithm of the evidence at the best tolerance is this much larger
// than at the last one.
constexpr double kNoiseEvidence = 5;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class GaussNewton {
 public:
  explicit GaussNewton(const SampledTarget& target)
      : target_(target),
        start_(target.start()),
        parts_(target.options(), target.parts().shape()),
        dim_(start_.x0.cols()),
        trajectories_(target.trajectories().size()),
        solver_(target.options().solver) {
    Cut();
    values_ = StartValues(parts_, start_, CutIntoSegments(target.trajectories(), 0));
    parts_.function().SetStart(start_.function);
    parts_.function().Moderate(values_);
    const std::vector<double> z = parts_.LatentMean(values_);
    const std::span<const double> own =
        parts_.latent().Part(ModelParts::kFunction, std::span<const double>(z));
    z_ = Eigen::Map<const Vector>(own.data(), std::ssize(own));
    SetFunction();
  }

  GaussNewtonEstimate Fit(SampledTarget& target, const NoisePieces& pieces, bool noise_is_known) {
    bool is_first = true;
    double evidence = -kInfinite;
    for (double tolerance : kTolerances) {
      SetTolerance(tolerance);
      // The latent variables of the start belong to guessed hyperparameters. They mean little, so
      // that the first step is taken even if it raises the cost.
      Descend(is_first);
      is_first = false;
      if (tolerance <= kNoiseTolerance) LearnNoise();
      evidence = LearnHyperparameters(target);
    }
    Descend(false);
    GaussNewtonEstimate estimate;
    if (FollowsData()) estimate.flat = Flat();
    if (pieces.counts.empty()) return estimate;
    const Level best = FindLevel(target);
    if (!std::isfinite(best.evidence)) return estimate;
    if (noise_is_known || best.evidence > evidence + kNoiseEvidence) {
      estimate.noisy = Noisy(best, pieces);
    }
    return estimate;
  }

 private:
  // The estimate at one tolerance.
  struct Level {
    double evidence = -kInfinite, tolerance = 0;
    std::vector<double> values = {};
    Vector z = {};
    Matrix states = {};
  };

  // Goes through the tolerances again, from the smallest to the largest, and returns the estimate
  // with the largest evidence. Unlike in the first pass, the hyperparameters are good from the
  // start.
  Level FindLevel(SampledTarget& target) {
    Level best;
    for (double tolerance : std::views::reverse(kTolerances)) {
      SetTolerance(tolerance);
      Descend(false);
      LearnNoise();
      const double evidence = LearnHyperparameters(target);
      if (evidence > best.evidence) best = {evidence, tolerance, values_, z_, states_};
    }
    return best;
  }

  // Goes back to the estimate at a tolerance, and follows its segments. Returns nothing if the
  // integration of a segment fails.
  std::optional<NoisyEstimate> Noisy(const Level& level, const NoisePieces& pieces) {
    values_ = level.values;
    z_ = level.z;
    states_ = level.states;
    if (!SetFunction()) return std::nullopt;
    NoisyEstimate estimate;
    estimate.flat = Flat();
    // The tolerance is that of a whole segment.
    double length = 0, ties = 0;
    for (std::size_t n = 0; n < segments_.size(); ++n) {
      if (ties_.next[n] == SegmentTies::kNone) continue;
      length += segments_[n].times.back();
      ties += 1;
    }
    estimate.deviation = level.tolerance / std::sqrt(length / std::max(ties, 1.0)) * start_.spread;
    const Field& field = FieldAt(z_);
    for (std::size_t n = 0; n < trajectories_; ++n) {
      const std::vector<double>& ends = pieces.ends[n];
      Matrix states(std::ssize(ends), dim_);
      double begin = 0;
      std::size_t p = 0;
      for (std::size_t segment = n; segment != SegmentTies::kNone; segment = ties_.next[segment]) {
        const double end = begin + segments_[segment].times.back();
        const bool is_last = ties_.next[segment] == SegmentTies::kNone;
        std::vector<double> times;
        const std::size_t first = p;
        while (p < ends.size() && (is_last || ends[p] <= end)) times.push_back(ends[p++] - begin);
        const std::span<const double> from(states_.row(static_cast<Eigen::Index>(segment)).data(),
                                           static_cast<std::size_t>(dim_));
        const std::span<double> out(states.row(static_cast<Eigen::Index>(first)).data(),
                                    times.size() * static_cast<std::size_t>(dim_));
        const InputSignal* const inputs = segments_[segment].inputs.get();
        if (!solver_.Solve(field, from, 0.0, times, out, 0, inputs).ok()) return std::nullopt;
        begin = end;
      }
      estimate.states.push_back(states);
    }
    return estimate;
  }

  void SetTolerance(double tolerance) {
    ties_.precision = (tolerance * start_.spread).cwiseAbs2().cwiseInverse();
  }

  // The errors of a solution at the times of the data, NaN where a value is missing, and the state
  // of the solution at the last of these times.
  struct Errors {
    Matrix errors;  // (T, channels)
    Eigen::RowVectorXd end;
  };
  // Returns the errors of the solution that starts at x0, or nothing if the integration fails.
  std::optional<Errors> ErrorsOf(const Field& field, const TimedValues& data,
                                 const Eigen::RowVectorXd& x0) {
    Matrix solution(std::ssize(data.times), dim_);
    const std::span<const double> from(x0.data(), static_cast<std::size_t>(dim_));
    const std::span<double> out(solution.data(), static_cast<std::size_t>(solution.size()));
    const std::size_t filled =
        solver_.Solve(field, from, 0.0, data.times, out, 0, data.inputs.get()).filled;
    if (filled < data.times.size() || !solution.allFinite()) return std::nullopt;
    const Matrix predicted =
        (solution * start_.map.matrix.transpose()).rowwise() + start_.map.offset.transpose();
    return Errors{data.values - predicted, solution.bottomRows(1)};
  }

  // Returns true if whole solutions from the initial states pass near the observations: their mean
  // squared error must be at most kLargestError times the noise variance.
  bool FollowsData() {
    const Field& field = FieldAt(z_);
    double squares = 0, count = 0;
    for (std::size_t n = 0; n < trajectories_; ++n) {
      const std::optional<Errors> found =
          ErrorsOf(field, target_.trajectories()[n], states_.row(static_cast<Eigen::Index>(n)));
      if (!found) return false;
      const auto missing = found->errors.array().isNaN();
      squares += is_gaussian_ ? (missing.select(0.0, found->errors).cwiseAbs2() * precision_).sum()
                              : WorkingSquares(target_.trajectories()[n].values, found->errors);
      count += static_cast<double>(missing.size() - missing.count());
    }
    return squares <= kLargestError * count;
  }

  // Returns the sum of the squared errors, values - predictions, each divided by its noise
  // variance.
  double WorkingSquares(const Matrix& values, const Matrix& errors) const {
    double sum = 0;
    ForErrors(values, errors, [&](std::size_t c, double y, double predicted) {
      const Likelihood::Working working = noise_.At(c, y, predicted);
      sum += (y - predicted) * (y - predicted) * working.information;
    });
    return sum;
  }

  // Calls use(channel, value, prediction) for every value that is not missing.
  template <typename Use>
  static void ForErrors(const Matrix& values, const Matrix& errors, const Use& use) {
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      for (Eigen::Index c = 0; c < values.cols(); ++c) {
        if (std::isnan(values(i, c))) continue;
        use(static_cast<std::size_t>(c), values(i, c), values(i, c) - errors(i, c));
      }
    }
  }

  // Cuts trajectories into segments, and sets the start state of each. The segments with which
  // trajectories begin come first.
  void Cut() {
    const std::vector<TimedValues>& data = target_.trajectories();
    std::size_t times = 0;
    for (const TimedValues& t : data) times += t.times.size();
    const Segmentation cut = CutIntoSegments(data, (times + kMostSegments - 1) / kMostSegments);
    const std::size_t count = trajectories_ + cut.shooting_states;
    segments_.resize(count);
    ties_.next.assign(count, SegmentTies::kNone);
    states_.resize(static_cast<Eigen::Index>(count), dim_);
    for (const Segment& s : cut.segments) {
      const std::size_t n = s.state == Segment::kNone ? s.trajectory : trajectories_ + s.state;
      const TimedValues& from = data[s.trajectory];
      const auto first = static_cast<Eigen::Index>(s.first);
      for (std::size_t i = 0; i < s.count; ++i) {
        segments_[n].times.push_back(from.times[s.first + i] - s.start);
      }
      segments_[n].values = from.values.middleRows(first, static_cast<Eigen::Index>(s.count));
      if (from.inputs) segments_[n].inputs = from.inputs->Shifted(s.start);
      if (s.next != Segment::kNone) ties_.next[n] = trajectories_ + s.next;
      states_.row(static_cast<Eigen::Index>(n)) =
          s.state == Segment::kNone ? start_.x0.row(static_cast<Eigen::Index>(s.trajectory))
                                    : start_.states[s.trajectory].row(first - 1);
    }
  }

  bool SetFunction() {
    ThreadPool pool(1);
    if (parts_.function().Set(values_, pool) != FactorStatus::kOk) return false;
    draw_ = parts_.function().MakeDraw();
    SetNoise();
    return true;
  }

  void SetNoise() {
    noise_ = target_.NoiseOf(values_);
    const auto channels = static_cast<std::size_t>(start_.map.channels());
    precision_.resize(static_cast<Eigen::Index>(channels));
    is_gaussian_ = true;
    for (std::size_t c = 0; c < channels; ++c) {
      precision_[static_cast<Eigen::Index>(c)] = noise_.At(c, 0, 0).information;
      is_gaussian_ = is_gaussian_ && noise_.For(c).is_gaussian();
    }
  }

  const Field& FieldAt(const Vector& z) {
    draw_->Set({z.data(), static_cast<std::size_t>(z.size())});
    return draw_->field();
  }

  // Returns minus the log density of latent variables and states, up to a constant, and sets
  // squares_ to the sum of squared errors of each channel.
  double Cost(const Vector& z, const Matrix& states) {
    const Field& field = FieldAt(z);
    const Eigen::Map<const Vector> x0(states.data(), start_.x0.size());
    double sum = z.squaredNorm() + x0.squaredNorm();
    squares_ = Vector::Zero(precision_.size());
    for (std::size_t n = 0; n < segments_.size(); ++n) {
      const std::optional<Errors> found =
          ErrorsOf(field, segments_[n], states.row(static_cast<Eigen::Index>(n)));
      if (!found) return kInfinite;
      const Matrix& errors = found->errors;
      squares_ +=
          errors.array().isNaN().select(0.0, errors).cwiseAbs2().colwise().sum().transpose();
      if (!is_gaussian_) {
        ForErrors(segments_[n].values, errors, [&](std::size_t c, double y, double predicted) {
          sum -= 2 * noise_.Weight(c) * noise_.For(c).LogDensity(y, predicted, noise_.Of(c));
        });
      }
      if (ties_.next[n] == SegmentTies::kNone) continue;
      const Vector gap =
          (found->end - states.row(static_cast<Eigen::Index>(ties_.next[n]))).transpose();
      sum += gap.cwiseAbs2().dot(ties_.precision);
    }
    return is_gaussian_ ? 0.5 * (sum + squares_.dot(precision_)) : 0.5 * sum;
  }

  // Linearises at the present unknowns. Returns false if a derivative is not finite.
  bool Linearise() {
    linear_ = LineariseSegments(FieldAt(z_), states_, segments_, ties_, start_.map, noise_,
                                target_.options().solver);
    if (linear_.target.size() == 0) return false;
    linear_.function = parts_.function().Linearise(
        linear_.PointsWithInputs(), {z_.data(), static_cast<std::size_t>(z_.size())});
    SetDesign();
    return design_.allFinite() && linear_target_.allFinite();
  }

  // Sets the linear least-squares problem from the linearised likelihood.
  void SetDesign() {
    linear_target_ = linear_.target;
    if (!linear_.function) {
      MakeDesign(linear_, parts_.function().Basis(linear_.PointsWithInputs()), {}, design_);
      return;
    }
    const Matrix basis = parts_.function().LinearBasis(*linear_.function);
    MakeDesign(linear_, {&basis, 1}, {}, design_);
    const Vector offset = parts_.function().LinearOffset(*linear_.function, false);
    linear_target_ -= linear_.root.leftCols(offset.size()) * offset;
  }

  // Sets the unknowns to the minimum of the linearised cost. Returns false if there is none.
  bool Solve(Vector& z, Matrix& states) {
    // Shooting states have no prior; this small precision only keeps the matrix regular.
    constexpr double kFlat = 1e-8;
    const Eigen::Index n = design_.cols();
    Vector prior = Vector::Constant(n, kFlat);
    prior.head(z_.size() + start_.x0.size()).setOnes();
    Eigen::MatrixXd a = prior.asDiagonal();
    a.selfadjointView<Eigen::Lower>().rankUpdate(design_.transpose());
    factor_.compute(a);
    if (factor_.info() != Eigen::Success) return false;
    const Vector unknowns = factor_.solve(design_.transpose() * linear_target_);
    if (!unknowns.allFinite()) return false;
    z = unknowns.head(z_.size());
    states = Eigen::Map<const Matrix>(unknowns.data() + z_.size(), states_.rows(), dim_);
    return true;
  }

  // Takes Gauss-Newton steps, each halved until it lowers the cost. If `takes_first` is true, the
  // first step may raise the cost.
  void Descend(bool takes_first) {
    double cost = takes_first ? kInfinite : Cost(z_, states_);
    for (int step = 0; step < kSteps; ++step) {
      Vector z;
      Matrix states;
      if (!Linearise() || !Solve(z, states)) return;
      double share = 1, lower = Cost(z, states);
      const double before = cost;
      for (int i = 0; i < kHalvings && !(lower < cost); ++i) {
        share *= 0.5;
        lower = Cost(z_ + share * (z - z_), states_ + share * (states - states_));
      }
      if (!(lower < cost)) return;
      z_ += share * (z - z_);
      states_ += share * (states - states_);
      cost = lower;
      if (before - cost < kLeastShare * cost || before - cost < kLeastGain) return;
    }
  }

  // Maximises the likelihood over the learnt parameter of each non-Gaussian channel, by golden
  // section search on a logarithmic scale around the present value.
  void LearnOtherNoise() {
    constexpr double kReach = 3, kGolden = 0.6180339887498949;
    constexpr int kTrials = 30;
    std::vector<Matrix> errors;
    const Field& field = FieldAt(z_);
    for (std::size_t n = 0; n < segments_.size(); ++n) {
      std::optional<Errors> found =
          ErrorsOf(field, segments_[n], states_.row(static_cast<Eigen::Index>(n)));
      if (!found) return;
      errors.push_back(std::move(found->errors));
    }
    const std::span<double> all = parts_.LikelihoodParameters(std::span(values_));
    for (std::size_t c = 0; c < start_.map.channels(); ++c) {
      const Likelihood& own = noise_.For(c);
      if (own.is_gaussian() || own.learnt_parameters() == 0) continue;
      const std::span<double> p = noise_.likelihood->OfChannel(c, all);
      const auto cost = [&](double log_p) {
        p[0] = std::exp(log_p);
        double sum = 0;
        for (std::size_t n = 0; n < segments_.size(); ++n) {
          ForErrors(segments_[n].values, errors[n], [&](std::size_t at, double y, double v) {
            if (at == c) sum -= own.LogDensity(y, v, p);
          });
        }
        return sum;
      };
      double low = std::log(p[0]) - kReach, high = std::log(p[0]) + kReach;
      for (int i = 0; i < kTrials; ++i) {
        const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
        (cost(left) < cost(right) ? high : low) = cost(left) < cost(right) ? right : left;
      }
      p[0] = std::exp(0.5 * (low + high));
    }
    SetNoise();
  }

  // Sets the variance of the noise in each channel to the sum of squared errors per degree of
  // freedom.
  void LearnNoise() {
    if (!target_.options().noise_variance.empty()) return;
    if (!is_gaussian_) LearnOtherNoise();
    if (!std::isfinite(Cost(z_, states_))) return;
    const Vector squares = squares_;
    Vector z;
    Matrix states;
    if (!Linearise() || !Solve(z, states)) return;
    // The loop below needs one row for each observed value, in order, before the rows of the ties.
    // Rows are missing if a solution does not reach all observations.
    Eigen::Index row = 0, rows = 0;
    for (std::size_t n = 0; n < segments_.size(); ++n) {
      rows += (!segments_[n].values.array().isNaN()).count();
      if (ties_.next[n] != SegmentTies::kNone) rows += dim_;
    }
    if (rows != design_.rows()) return;
    Vector counts = Vector::Zero(precision_.size()), free = counts;
    for (const TimedValues& data : segments_) {
      for (Eigen::Index i = 0; i < data.values.rows(); ++i) {
        for (Eigen::Index c = 0; c < data.values.cols(); ++c) {
          if (std::isnan(data.values(i, c))) continue;
          const Vector at = design_.row(row++).transpose();
          counts[c] += 1;
          free[c] += at.dot(Vector(factor_.solve(at)));
        }
      }
    }
    Vector variances(counts.size());
    for (Eigen::Index c = 0; c < counts.size(); ++c) {
      if (counts[c] == 0) return;
      variances[c] = squares[c] / std::max(counts[c] - free[c], 0.3 * counts[c]);
      if (!(variances[c] > 0)) return;
    }
    const std::span<double> all = parts_.LikelihoodParameters(std::span(values_));
    for (std::size_t c = 0; c < start_.map.channels(); ++c) {
      if (!noise_.For(c).is_gaussian()) continue;
      noise_.For(c).SetVariance(variances[static_cast<Eigen::Index>(c)],
                                noise_.likelihood->OfChannel(c, all));
    }
    SetNoise();
  }

  // Maximises the evidence of the linearised model by Rprop, whose step sizes depend on the signs
  // of the gradient alone. Then moves the unknowns to the mode of the linearised model. Returns the
  // logarithm of the largest evidence, or minus infinity if there is none.
  double LearnHyperparameters(SampledTarget& target) {
    if (!Linearise()) return -kInfinite;
    target.SetFlat(Flat());
    const LinearisedLikelihood reduced = WithoutStates(linear_, trajectories_);
    target.SetLinear(reduced);
    if (!target.HasLinear()) return -kInfinite;
    const std::unique_ptr<SampledDensity> density = target.Density();
    const std::vector<double> flat = Flat();
    Vector at = density->HyperparametersOf(flat);
    const auto size = static_cast<std::size_t>(at.size());
    Vector gradient(at.size()), last = Vector::Zero(at.size()), best = at,
                                steps = Vector::Constant(at.size(), kFirstStep);
    double highest = -kInfinite;
    for (int i = 0; i < kEvidenceSteps; ++i) {
      const double evidence = density->EvaluateEvidence({at.data(), size}, {gradient.data(), size});
      if (!std::isfinite(evidence) || !gradient.allFinite()) break;
      if (evidence > highest) {
        highest = evidence;
        best = at;
      }
      if (size == 0) break;
      for (Eigen::Index k = 0; k < at.size(); ++k) {
        const double turn = gradient[k] * last[k];
        steps[k] = std::min(steps[k] * (turn > 0 ? 1.3 : turn < 0 ? 0.5 : 1.0), kLargestStep);
        at[k] += std::copysign(steps[k], gradient[k]);
      }
      last = gradient;
    }
    if (!std::isfinite(highest)) return -kInfinite;
    const std::vector<double> before = values_;
    values_ = density->WithHyperparameters(flat, {best.data(), size});
    Vector z;
    Matrix states;
    if (!SetFunction()) {
      values_ = before;
      SetFunction();
      return -kInfinite;
    }
    SetDesign();
    // If the function is not linear, the mode of the linearised model may have a higher cost than
    // the present iterate.
    const double worst = linear_.function ? Cost(z_, states_) : std::numeric_limits<double>::max();
    if (Solve(z, states) && Cost(z, states) <= worst) {
      z_ = z;
      states_ = states;
    } else if (!linear_.function) {
      values_ = before;
      SetFunction();
    }
    return highest + reduced.log_factor;
  }

  std::vector<double> Flat() {
    std::vector<double> z(parts_.latent().size()), deviation(z.size(), 0.0);
    std::ranges::copy(z_, parts_.latent().Part(ModelParts::kFunction, std::span(z)).begin());
    std::copy_n(states_.data(), static_cast<Eigen::Index>(trajectories_) * dim_,
                parts_.latent().Part(ModelParts::kInitial, std::span(z)).begin());
    std::vector<double> flat(parts_.layout().flat_size());
    parts_.layout().Unconstrain(parts_.ValuesAt(z, deviation, {parts_.layout(), values_}), flat);
    return flat;
  }

  const SampledTarget& target_;
  const Start& start_;
  ModelParts parts_;
  Eigen::Index dim_;
  std::size_t trajectories_;
  Solver solver_;
  std::vector<TimedValues> segments_;
  SegmentTies ties_;
  std::vector<double> values_;  // the constrained values, used for hyperparameters and noise
  Vector z_;                    // the function's latent variables
  Matrix states_;               // (segments, D): the start states, initial states first
  std::unique_ptr<FunctionDraw> draw_;
  WeightedNoise noise_;
  bool is_gaussian_ = true;     // true if all channels are
  Vector precision_, squares_;  // (channels)
  LinearisedLikelihood linear_;
  Eigen::MatrixXd design_;
  Vector linear_target_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace

GaussNewtonEstimate FitByGaussNewton(SampledTarget& target, const NoisePieces& pieces,
                                     bool noise_is_known) {
  return GaussNewton(target).Fit(target, pieces, noise_is_known);
}

}  // namespace gpode
