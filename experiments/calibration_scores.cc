#include "experiments/calibration_scores.h"

#include <algorithm>

#include "core/quantile.h"
#include "gpode/error.h"

namespace gpode::experiments {
namespace {

bool Covers(double y, std::span<const double> sorted, double level) {
  return y >= SortedQuantile(sorted, 0.5 - level / 2) &&
         y <= SortedQuantile(sorted, 0.5 + level / 2);
}

// The draws of one value, without those that ran away.
struct ValueDraws {
  std::vector<double> sorted;
  std::size_t draws = 0;

  double kept() const { return static_cast<double>(sorted.size()) / static_cast<double>(draws); }
};

ValueDraws DrawsAt(const Forecast& forecast, Eigen::Index time, Eigen::Index channel, double centre,
                   double spread) {
  ValueDraws at{.sorted = {}, .draws = forecast.draws.size()};
  for (const Matrix& draw : forecast.draws) {
    const double v = draw(time, channel);
    if (std::isfinite(v) && std::abs(v - centre) <= kFarAway * spread) at.sorted.push_back(v);
  }
  std::sort(at.sorted.begin(), at.sorted.end());
  return at;
}

// Sums of scores and the numbers of values behind them.
class Sums {
 public:
  void AddTruth(const ValueDraws& at, double truth) {
    ++Count(Values::kTruths);
    if (at.sorted.empty()) return;
    sum_.truth_50 += at.kept() * Covers(truth, at.sorted, 0.5);
    sum_.truth_90 += at.kept() * Covers(truth, at.sorted, 0.9);
    sum_.truth_95 += at.kept() * Covers(truth, at.sorted, 0.95);
  }

  void AddObserved(const ValueDraws& at, double y, const Likelihood& likelihood,
                   std::span<const double> p, double spread) {
    ++Count(Values::kObservations);
    // The density of y / spread.
    sum_.mnll -= likelihood.LogMixture(y, at.sorted, at.draws, p) + std::log(spread);
    sum_.crps += at.sorted.empty() ? HUGE_VAL : likelihood.MixtureCrps(y, at.sorted, p) / spread;
    if (at.sorted.empty()) return;
    const double away = std::abs(likelihood.MixtureCdf(y, at.sorted, p) - 0.5);
    sum_.observed_50 += at.kept() * (away <= 0.25);
    sum_.observed_90 += at.kept() * (away <= 0.45);
    sum_.observed_95 += at.kept() * (away <= 0.475);
  }

  void AddDraws(const ValueDraws& at, double best_known, double spread) {
    ++Count(Values::kAll);
    sum_.ran_away += 1 - at.kept();
    if (at.sorted.empty()) {
      sum_.mse = sum_.width = HUGE_VAL;
      return;
    }
    double mean = 0;
    for (double v : at.sorted) mean += v / static_cast<double>(at.sorted.size());
    sum_.mse += std::pow((mean - best_known) / spread, 2);
    sum_.width += (SortedQuantile(at.sorted, 0.95) - SortedQuantile(at.sorted, 0.05)) / spread;
  }

  BandScores Means() const {
    BandScores mean;
    for (const BandScore& score : kBandScores) {
      const std::size_t count = counts_[static_cast<std::size_t>(score.over)];
      if (count > 0) mean.*score.member = sum_.*score.member / static_cast<double>(count);
    }
    return mean;
  }

 private:
  std::size_t& Count(Values over) { return counts_[static_cast<std::size_t>(over)]; }

  BandScores sum_ = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::array<std::size_t, 3> counts_ = {};  // by Values
};

Vector CentreOf(const Dataset& data) {
  const Matrix& values = data.trajectories[0].values;
  Vector centre(values.cols());
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    double sum = 0, count = 0;
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      if (std::isnan(values(i, c))) continue;
      sum += values(i, c);
      ++count;
    }
    centre[c] = sum / std::max(count, 1.0);
  }
  return centre;
}

}  // namespace

BandScores ScoreBandsAt(const Forecast& forecast, const std::vector<bool>& chosen,
                        const Matrix& truth, const Matrix& observed, const Vector& centre,
                        const Vector& spread) {
  Sums sums;
  for (Eigen::Index i = 0; i < std::ssize(forecast.times); ++i) {
    if (!chosen[static_cast<std::size_t>(i)]) continue;
    for (Eigen::Index c = 0; c < spread.size(); ++c) {
      const double x = truth.rows() > 0 ? truth(i, c) : NAN;
      const double y = observed.rows() > 0 ? observed(i, c) : NAN;
      if (std::isnan(x) && std::isnan(y)) continue;
      const ValueDraws at = DrawsAt(forecast, i, c, centre[c], spread[c]);
      sums.AddDraws(at, std::isnan(x) ? y : x, spread[c]);
      if (!std::isnan(x)) sums.AddTruth(at, x);
      if (std::isnan(y)) continue;
      sums.AddObserved(at, y, *forecast.noise.likelihood,
                       forecast.noise.Of(static_cast<std::size_t>(c)), spread[c]);
    }
  }
  return sums.Means();
}

CalibrationScores ScoreBands(const Posterior& posterior, const Task& task, std::uint64_t seed) {
  GPODE_CHECK(task.bands.has_value());
  const BandsTask& bands = *task.bands;
  const ForecastOptions options{
      .draws = kBandDraws, .seed = seed, .threads = 1, .from = Origin::kLatestState};
  const Vector centre = CentreOf(task.data);
  const Forecast held_back = posterior.Trajectory(0, bands.times, options);
  CalibrationScores scores;
  const auto score = [&](double from, double to) {
    std::vector<bool> chosen;
    for (double t : bands.times) chosen.push_back(t > from && t <= to);
    return ScoreBandsAt(held_back, chosen, bands.truth, bands.observed, centre, bands.spread);
  };
  scores.all = score(-HUGE_VAL, HUGE_VAL);
  for (std::size_t i = 0; i < kHorizons; ++i) {
    const auto edge = [&](std::size_t k) {
      if (k == 0) return -HUGE_VAL;
      if (k == kHorizons) return HUGE_VAL;
      // A rounding error must not move a time on an edge to the next third.
      return bands.from + (bands.to - bands.from) * (static_cast<double>(k) + 1e-9) / kHorizons;
    };
    scores.horizon[i] = score(edge(i), edge(i + 1));
  }
  if (bands.seen_truth.rows() > 0) {
    const std::vector<double>& times = task.data.trajectories[0].times;
    scores.seen =
        ScoreBandsAt(posterior.Trajectory(0, times, options), std::vector<bool>(times.size(), true),
                     bands.seen_truth, Matrix(), centre, bands.spread);
  }
  return scores;
}

}  // namespace gpode::experiments
