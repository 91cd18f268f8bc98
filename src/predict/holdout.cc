#include "gpode/holdout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/posterior.h"
#include "io/files.h"
#include "predict/held_errors.h"
#include "predict/horizon_thirds.h"
#include "predict/linear_model.h"

namespace gpode {
namespace {

// kMostTimes is about the largest number of times that are compared, in all trajectories together.
// kMostNumbers is the largest number of values in the forecast of one trajectory, of all times,
// draws, channels and states. These limits save time and memory.
constexpr std::size_t kMostTimes = 2000, kMostNumbers = 20'000'000;
constexpr double kNormal95 = 1.6448536269514722;

// Returns the indices of the trajectories to forecast: all that have held-back rows or, if these
// are more than kMostTimes rows, evenly spaced ones with about that many rows.
std::vector<std::size_t> Chosen(const Dataset& held) {
  std::vector<std::size_t> all, chosen;
  std::size_t times = 0;
  for (std::size_t n = 0; n < held.trajectories.size(); ++n) {
    if (held.trajectories[n].times.empty()) continue;
    all.push_back(n);
    times += held.trajectories[n].times.size();
  }
  if (times <= kMostTimes) return all;
  const std::size_t wanted = std::max<std::size_t>(1, all.size() * kMostTimes / times);
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(all[i * all.size() / wanted]);
  return chosen;
}

std::size_t CountTimes(const Dataset& data) {
  std::size_t times = 0;
  for (const Trajectory& t : data.trajectories) times += t.times.size();
  return times;
}

// The forecasts of the held-back rows of one trajectory: the model's and two simple ones.
struct Comparison {
  Trajectory held;
  Forecast forecast;
  double begins = 0;        // the time of the last row in training, from which horizons count
  Vector persistence = {};  // (channels): the last values in training
  Matrix linear = {};       // (T, channels): the forecast of the linear model
};

// Sums over all values of one channel in one third of the horizons, a row of the report.
struct Sums {
  double count = 0, squares = 0, persistence = 0, linear = 0, inside = 0, inside_widened = 0;
};

// The 90 % band of observations.
struct Band {
  Matrix low, high;

