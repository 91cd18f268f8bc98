#include "gpode/compare_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "data/moments.h"
#include "gpode/error.h"
#include "gpode/options.h"
#include "gpode/posterior.h"
#include "gpode/scores.h"
#include "io/files.h"
#include "predict/linear_model.h"
#include "predict/seasonal.h"

namespace gpode {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// The posteriors of a Gaussian process that are candidates by their own names.
constexpr std::array<std::string_view, 2> kSampledProcesses = {"joint", "nuts"};
// The largest number of rows of a trajectory that are compared.
constexpr std::size_t kMostTimes = 2000;

// The data of a comparison: both parts, and the variances of the channels in the part that is seen.
struct Split {
  HeldBack parts;
  Vector mean, variance;

  Split(const Dataset& data, const HoldoutOptions& holdout) : parts(HoldBack(data, holdout)) {
    const ChannelMoments moments = MomentsOf(parts.seen);
    mean = moments.mean;
    variance = moments.variance;
    for (Trajectory& t : parts.held.trajectories) {
      if (!t.times.empty()) t = Thinned(t, kMostTimes);
    }
  }
};

// Sums of squared errors by channel.
struct ErrorSums {
  Vector squares, count;

  explicit ErrorSums(Eigen::Index channels)
      : squares(Vector::Zero(channels)), count(Vector::Zero(channels)) {}

  // Both arguments are (T, channels). A forecast that is not finite makes the sum infinite.
  void Add(const Matrix& observed, const Matrix& forecast) {
    for (Eigen::Index i = 0; i < observed.rows(); ++i) {
      for (Eigen::Index c = 0; c < observed.cols(); ++c) {
        if (std::isnan(observed(i, c))) continue;
        const double error = observed(i, c) - forecast(i, c);
        squares[c] += std::isfinite(error) ? error * error : HUGE_VAL;
        count[c] += 1;
      }
    }
  }
  double Mse(Eigen::Index c) const { return squares[c] / count[c]; }
  // Returns the mean over channels of MSE / unit; channels without values or unit are left out.
  double MeanOver(const Vector& unit) const {
    double sum = 0, channels = 0;
    for (Eigen::Index c = 0; c < count.size(); ++c) {
      if (count[c] == 0 || !(unit[c] > 0)) continue;
      sum += Mse(c) / unit[c];
      channels += 1;
    }
    return channels > 0 ? sum / channels : kNaN;
  }
};

ModelScore ScoreOf(std::string name, const ErrorSums& sums, const Vector& variance) {
  ModelScore score{.name = std::move(name), .error = std::sqrt(sums.MeanOver(variance))};
  for (Eigen::Index c = 0; c < sums.count.size(); ++c) {
    score.rmse.push_back(sums.count[c] > 0 ? std::sqrt(sums.Mse(c)) : kNaN);
  }
  return score;
}

// Returns the score of a simple forecast; forecast(n, times) returns that of trajectory n.
template <typename SimpleForecast>
ModelScore ScoreSimple(const std::string& name, const Split& split,
                       const SimpleForecast& forecast) {
  ErrorSums sums(split.variance.size());
  for (std::size_t n = 0; n < split.parts.held.trajectories.size(); ++n) {
    const Trajectory& held = split.parts.held.trajectories[n];
    if (!held.times.empty()) sums.Add(held.values, forecast(n, held.times));
  }
  ModelScore score = ScoreOf(name, sums, split.variance);
  score.is_simple = true;
  score.error_over_noise = score.mnll = score.inside = kNaN;
  return score;
}

std::vector<ModelScore> ScoreSimpleForecasts(const Split& split, double period) {
  const LinearModel linear(split.parts.seen);
  const auto& seen = split.parts.seen.trajectories;
  std::vector<ModelScore> scores = {
      ScoreSimple("last value", split,
                  [&](std::size_t n, const std::vector<double>& times) {
                    return Matrix(linear.LastValues(seen[n]).transpose().replicate(
                        static_cast<Eigen::Index>(times.size()), 1));
                  }),
      ScoreSimple("linear model", split, [&](std::size_t n, const std::vector<double>& times) {
        return linear.Continue(seen[n], times);
      })};
  if (period > 0) {
    scores.push_back(
        ScoreSimple("seasonal value", split, [&](std::size_t n, const std::vector<double>& times) {
          return SeasonalValues(seen[n], period, times);
        }));
  }
  return scores;
}

// Returns the noise variances at these values of the channels.
Vector NoiseVariances(const ObservationNoise& noise, const Vector& values) {
  Vector variances(values.size());
  for (Eigen::Index c = 0; c < values.size(); ++c) {
    variances[c] = std::pow(noise.DeviationAt(static_cast<std::size_t>(c), values[c]), 2);
  }
  return variances;
}

ModelScore ScoreModel(const std::string& name, const Model& model, const Split& split,
                      const ForecastOptions& options) {
  const Posterior posterior(model);
  const Eigen::Index channels = split.variance.size();
  ErrorSums sums(channels);
  std::vector<Scores> parts;
  for (std::size_t n = 0; n < split.parts.held.trajectories.size(); ++n) {
    const Trajectory& held = split.parts.held.trajectories[n];
    if (held.times.empty()) continue;
    const Forecast forecast = posterior.Trajectory(n, held.times, options);
    sums.Add(held.values, forecast.Quantile(0.5));
    parts.push_back(Score(forecast, forecast.noise, held.values, options.threads));
  }
  const Scores pooled = Pool(parts);
  ModelScore score = ScoreOf(name, sums, split.variance);
  score.error_over_noise = sums.MeanOver(NoiseVariances(model.noise(), split.mean));
  score.mnll = pooled.mnll;
  score.inside = pooled.predictive_90;
  if (!std::isfinite(score.error)) score.failure = "its draws run away";
  return score;
}

ModelScore Failed(const std::string& name, const std::string& why) {
  return {.name = name,
          .error = HUGE_VAL,
          .error_over_noise = kNaN,
          .mnll = kNaN,
          .inside = kNaN,
          .failure = why};
}

// Returns why a run has no model to forecast with, or an empty text.
std::string FailureOf(const TrainedModel& run) {
  const bool failed = !run.history.empty() && !std::isfinite(run.history.back().bound);
  return failed ? fmt::format("its bound is {}", run.history.back().bound) : "";
}

// Trains a candidate on the rows that are seen, and scores its forecast of the others. Returns
// nothing if control.report ended the training.
std::optional<ModelScore> TryModel(const CandidateModel& candidate, std::size_t index,
                                   const Split& split, const CompareControl& control) {
  const auto begin = std::chrono::steady_clock::now();
  FitControl training{.report_every = 1, .threads = control.threads};
  if (control.report) {
    training.report = [&](const Progress& progress) { return control.report(index, progress); };
  }
  try {
    const TrainedModel run = Train(split.parts.seen, candidate.options, training);
    if (!run.finished) return {};
    const std::string failure = FailureOf(run);
    ModelScore score =
        failure.empty()
            ? ScoreModel(candidate.name, run.model, split,
                         {.draws = control.draws,
                          .seed = candidate.options.seed,
                          .threads = control.threads.value_or(candidate.options.threads),
                          .from = Origin::kLatestState})
            : Failed(candidate.name, failure);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    score.seconds = passed.count();
    return score;
  } catch (const InputError& error) {
    return Failed(candidate.name, error.what());
  }
}

CandidateModel MakeCandidate(const std::string& name, const Dataset& data, FitOptions options,
                             std::vector<std::string> given) {
  if (name == "auto") return {name, ChooseOptions(data, std::move(options), given)};
  if (std::ranges::find(kSampledProcesses, name) != kSampledProcesses.end()) {
    options.function = "process";
    options.posterior = name;
    given.emplace_back("posterior");
    return {name, ChooseOptions(data, std::move(options), given)};
  }
  const std::vector<std::string> known = CandidateNames();
  if (std::ranges::find(known, name) == known.end()) {
    ThrowInput("CompareModels", "models",
               fmt::format("has {}, must be of {}", internal::Quote(name), fmt::join(known, ", ")));
  }
  SetModel(options, name, "CompareModels: models");
  return {name, std::move(options)};
}

}  // namespace

