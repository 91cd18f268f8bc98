// Draws functions and initial states from the posterior and integrates them to the times of a
// forecast (paper, section 3.3). Also chooses the state from which each time is reached.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <optional>

#include "data/data_inputs.h"
#include "gpode/dataset.h"
#include "gpode/error.h"
#include "gpode/parallel.h"
#include "gpode/posterior.h"
#include "gpode/random.h"
#include "model/model_draws.h"
#include "predict/integrate.h"

namespace gpode {

// A part of a forecast: a state, and the times that are integrated from it.
struct Posterior::Leg {
  // A learnt state, which is drawn from its posterior. Without one, the leg starts from the state
  // that `mean` and `factor` describe.
  std::optional<LatentRange> state = {};
  // A state that the caller gives, in the model's coordinates: its mean (D), and a factor F (D, D)
  // of its covariance F F^T, empty if the state is known exactly.
  Vector mean = {};
  Matrix factor = {};
  // The training trajectory whose pieces of process noise begin at the state, if it is one.
  std::optional<std::size_t> trajectory = {};
  double start = 0;                                // the time of the state, in the user's units
  std::shared_ptr<const InputSignal> inputs = {};  // none if the system is autonomous
  std::size_t first = 0, count = 0;  // the times, as indices into those of the forecast
};

namespace {

// Returns a factor F with F F^T = covariance, which may be singular.
Matrix FactorOf(const Matrix& covariance) {
  CheckFinite("Posterior::From", "covariance",
              {covariance.data(), static_cast<std::size_t>(covariance.size())});
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
  if (!covariance.isApprox(covariance.transpose(), 1e-8) ||
      eigen.eigenvalues().minCoeff() < -1e-8 * largest) {
    ThrowInput("Posterior::From", "covariance", "must be symmetric and positive semidefinite");
  }
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

Vector StateOfDraw(const ModelParts& parts, const LatentRange& state, const ModelDraw& draw) {
  const std::span<const double> z = parts.latent().Range(state, std::span<const double>(draw.z));
  return Eigen::Map<const Vector>(z.data(), static_cast<Eigen::Index>(z.size()));
}

// Returns mean + factor * normals, with the standard normals of draw i.
Vector GivenState(const Vector& mean, const Matrix& factor, std::uint64_t seed, std::uint64_t i) {
  Vector state = mean;
  if (factor.size() == 0) return state;
  Vector normals(mean.size());
  RandomStream(seed, kForecastStep, i, Purpose::kInitialState)
      .Normals({normals.data(), static_cast<std::size_t>(normals.size())});
  for (Eigen::Index r = 0; r < state.size(); ++r) {
    for (Eigen::Index c = 0; c < state.size(); ++c) state[r] += factor(r, c) * normals[c];
  }
  return state;
}

// Returns the force of process noise on a leg that goes from time `first` to `last`, relative to
// its start: that of a training trajectory as far as its pieces reach, and new random numbers of
// draw i elsewhere.
ForceAround ForceOf(const ModelDraw& draw, const NoisePieces& pieces,
                    std::optional<std::size_t> trajectory, double first, double last,
                    std::uint64_t seed, std::uint64_t i) {
  ForceAround force;
  const std::size_t dim = draw.process_noise.size();
  double length = 0;
  for (double own : pieces.lengths) length += own / static_cast<double>(pieces.lengths.size());
  if (trajectory) {
    length = pieces.lengths[*trajectory];
    force.ends = pieces.ends[*trajectory];
    const auto begin =
        draw.force.begin() + static_cast<std::ptrdiff_t>(pieces.Before(*trajectory) * dim);
    force.values.assign(begin, begin + std::ssize(force.ends) * static_cast<std::ptrdiff_t>(dim));
  }
  std::vector<double> unit = draw.process_noise;
  for (double& u : unit) u /= std::sqrt(length);
  const RandomStream stream(seed, kForecastStep, i, Purpose::kProcessNoise);
  force.Extend(length, last, unit, stream);
  if (first < 0) force.Extend(length, first, unit, stream);
  return force;
}

// Returns the longest span of a training trajectory, in the model's time.
double LongestSpan(const Model& model) {
  double longest = 0;
  for (std::size_t n = 0; n < model.start_times.size(); ++n) {
    longest =
        std::max(longest, model.coordinates.TimeToModel(model.end_times[n], model.start_times[n]));
  }
  return longest;
}

// The longest forecast, as a multiple of the longest span of the training data. Longer ones would
// take hours or never end.
constexpr double kMostSpans = 1e6;

// Throws if a forecast over this span is too long. `usual` is the longest span of the data; both
// are in the model's time.
void CheckSpan(double span, double usual) {
  if (usual > 0 && span > kMostSpans * usual) {
    ThrowInput("Forecast", "times",
               fmt::format("go on for {:.3g} times the span of the data, must be at most {:g}",
                           span / usual, kMostSpans));
  }
}

// Throws unless the samples cover the start of a forecast, at time `first`, and all its times. With
// `hold_last`, times after the last sample need not be covered.
void CheckCover(const InputSamples& samples, double first, std::span<const double> times,
                bool hold_last) {
  if (samples.empty()) ThrowInput("Forecast", "inputs", "are missing, must cover the forecast");
  double last = std::max(first, times.back());
  if (hold_last) last = std::min(last, samples.times.back());
  CheckInputsCover(samples, std::min(first, times.front()), last, {}, "Forecast");
}

}  // namespace

InputSamples Posterior::SamplesOf(std::size_t trajectory, const InputSamples& later) const {
  CheckTrajectory(trajectory);
  if (model_->input_samples.empty()) return later;
  return Joined(model_->input_samples[trajectory], later);
}

void Posterior::CheckTrajectory(std::size_t trajectory) const {
  if (trajectory < model_->start_times.size()) return;
  ThrowInput("ForecastTrajectory", "trajectory",
             fmt::format("is {}, must be less than the model's {}", trajectory,
                         model_->start_times.size()));
}

std::vector<Posterior::Leg> Posterior::LegsOf(std::size_t trajectory, std::span<const double> times,
                                              Origin origin) const {
  std::vector<Leg> legs = {{.state = LatentRange{ModelParts::kInitial, trajectory, 1},
                            .trajectory = trajectory,
                            .start = model_->start_times[trajectory]}};
  const std::vector<std::size_t>& owner = model_->shooting_trajectory;
  const auto own = std::equal_range(owner.begin(), owner.end(), trajectory);
  std::size_t reached = 0;  // the number of times that earlier legs reach
  for (auto it = own.first; origin == Origin::kLatestState && it != own.second; ++it) {
    const std::size_t k = it - owner.begin();
    const double start = model_->shooting_times[k];
    const std::size_t earlier = std::lower_bound(times.begin(), times.end(), start) - times.begin();
    legs.back().first = reached;
    legs.back().count = earlier - reached;
    reached = earlier;
    if (legs.back().count == 0 && legs.size() > 1) legs.pop_back();
    legs.push_back({.state = LatentRange{ModelParts::kShooting, k, 1}, .start = start});
  }
  legs.back().first = reached;
  legs.back().count = times.size() - reached;
  return legs;
}

// Sets the inputs of all legs from these samples of the measured ones.
void Posterior::SetInputs(const InputSamples& samples, std::span<const double> times,
                          const ForecastOptions& options, std::vector<Leg>* legs) const {
  const InputRule rule = model_->input_rule();
  if (rule.size() == 0 || times.empty()) return;
  if (!rule.names.empty()) {
    if (!samples.empty()) {
      CheckSize("Forecast", "a row of inputs", samples.values.cols(), rule.names.size());
    }
    CheckCover(samples, legs->front().start, times, options.hold_inputs);
  }
  const double start = legs->front().start;
  const DataInputs all(rule, samples, model_->coordinates, start);
  for (Leg& leg : *legs) {
    leg.inputs = all.Shifted(model_->coordinates.TimeToModel(leg.start, start));
  }
}

Forecast Posterior::Follow(const std::vector<Leg>& legs, std::span<const double> times,
                           const ForecastOptions& options) const {
  CheckAtLeast("Forecast", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
  Forecast forecast{
      .times = {times.begin(), times.end()},
      .draws = MatrixStack(options.draws, std::ssize(times), model_->map.matrix.rows()),
      .noise = model_->noise()};
  if (options.states) {
    forecast.states =
        MatrixStack(options.draws, std::ssize(times), static_cast<Eigen::Index>(dim()));
  }
  std::vector<LatentRange> states;
  for (const Leg& leg : legs) {
    if (leg.state) states.push_back(*leg.state);
  }
  std::vector<SolveStatus> status(options.draws, SolveStatus::kOk);
  std::vector<char> stiff(options.draws, 0);
  const double usual = LongestSpan(*model_);
  const std::vector<Link> links = model_->links();
  for (const Leg& leg : legs) {
    if (leg.count == 0) continue;
    const double first = times[leg.first], last = times[leg.first + leg.count - 1];
    CheckSpan(std::max(-model_->coordinates.TimeToModel(first, leg.start),
                       model_->coordinates.TimeToModel(last, leg.start)),
              usual);
  }
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    const ModelDraw draw = draws_->Make(options.seed, i, states);
    Matrix z(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(dim()));
    bool is_stiff = false;
    for (const Leg& leg : legs) {
      const Vector x0 = leg.state ? StateOfDraw(draws_->parts(), *leg.state, draw)
                                  : GivenState(leg.mean, leg.factor, options.seed, i);
      std::vector<double> model_times;
      for (double t : times.subspan(leg.first, leg.count)) {
        model_times.push_back(model_->coordinates.TimeToModel(t, leg.start));
      }
      SolverOptions with = model_->options.solver;
      if (!model_times.empty()) {
        const double span = std::max(-model_times.front(), model_times.back());
        with.max_steps = AllowedSteps(with.max_steps, span, usual);
      }
      const std::span<const double> from(x0.data(), dim());
      const std::span<double> out(z.data() + leg.first * dim(), leg.count * dim());
      const Field& field = draw.function->field();
      if (draw.process_noise.empty() || model_times.empty()) {
        Solver solver(with);
        status[i] = Worse(status[i], IntegrateBothWays(solver, field, from, model_times, out,
                                                       leg.inputs.get(), &is_stiff));
      } else {
        const ForceAround force = ForceOf(draw, draws_->pieces(), leg.trajectory,
                                          model_times.front(), model_times.back(), options.seed, i);
        ForcedSolver solver(with);
        status[i] = Worse(status[i], IntegrateBothWays(solver, field, force, from, model_times, out,
                                                       leg.inputs.get(), &is_stiff));
      }
    }
    stiff[i] = is_stiff ? 1 : 0;
    forecast.draws[i] = FromLinkScale(model_->map.Apply(z), links);
    if (options.states) forecast.states[i] = model_->coordinates.ToUser(z);
  });
  for (std::size_t i = 0; i < status.size(); ++i) {
    forecast.stiff += stiff[i] != 0 ? 1 : 0;
    if (status[i] == SolveStatus::kTooManySteps) {
      forecast.unfinished.push_back(i);
    } else if (status[i] != SolveStatus::kOk) {
      ++forecast.diverged;
    }
  }
  return forecast;
}

// Sets the extra standard deviations that held-back data showed to be necessary. `horizon` returns
// the horizon of a time and a channel (gpode/widening.h).
void Posterior::Widen(const std::function<double(double, std::size_t)>& horizon,
                      Forecast* forecast) const {
  const BandWidening& widening = model_->widening;
  if (widening.IsZero()) return;
  const auto rows = static_cast<Eigen::Index>(forecast->times.size());
  const auto channels = static_cast<Eigen::Index>(model_->channels.size());
  Matrix variance(rows, channels);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index c = 0; c < channels; ++c) {
      const auto channel = static_cast<std::size_t>(c);
      variance(i, c) = widening.Variance(
          channel, horizon(forecast->times[static_cast<std::size_t>(i)], channel));
    }
  }
  forecast->widening = variance.cwiseSqrt();
  if (forecast->states.empty()) return;
  // States are a least squares solution x = C^+ (y - b) of the channels, whose errors are taken as
  // independent: their variances times the squares of C^+. The bands of a state that no channel
  // shows are not widened.
  const Matrix states_of_channels =
      model_->coordinates.state_scale.asDiagonal() *
      Matrix(model_->map.matrix.completeOrthogonalDecomposition().pseudoInverse());
  forecast->state_widening =
      (variance * states_of_channels.cwiseAbs2().transpose()).cwiseMax(0.0).cwiseSqrt();
}