  explicit Band(const Forecast& forecast)
      : low(forecast.PredictiveQuantile(0.05)), high(forecast.PredictiveQuantile(0.95)) {}
  bool Holds(double y, Eigen::Index i, Eigen::Index c) const {
    return y >= low(i, c) && y <= high(i, c);
  }
};

// Returns the extra standard deviations (T, channels) of the widening at the times of a forecast.
Matrix DeviationsOf(const BandWidening& widening, const Comparison& one) {
  Matrix deviations(one.held.values.rows(), one.held.values.cols());
  for (Eigen::Index i = 0; i < deviations.rows(); ++i) {
    const double horizon = one.held.times[static_cast<std::size_t>(i)] - one.begins;
    for (Eigen::Index c = 0; c < deviations.cols(); ++c) {
      deviations(i, c) = std::sqrt(widening.Variance(static_cast<std::size_t>(c), horizon));
    }
  }
  return deviations;
}

// Returns an entry for every held-back value with a positive horizon, whether it could be forecast
// or not. Only channel and horizon of the entries are set.
std::vector<HeldError> HorizonsOf(const std::vector<Comparison>& all) {
  std::vector<HeldError> horizons;
  for (const Comparison& one : all) {
    for (Eigen::Index c = 0; c < one.held.values.cols(); ++c) {
      for (Eigen::Index i = 0; i < one.held.values.rows(); ++i) {
        const double horizon = one.held.times[static_cast<std::size_t>(i)] - one.begins;
        if (std::isnan(one.held.values(i, c)) || !(horizon > 0)) continue;
        horizons.push_back({.channel = static_cast<std::size_t>(c), .horizon = horizon});
      }
    }
  }
  return horizons;
}

void AddSums(const BandWidening& widening, const HorizonThirds& thirds, Comparison& one,
             std::vector<std::vector<Sums>>* sums) {
  const Matrix median = one.forecast.Quantile(0.5);
  const Band before(one.forecast);
  one.forecast.widening = DeviationsOf(widening, one);
  const Band after(one.forecast);
  const auto square = [](double x) { return x * x; };
  for (Eigen::Index i = 0; i < median.rows(); ++i) {
    const double horizon = one.held.times[static_cast<std::size_t>(i)] - one.begins;
    for (Eigen::Index c = 0; c < median.cols(); ++c) {
      const double y = one.held.values(i, c);
      if (std::isnan(y)) continue;
      Sums& s = (*sums)[static_cast<std::size_t>(c)][thirds.Find(horizon)];
      s.count += 1;
      s.squares += std::isfinite(median(i, c)) ? square(y - median(i, c)) : HUGE_VAL;
      s.persistence += square(y - one.persistence[c]);
      s.linear += square(y - one.linear(i, c));
      s.inside += before.Holds(y, i, c) ? 1 : 0;
      s.inside_widened += after.Holds(y, i, c) ? 1 : 0;
    }
  }
}

std::vector<HoldoutRow> RowsOf(const std::vector<std::vector<Sums>>& sums,
                               const HorizonThirds& thirds) {
  std::vector<HoldoutRow> rows;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    for (std::size_t k = 0; k < sums[c].size(); ++k) {
      const Sums& s = sums[c][k];
      if (s.count == 0) continue;
      rows.push_back({.channel = c,
                      .from = k > 0 ? thirds.ends[k - 1] : 0,
                      .to = thirds.ends[k],
                      .values = static_cast<std::size_t>(s.count),
                      .rmse = std::sqrt(s.squares / s.count),
                      .persistence = std::sqrt(s.persistence / s.count),
                      .linear = std::sqrt(s.linear / s.count),
                      .inside = s.inside / s.count,
                      .inside_widened = s.inside_widened / s.count});
    }
  }
  return rows;
}

// Sets the shares of values inside the bands, by channel, from those in the report's rows. The
// shares in the rows come from quantiles of the draws. FitWidening has only estimated the shares
// from normal bands, without the values that could not be forecast.
void SetShares(const std::vector<HoldoutRow>& rows, BandWidening* widening) {
  std::vector<double> inside(widening->values.size()), widened(inside.size()),
      values(inside.size());
  for (const HoldoutRow& row : rows) values[row.channel] += static_cast<double>(row.values);
  for (const HoldoutRow& row : rows) {
    const double share = static_cast<double>(row.values) / values[row.channel];
    inside[row.channel] += share * row.inside;
    widened[row.channel] += share * row.inside_widened;
  }
  for (double& share : inside) share = std::min(share, 1.0);
  for (double& share : widened) share = std::min(share, 1.0);
  widening->inside = inside;
  widening->inside_widened = widened;
}

// Returns the root mean square errors of a channel over all horizons.
HoldoutRow AllHorizons(const std::vector<HoldoutRow>& rows, std::size_t channel) {
  HoldoutRow all{.channel = channel};
  double count = 0;
  for (const HoldoutRow& row : rows) {
    if (row.channel != channel) continue;
    const double n = static_cast<double>(row.values);
    count += n;
    all.rmse += n * row.rmse * row.rmse;
    all.persistence += n * row.persistence * row.persistence;
    all.linear += n * row.linear * row.linear;
  }
  for (double HoldoutRow::*mean :
       {&HoldoutRow::rmse, &HoldoutRow::persistence, &HoldoutRow::linear}) {
    all.*mean = count > 0 ? std::sqrt(all.*mean / count) : 0;
  }
  all.values = static_cast<std::size_t>(count);
  return all;
}

}  // namespace

void AddHeldErrors(const Forecast& forecast, const Matrix& seen, double begins,
                   std::size_t trajectory, std::vector<HeldError>* errors) {
  const Matrix median = forecast.Quantile(0.5);
  const Band band(forecast);
  for (Eigen::Index c = 0; c < seen.cols(); ++c) {
    const Link link = forecast.noise.For(static_cast<std::size_t>(c)).link();
    for (Eigen::Index i = 0; i < seen.rows(); ++i) {
      const double horizon = forecast.times[static_cast<std::size_t>(i)] - begins;
      const double error = ToLink(link, seen(i, c)) - ToLink(link, median(i, c));
      const double width = ToLink(link, band.high(i, c)) - ToLink(link, band.low(i, c));
      if (!std::isfinite(error) || !std::isfinite(width) || !(horizon > 0)) continue;
      errors->push_back({.trajectory = trajectory,
                         .channel = static_cast<std::size_t>(c),
                         .horizon = horizon,
                         .error = error,
                         .deviation = width / (2 * kNormal95)});
    }
  }
}

