#include "gpode/fit_quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/moments.h"
#include "gpode/posterior.h"
#include "io/files.h"

namespace gpode {
namespace {

// kMostTimes is about the largest number of times that are compared, in all trajectories together.
// kMostNumbers is the largest number of values in the forecast of one trajectory, of all times,
// draws, channels and states. These limits save time and memory.
constexpr std::size_t kMostTimes = 4000, kMostNumbers = 20'000'000;
// There is a remark on a fit beyond these limits.
constexpr double kExplained = 0.5;     // the least explained share of a channel's variance
constexpr double kOutlier = 5;         // the largest residual, in standard deviations of the noise
constexpr double kMostOutside = 0.25;  // the largest share of observations outside a 90 % band
constexpr double kShort = 0.1;         // the shortest lengthscale, in units of the states' size
// Residuals count as correlated if there are at least kFewestPairs pairs of neighbours and their
// correlation is at least kCorrelated.
constexpr double kCorrelated = 0.5, kFewestPairs = 30;

// Sums over the observations of one channel.
struct Sums {
  double count = 0, missed = 0, residuals = 0, outside = 0, outliers = 0;
  // Sums over pairs of residuals at neighbouring times: their number, products and squares.
  double pairs = 0, products = 0, squares = 0;

  double Correlation() const { return squares > 0 ? products / squares : 0; }
};

// Adds the pairs of neighbouring residuals, (T, channels) with NaN for missing ones.
void AddPairs(const Matrix& residuals, std::vector<Sums>* all) {
  for (Eigen::Index i = 1; i < residuals.rows(); ++i) {
    for (Eigen::Index c = 0; c < residuals.cols(); ++c) {
      const double before = residuals(i - 1, c), after = residuals(i, c);
      if (std::isnan(before) || std::isnan(after)) continue;
      Sums& s = (*all)[static_cast<std::size_t>(c)];
      s.pairs += 1;
      s.products += before * after;
      s.squares += 0.5 * (before * before + after * after);
    }
  }
}

// Returns the indices of the trajectories to forecast: all or, if together they have more than
// kMostTimes times, evenly spaced ones with about that many times.
std::vector<std::size_t> Chosen(const Dataset& data) {
  std::size_t times = 0;
  for (const Trajectory& t : data.trajectories) times += t.times.size();
  const std::size_t count = data.trajectories.size();
  const std::size_t wanted =
      times <= kMostTimes ? count : std::max<std::size_t>(1, count * kMostTimes / times);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(i * count / wanted);
  return chosen;
}

// Compares a forecast with the data and adds the results to `all`, which has an entry for each
// channel. `mean` are the means of the channels. Returns the number of values later than `start`
// that were not missed.
std::size_t Compare(const Trajectory& seen, const Forecast& forecast, const Vector& mean,
                    double start, std::vector<Sums>* all) {
  std::size_t reached = 0;
  const Matrix median = forecast.Quantile(0.5);
  const Matrix low = forecast.PredictiveQuantile(0.05), high = forecast.PredictiveQuantile(0.95);
  for (Eigen::Index i = 0; i < seen.values.rows(); ++i) {
    for (Eigen::Index c = 0; c < seen.values.cols(); ++c) {
      const double y = seen.values(i, c);
      if (std::isnan(y)) continue;
      Sums& s = (*all)[static_cast<std::size_t>(c)];
      const bool missed = std::isnan(median(i, c));
      const double residual = y - (missed ? mean[c] : median(i, c));
      s.count += 1;
      s.residuals += residual * residual;
      s.outside += y >= low(i, c) && y <= high(i, c) ? 0 : 1;
      s.missed += missed ? 1 : 0;
      if (missed) continue;
      if (seen.times[static_cast<std::size_t>(i)] > start) ++reached;
      const auto channel = static_cast<std::size_t>(c);
      const Link link = forecast.noise.For(channel).link();
      const double away = std::abs(ToLink(link, y) - ToLink(link, median(i, c)));
      s.outliers += away > kOutlier * forecast.noise.Deviation(channel) ? 1 : 0;
    }
  }
  return reached;
}

ChannelFit FitOf(const std::string& name, const Sums& s, double variance, double noise) {
  const double n = std::max(s.count, 1.0);
  return {.name = name,
          .values = static_cast<std::size_t>(s.count),
          .missed = static_cast<std::size_t>(s.missed),
          .spread = std::sqrt(variance),
          .residual = std::sqrt(s.residuals / n),
          .noise = noise,
          .outside = s.outside / n};
}

void RemarkOnChannel(const ChannelFit& fit, const Sums& sums, std::vector<std::string>* remarks) {
  const auto say = [&](const std::string& what) {
    remarks->push_back(fmt::format("channel {}: {}", internal::Quote(fit.name), what));
  };
  if (fit.values == 0) return;
  if (fit.missed > 0) {
    say(
        fmt::format("{} of its {} values could not be forecast, since too many draws of the field "
                    "are lost",
                    fit.missed, fit.values));
    if (fit.missed == fit.values) return;
  }
  const double explained = fit.Explained();
  if (fit.spread > 0 && explained < kExplained) {
    say(fmt::format("the model explains only {:.0f} % of its variance",
                    100 * std::max(0.0, explained)));
  }
  if (fit.outside > kMostOutside) {
    say(fmt::format("{:.0f} % of its observations are outside the 90 % band", 100 * fit.outside));
  }
  if (sums.outliers > 0) {
    say(
        fmt::format("{:.0f} observation{} more than {} standard deviations of the noise off the "
                    "median",
                    sums.outliers, sums.outliers == 1 ? " is" : "s are", kOutlier));
  }
}

// Makes one remark on all channels whose residuals are correlated, which means that they depend
// on something other than the model's states.
void RemarkOnCorrelation(const Model& model, const std::vector<Sums>& sums,
                         std::vector<std::string>* remarks) {
  constexpr std::size_t kMostNames = 4;
  std::vector<std::string> names;
  double most = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (sums[c].pairs < kFewestPairs || sums[c].Correlation() < kCorrelated) continue;
    names.push_back(internal::Quote(model.channels[c]));
    most = std::max(most, sums[c].Correlation());
  }
  if (names.empty()) return;
  const std::size_t count = names.size();
  names.resize(std::min(count, kMostNames));
  remarks->push_back(fmt::format(
      "training residuals of {}{} are correlated, by {}{:.2f} from one time to the next: more "
      "states? --states {}",
      fmt::join(names, ", "),
      count > kMostNames ? fmt::format(" and {} more", count - kMostNames) : "",
      count > 1 ? "up to " : "", most, model.dim() + 1));
}

void RemarkOnTraining(const TrainedModel& trained, std::vector<std::string>* remarks) {
  const Model& model = trained.model;
  if (!model.warning.empty()) remarks->push_back(model.warning);
  if (!trained.history.empty() && !std::isfinite(trained.history.back().bound)) {
    remarks->push_back(
        fmt::format("training failed: its bound is {}; a smaller learning rate may "
                    "help",
                    trained.history.back().bound));
  }
  if (!trained.finished && trained.state) remarks->push_back("training was stopped before its end");
  const Matrix lengthscales = model.parameters.AsMatrix("lengthscales");
  if (lengthscales.size() > 0 && lengthscales.minCoeff() < kShort) {
    remarks->push_back(
        fmt::format("a lengthscale is {:.2g} of the states' spread: the field may follow the noise",
                    lengthscales.minCoeff()));
  }
}

}  // namespace