Forecast Posterior::Trajectory(std::size_t trajectory, std::span<const double> times,
                               const ForecastOptions& options) const {
  CheckTrajectory(trajectory);
  CheckForecastTimes(times);
  std::vector<Leg> legs = LegsOf(trajectory, times, options.from);
  SetInputs(SamplesOf(trajectory, options.inputs), times, options, &legs);
  Forecast forecast = Follow(legs, times, options);
  const double start = model_->start_times[trajectory], end = model_->end_times[trajectory];
  Widen(
      [&](double time, std::size_t channel) {
        if (time > end) return time - end;
        if (time < start) return start - time;
        return model_->widening.DistanceInGap(trajectory, channel, time);
      },
      &forecast);
  return forecast;
}

Forecast Posterior::From(const StartState& start, double time, std::span<const double> times,
                         const ForecastOptions& options) const {
  CheckForecastTimes(times);
  CheckFinite("Posterior::From", "time", time);
  CheckSize("Posterior::From", "mean", start.mean.size(), dim());
  Leg leg{
      .mean = ToModel(start.mean.transpose()).transpose(), .start = time, .count = times.size()};
  if (start.covariance.size() > 0) {
    CheckSize("Posterior::From", "covariance", start.covariance.rows(), dim());
    CheckSize("Posterior::From", "covariance", start.covariance.cols(), dim());
    leg.factor =
        model_->coordinates.state_scale.cwiseInverse().asDiagonal() * FactorOf(start.covariance);
  }
  std::vector<Leg> legs = {leg};
  SetInputs(options.inputs, times, options, &legs);
  Forecast forecast = Follow(legs, times, options);
  Widen([&](double t, std::size_t) { return std::fabs(t - time); }, &forecast);
  return forecast;
}

}  // namespace gpode