double HoldoutRow::Skill() const {
  const double simple = std::min(persistence, linear);
  return simple > 0 ? 1 - (rmse / simple) * (rmse / simple) : rmse > 0 ? -HUGE_VAL : 0;
}

std::vector<std::string> HoldoutReport::Remarks(const std::vector<std::string>& channels) const {
  std::vector<std::string> remarks;
  const BandWidening& w = widening;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const auto say = [&](const std::string& what) {
      remarks.push_back(fmt::format("channel {}: {}", internal::Quote(channels[c]), what));
    };
    if (w.values[c] < kFewestHeld) {
      say(fmt::format("{} held-back {}, too few to judge its bands", w.values[c],
                      w.values[c] == 1 ? "value" : "values"));
      continue;
    }
    if (w.variance.col(static_cast<Eigen::Index>(c)).maxCoeff() > 0) {
      say(
          fmt::format("{:.0f} % of {} held-back values were inside the 90 % bands, which are now "
                      "widened by horizon to hold {:.0f} %",
                      100 * w.inside[c], w.values[c], 100 * w.inside_widened[c]));
    }
    if (const HoldoutRow all = AllHorizons(rows, c); all.Skill() <= 0) {
      say(fmt::format("forecasts of held-back values are no better than {}",
                      all.persistence <= all.linear ? "the last value" : "a linear model"));
    }
  }
  if (diverged > 0) {
    remarks.push_back(fmt::format("{} draws of the field run away in held-back data", diverged));
  }
  if (unfinished > 0) {
    remarks.push_back(fmt::format(
        "{} draws of the field need more solver steps than allowed in held-back data", unfinished));
  }
  return remarks;
}

HoldoutReport AssessHoldout(const Model& model, const Dataset& seen, const Dataset& held,
                            std::size_t draws, std::uint64_t seed, std::size_t threads) {
  CheckSize("AssessHoldout", "seen", seen.trajectories.size(), model.start_times.size());
  CheckSize("AssessHoldout", "held", held.trajectories.size(), seen.trajectories.size());
  CheckSize("AssessHoldout", "channels", held.channels.size(), model.channels.size());
  Model raw = model;
  raw.widening = {};
  const Posterior posterior(std::move(raw));
  const LinearModel linear(seen);
  const std::size_t channels = model.channels.size();
  const std::size_t rows =
      std::clamp<std::size_t>(kMostNumbers / (draws * (channels + model.dim())), 2, kMostTimes);
  HoldoutReport report{.seen_times = CountTimes(seen), .held_times = CountTimes(held)};
  std::vector<Comparison> all;
  std::vector<HeldError> errors;
  const ForecastOptions options{
      .draws = draws, .seed = seed, .threads = threads, .from = Origin::kLatestState};
  for (std::size_t n : Chosen(held)) {
    Comparison one{
        .held = Thinned(held.trajectories[n], rows), .forecast = {}, .begins = model.end_times[n]};
    one.forecast = posterior.Trajectory(n, one.held.times, options);
    one.persistence = linear.LastValues(seen.trajectories[n]);
    one.linear = linear.Continue(seen.trajectories[n], one.held.times);
    AddHeldErrors(one.forecast, one.held.values, one.begins, n, &errors);
    report.diverged += one.forecast.diverged;
    report.unfinished += one.forecast.unfinished.size();
    all.push_back(std::move(one));
  }
  report.widening = FitWidening(errors, channels);
  const Vector spread = MomentsOf(ToLinkScale(seen, model.links())).variance;
  report.widening.limits.assign(spread.begin(), spread.end());
  const HorizonThirds thirds(HorizonsOf(all));
  if (thirds.ends.empty()) return report;
  std::vector<std::vector<Sums>> sums(channels, std::vector<Sums>(thirds.ends.size()));
  for (Comparison& one : all) AddSums(report.widening, thirds, one, &sums);
  report.rows = RowsOf(sums, thirds);
  SetShares(report.rows, &report.widening);
  return report;
}

}  // namespace gpode