double ChannelFit::Explained() const {
  if (values == 0) return NAN;
  return spread > 0 ? 1 - std::pow(residual / spread, 2) : 0;
}

bool FitQuality::IsAllMissed() const {
  return reached == 0 &&
         std::ranges::any_of(channels, [](const ChannelFit& fit) { return fit.missed > 0; });
}

FitQuality AssessFit(const TrainedModel& trained, const ForecastOptions& options) {
  FitQuality quality;
  RemarkOnTraining(trained, &quality.remarks);
  const Posterior posterior(trained.model);
  ForecastOptions follow = options;
  follow.from = Origin::kLatestState;
  const ChannelMoments moments = MomentsOf(trained.data);
  std::vector<Sums> sums(trained.model.channels.size());
  const std::size_t per_time = options.draws * (sums.size() + trained.model.dim());
  const std::size_t rows = std::clamp<std::size_t>(kMostNumbers / per_time, 2, kMostTimes);
  for (std::size_t n : Chosen(trained.data)) {
    const Trajectory seen = Thinned(trained.data.trajectories[n], rows);
    const Forecast forecast = posterior.Trajectory(n, seen.times, follow);
    quality.reached += Compare(seen, forecast, moments.mean, trained.model.start_times[n], &sums);
    AddPairs(seen.values - forecast.Quantile(0.5), &sums);
    quality.lost.Add(forecast);
    ++quality.trajectories;
  }
  const ObservationNoise noise = trained.model.noise();
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    quality.channels.push_back(FitOf(trained.model.channels[c], sums[c], moments.variance[i],
                                     noise.DeviationAt(c, moments.mean[i])));
    RemarkOnChannel(quality.channels.back(), sums[c], &quality.remarks);
  }
  RemarkOnCorrelation(trained.model, sums, &quality.remarks);
  if (quality.lost.diverged > 0) {
    quality.remarks.push_back(fmt::format("{} draws of the field run away", quality.lost.diverged));
  }
  if (quality.lost.unfinished > 0) {
    quality.remarks.push_back(fmt::format(
        "{} draws of the field need more than {} solver steps for the span of the data; "
        "solver.max_steps allows more",
        quality.lost.unfinished, trained.model.options.solver.max_steps));
  }
  if (const std::string stiff = quality.lost.StiffnessRemark(); !stiff.empty()) {
    quality.remarks.push_back(stiff);
  }
  return quality;
}

}  // namespace gpode