std::vector<std::string> CandidateNames() {
  std::vector<std::string> names = {"auto"};
  names.insert(names.end(), kSampledProcesses.begin(), kSampledProcesses.end());
  for (const NamedModel& model : ListModels()) names.push_back(model.name);
  return names;
}

std::vector<CandidateModel> MakeCandidates(const std::vector<std::string>& names,
                                           const Dataset& data, const FitOptions& options,
                                           const std::vector<std::string>& given) {
  std::vector<CandidateModel> candidates;
  for (const std::string& name : names) {
    candidates.push_back(MakeCandidate(name, data, options, given));
  }
  return candidates;
}

const ModelScore* ModelComparison::Best() const {
  for (const ModelScore& score : ranking) {
    if (!score.is_simple && score.failure.empty()) return &score;
  }
  return nullptr;
}

double ModelComparison::SimpleError() const {
  double least = HUGE_VAL;
  for (const ModelScore& score : ranking) {
    if (score.is_simple && score.error < least) least = score.error;
  }
  return least;
}

ModelComparison CompareModels(const Dataset& data, std::span<const CandidateModel> candidates,
                              const CompareControl& control) {
  const Split split(data, control.holdout);
  ModelComparison comparison{.channels = data.channels};
  for (const Trajectory& t : split.parts.seen.trajectories) comparison.seen_times += t.times.size();
  for (const Trajectory& t : split.parts.held.trajectories) comparison.held_times += t.times.size();
  comparison.period = control.period > 0 ? control.period : GuessPeriod(split.parts.seen);
  comparison.ranking = ScoreSimpleForecasts(split, comparison.period);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::optional<ModelScore> score = TryModel(candidates[i], i, split, control);
    comparison.interrupted = !score;
    if (!score) break;
    comparison.ranking.push_back(*score);
    if (control.scored && !control.scored(*score)) break;
  }
  const auto order = [](const ModelScore& score) {
    return score.failure.empty() && !std::isnan(score.error) ? score.error : HUGE_VAL;
  };
  std::ranges::stable_sort(comparison.ranking, {}, order);
  return comparison;
}

}  // namespace gpode
