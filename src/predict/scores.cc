// MSE, coverage, and averages of all scores. The MNLL of a value is LogMixture and its CRPS is
// MixtureCrps in model/gaussian_likelihood.cc.
#include "gpode/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/quantile.h"
#include "gpode/error.h"
#include "gpode/parallel.h"
#include "predict/lost_draws.h"
#include "predict/widen.h"

namespace gpode {
namespace {

constexpr double kVarianceFloor = 1e-8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array kMeans = {
    &Scores::mnll,          &Scores::mse,           &Scores::crps,
    &Scores::coverage_50,   &Scores::coverage_90,   &Scores::coverage_95,
    &Scores::predictive_50, &Scores::predictive_90, &Scores::predictive_95};

// Returns true if y is in the central band of this level. `sorted` holds the values of the draws
// that are not lost, of `draws` in total.
bool Covers(double y, std::span<const double> sorted, std::size_t draws, double level) {
  const double low = LevelAmongKept(0.5 - level / 2, sorted.size(), draws);
  const double high = LevelAmongKept(0.5 + level / 2, sorted.size(), draws);
  if (std::isnan(low) || std::isnan(high)) return false;
  return y >= SortedQuantile(sorted, low) && y <= SortedQuantile(sorted, high);
}

// Returns |F(y) - 1/2|, where F is the distribution function of observations, the mixture over
// draws. The central band of level l holds y if this is at most l / 2. Lost draws count on the side
// of y that makes bands wider, as in LevelAmongKept; the result may then be negative.
double LevelsAway(double y, std::span<const double> sorted, std::size_t draws,
                  const Likelihood& likelihood, std::span<const double> p) {
  const double below = likelihood.MixtureCdf(y, sorted, p);
  if (likelihood.HasMassAt(y) && sorted.size() == draws) {
    // A band between two quantiles contains a value y of positive probability, such as a whole
    // number, if F(y) reaches the lower level and the probability of less than y does not reach the
    // upper level.
    return std::max(0.5 - below, likelihood.MixtureCdfBelow(y, sorted, p) - 0.5);
  }
  if (sorted.size() == draws) return std::fabs(below - 0.5);
  const double share = static_cast<double>(sorted.size()) / static_cast<double>(draws);
  return std::max(0.5 - (1 - share + share * below), share * below - 0.5);
}

// Adds the scores of one value y to `sum`. `sorted` holds the values, at the time and channel of y,
// of the draws that are not lost, of `draws` in total. This function widens them by the standard
// deviation `widening`.
void AddValue(double y, std::span<double> sorted, std::size_t draws, double widening,
              const Likelihood& likelihood, std::span<const double> p, Scores& sum) {
  const bool lost = sorted.size() < draws;
  double mean = 0;
  for (double v : sorted) mean += v / static_cast<double>(draws);
  // y counts as inside a predictive band if it is inside with or without widening: as in
  // Forecast::PredictiveQuantile, widening never narrows a band.
  const bool widens = widening > 0 && !sorted.empty();
  const double away_before = widens ? LevelsAway(y, sorted, draws, likelihood, p) : kInfinity;
  if (widens) WidenAboutMedian(sorted, widening, likelihood.link());
  ++sum.values;
  sum.mnll -= likelihood.LogMixture(y, sorted, draws, p);
  sum.mse += lost ? kInfinity : (y - mean) * (y - mean);
  sum.crps += lost ? kInfinity : likelihood.MixtureCrps(y, sorted, p);
  if (AreTooManyLost(sorted.size(), draws)) return;
  sum.coverage_50 += Covers(y, sorted, draws, 0.5);
  sum.coverage_90 += Covers(y, sorted, draws, 0.9);
  sum.coverage_95 += Covers(y, sorted, draws, 0.95);
  // Half of the levels 0.5, 0.9 and 0.95; see LevelsAway.
  const double away = std::min(away_before, LevelsAway(y, sorted, draws, likelihood, p));
  sum.predictive_50 += away <= 0.25;
  sum.predictive_90 += away <= 0.45;
  sum.predictive_95 += away <= 0.475;
}

// Returns the sums of the scores of one time.
Scores ScoreTime(const Forecast& forecast, const ObservationNoise& noise, const Matrix& observed,
                 Eigen::Index time) {
  Scores sum;
  std::vector<double> sorted;
  for (Eigen::Index c = 0; c < observed.cols(); ++c) {
    const double y = observed(time, c);
    if (std::isnan(y)) continue;
    sorted.clear();
    for (const auto& draw : forecast.draws) {
      if (std::isfinite(draw(time, c))) sorted.push_back(draw(time, c));
    }
    std::sort(sorted.begin(), sorted.end());
    AddValue(y, sorted, forecast.draws.size(),
             forecast.widening.size() > 0 ? forecast.widening(time, c) : 0,
             noise.For(static_cast<std::size_t>(c)), noise.Of(static_cast<std::size_t>(c)), sum);
  }
  return sum;
}

std::vector<Scores> ScoreTimes(const Forecast& forecast, const ObservationNoise& noise,
                               const Matrix& observed, std::size_t threads) {
  if (observed.rows() != static_cast<Eigen::Index>(forecast.times.size()) ||
      observed.cols() != static_cast<Eigen::Index>(noise.channels())) {
    ThrowInput("Score", "observed", "must have a row per time and a column per channel");
  }
  CheckAtLeast("Score", "draws", static_cast<std::ptrdiff_t>(forecast.draws.size()), 1);
  if (forecast.draws.rows() != observed.rows() || forecast.draws.cols() != observed.cols()) {
    ThrowInput("Score", "observed", "must have the shape of the draws");
  }
  if (forecast.widening.size() > 0) {
    CheckSize("Score", "widening", forecast.widening.size(), observed.size());
  }
  ObservationNoise enlarged = noise;
  for (std::size_t c = 0; c < noise.channels(); ++c) {
    noise.For(c).AddVariance(kVarianceFloor, enlarged.Of(c));
  }
  std::vector<Scores> sums(forecast.times.size());
  ThreadPool pool(threads);
  pool.For(sums.size(), [&](std::size_t i) {
    sums[i] = ScoreTime(forecast, enlarged, observed, static_cast<Eigen::Index>(i));
  });
  return sums;
}

void Add(const Scores& sums, Scores& total) {
  for (double Scores::*mean : kMeans) total.*mean += sums.*mean;
  total.values += sums.values;
}

void DivideByValues(Scores& sums) {
  const double n = static_cast<double>(std::max<std::size_t>(sums.values, 1));
  for (double Scores::*mean : kMeans) sums.*mean /= n;
}

// Counts the draws that are lost at one or more of these times.
void CountLostWithin(const Forecast& forecast, std::span<const std::size_t> times, Scores& scores) {
  for (std::size_t s = 0; s < forecast.draws.size(); ++s) {
    const bool lost = std::any_of(times.begin(), times.end(), [&](std::size_t i) {
      return !forecast.draws[s].row(static_cast<Eigen::Index>(i)).allFinite();
    });
    if (!lost) continue;
    ++(std::ranges::binary_search(forecast.unfinished, s) ? scores.unfinished : scores.diverged);
  }
}

// Returns empty rows, one for each interval between edges. Without edges, there is a row for every
// distinct time since the start, whose `from` and `to` are equal.
std::vector<HorizonScores> Rows(const Forecast& forecast, double start,
                                std::span<const double> edges) {
  std::vector<HorizonScores> rows;
  for (std::size_t i = 1; i < edges.size(); ++i) rows.push_back({edges[i - 1], edges[i], {}});
  if (!edges.empty()) return rows;
  for (double t : forecast.times) {
    if (rows.empty() || t - start > rows.back().to) rows.push_back({t - start, t - start, {}});
  }
  return rows;
}

bool Within(const HorizonScores& row, double horizon) {
  return horizon == row.from || (horizon > row.from && horizon < row.to);
}

void CheckEdges(std::span<const double> edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (std::isnan(edges[i]) || (i > 0 && !(edges[i] > edges[i - 1]))) {
      ThrowInput("ScoreByHorizon", fmt::format("edges[{}]", i), "must be more than the one before");
    }
  }
}

}  // namespace

