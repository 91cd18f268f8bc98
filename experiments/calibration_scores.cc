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

// The draws of one value. `sorted` leaves out those that ran away; `draws` is the number of all
// draws.
struct ValueDraws {
  std::vector<double> sorted;
  std::size_t draws = 0;

  // Returns the medians of groups of four neighbouring draws, for scores whose time grows with the
  // square of the number of draws. If there are few draws, returns all of them.
  std::vector<double> GroupMedians() const {
    constexpr std::size_t kGroup = 4;
    if (sorted.size() < 32 * kGroup) return sorted;
    std::vector<double> fewer;
    for (std::size_t i = kGroup / 2; i < sorted.size(); i += kGroup) {
      fewer.push_back((sorted[i - 1] + sorted[i]) / 2);
    }
    return fewer;
  }

  double kept() const { return static_cast<double>(sorted.size()) / static_cast<double>(draws); }
};

ValueDraws DrawsAt(const Forecast& forecast, Eigen::Index time, Eigen::Index channel, double centre,
                   double spread) {
  ValueDraws at{.sorted = {}, .draws = forecast.draws.size()};
  for (const auto& draw : forecast.draws) {
    const double v = draw(time, channel);
    if (std::isfinite(v) && std::abs(v - centre) <= kFarAway * spread) at.sorted.push_back(v);
  }
  std::sort(at.sorted.begin(), at.sorted.end());
  return at;
}

// Sums of scores, and the numbers of values that were added up.
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
    // The density of y / spread is that of y times the spread.
    sum_.mnll -= likelihood.LogMixture(y, at.sorted, at.draws, p) + std::log(spread);
    sum_.crps +=
        at.sorted.empty() ? HUGE_VAL : likelihood.MixtureCrps(y, at.GroupMedians(), p) / spread;
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

  void Add(const Sums& other) {
    for (const BandScore& score : kBandScores) sum_.*score.member += other.sum_.*score.member;
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
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
  std::array<std::size_t, 3> counts_ = {};  // one count for each enumerator of Values
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

// The values that a forecast is compared with.
struct Compared {
  const Matrix &truth, &observed;  // They have no rows if they are unknown.
  Vector centre, spread;
};

Sums SumsAt(const Forecast& forecast, const Compared& with, Eigen::Index time) {
  Sums sums;
  for (Eigen::Index c = 0; c < with.spread.size(); ++c) {
    const double spread = with.spread[c];
    const double x = with.truth.rows() > 0 ? with.truth(time, c) : NAN;
    const double y = with.observed.rows() > 0 ? with.observed(time, c) : NAN;
    if (std::isnan(x) && std::isnan(y)) continue;
    const ValueDraws at = DrawsAt(forecast, time, c, with.centre[c], spread);
    sums.AddDraws(at, std::isnan(x) ? y : x, spread);
    if (!std::isnan(x)) sums.AddTruth(at, x);
    if (std::isnan(y)) continue;
    sums.AddObserved(at, y, *forecast.noise.likelihood,
                     forecast.noise.Of(static_cast<std::size_t>(c)), spread);
  }
  return sums;
}

std::vector<Sums> SumsOf(const Forecast& forecast, const Compared& with) {
  std::vector<Sums> sums;
  for (Eigen::Index i = 0; i < std::ssize(forecast.times); ++i) {
    sums.push_back(SumsAt(forecast, with, i));
  }
  return sums;
}

BandScores Mean(std::span<const Sums> parts) {
  Sums total;
  for (const Sums& part : parts) total.Add(part);
  return total.Means();
}

// Returns the index of the third of the span in which a time lies.
std::size_t ThirdOf(double time, const BandsTask& bands) {
  // A rounding error must not move a time at the end of a third to the next third.
  const double share = (time - bands.from) / (bands.to - bands.from) - 1e-9;
  return static_cast<std::size_t>(std::clamp(std::floor(share * kHorizons), 0.0, kHorizons - 1.0));
}

}  // namespace

BandScores ScoreForecast(const Forecast& forecast, const Matrix& truth, const Matrix& observed,
                         const Vector& centre, const Vector& spread) {
  return Mean(SumsOf(forecast, {truth, observed, centre, spread}));
}

CalibrationScores ScoreBands(const Posterior& posterior, const Task& task, std::uint64_t seed) {
  GPODE_CHECK(task.bands.has_value());
  const BandsTask& bands = *task.bands;
  const ForecastOptions options{
      .draws = kBandDraws, .seed = seed, .threads = 1, .from = Origin::kLatestState};
  const Vector centre = CentreOf(task.data);
  const std::vector<Sums> sums = SumsOf(posterior.Trajectory(0, bands.times, options),
                                        {bands.truth, bands.observed, centre, bands.spread});
  CalibrationScores scores;
  scores.all = Mean(sums);
  std::array<std::vector<Sums>, kHorizons> thirds;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    thirds[ThirdOf(bands.times[i], bands)].push_back(sums[i]);
  }
  for (std::size_t k = 0; k < kHorizons; ++k) scores.horizon[k] = Mean(thirds[k]);
  if (bands.seen_truth.rows() > 0) {
    scores.seen = ScoreForecast(posterior.Trajectory(0, task.data.trajectories[0].times, options),
                                bands.seen_truth, Matrix(), centre, bands.spread);
  }
  return scores;
}

}  // namespace gpode::experiments