Scores Score(const Forecast& forecast, const ObservationNoise& noise, const Matrix& observed,
             std::size_t threads) {
  Scores total;
  for (const Scores& sums : ScoreTimes(forecast, noise, observed, threads)) {
    Add(sums, total);
  }
  DivideByValues(total);
  total.diverged = forecast.diverged;
  total.unfinished = forecast.unfinished.size();
  return total;
}

Scores Pool(std::span<const Scores> parts) {
  Scores total;
  for (Scores part : parts) {
    total.diverged += part.diverged;
    total.unfinished += part.unfinished;
    if (part.values == 0) continue;
    for (double Scores::*mean : kMeans) part.*mean *= static_cast<double>(part.values);
    Add(part, total);
  }
  DivideByValues(total);
  return total;
}

std::vector<HorizonScores> ScoreByHorizon(const Forecast& forecast, const ObservationNoise& noise,
                                          const Matrix& observed, double start,
                                          std::span<const double> edges, std::size_t threads) {
  CheckFinite("ScoreByHorizon", "start", start);
  CheckEdges(edges);
  const std::vector<Scores> sums = ScoreTimes(forecast, noise, observed, threads);
  std::vector<HorizonScores> rows = Rows(forecast, start, edges);
  for (HorizonScores& row : rows) {
    std::vector<std::size_t> within;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (Within(row, forecast.times[i] - start)) within.push_back(i);
    }
    for (std::size_t i : within) Add(sums[i], row.scores);
    DivideByValues(row.scores);
    CountLostWithin(forecast, within, row.scores);
  }
  return rows;
}

std::vector<HorizonScores> PoolByHorizon(std::span<const std::vector<HorizonScores>> parts) {
  std::vector<HorizonScores> rows;
  if (!parts.empty()) rows = parts[0];
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<Scores> same;
    for (const std::vector<HorizonScores>& part : parts) {
      CheckSize("PoolByHorizon", "rows", part.size(), rows.size());
      if (part[r].from != rows[r].from || part[r].to != rows[r].to) {
        ThrowInput("PoolByHorizon", fmt::format("row {}", r), "must have the same times in all");
      }
      same.push_back(part[r].scores);
    }
    rows[r].scores = Pool(same);
  }
  return rows;
}

}  // namespace gpode
