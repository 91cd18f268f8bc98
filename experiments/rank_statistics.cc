#include "experiments/rank_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "gpode/error.h"
#include "gpode/simulate.h"

namespace gpode::experiments {
namespace {

static_assert((kRankDraws + 1) % kRankBins == 0 && kRankBins == 8);

// The times of ranked states as multiples of the data's span: within the data, at their end, and
// after them. Slopes are ranked at the true states at kSlopeTimes, and at the origin.
constexpr std::array kStateTimes = {0.5, 1.0, 1.5};
constexpr std::array kSlopeTimes = {0.25, 0.75};

template <typename ValueOfDraw>
std::size_t RankOf(double truth, ValueOfDraw value_of_draw) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < kRankDraws; ++i) {
    const double value = value_of_draw(i);
    rank += std::isfinite(value) ? value < truth : i % 2;
  }
  return rank;
}

// Returns the share of ranks that lie in the central part of the uniform distribution, whose
// probability is `level`.
double Coverage(std::span<const std::size_t> ranks, double level) {
  double inside = 0;
  for (const std::size_t rank : ranks) {
    // A rank r of L draws stands for the interval from r / (L + 1) to (r + 1) / (L + 1).
    const double from = static_cast<double>(rank) / (kRankDraws + 1),
                 to = static_cast<double>(rank + 1) / (kRankDraws + 1);
    const double low = std::max(from, 0.5 - level / 2), high = std::min(to, 0.5 + level / 2);
    inside += std::max(0.0, high - low) / (to - from);
  }
  return inside / static_cast<double>(ranks.size());
}

}  // namespace

std::vector<TruthRank> RankTruth(const Posterior& posterior, const PriorTruth& truth,
                                 std::span<const std::string> channels, std::uint64_t seed) {
  const ForecastOptions options{
      .draws = kRankDraws, .seed = seed, .threads = 1, .from = Origin::kLatestState};
  std::vector<double> times = {0};
  for (double share : kStateTimes) times.push_back(share * truth.span);
  const Matrix states = SolveSystem(*truth.field, truth.start, times);
  const Forecast forecast = posterior.Trajectory(0, times, options);
  std::vector<TruthRank> ranks;
  for (Eigen::Index t = 0; t < states.rows(); ++t) {
    for (Eigen::Index d = 0; d < states.cols(); ++d) {
      const std::string& name = channels[static_cast<std::size_t>(d)];
      ranks.push_back(
          {t == 0 ? fmt::format("start {}", name)
                  : fmt::format("state {} at {:g}", name, times[static_cast<std::size_t>(t)]),
           RankOf(states(t, d), [&](std::size_t i) { return forecast.draws[i](t, d); })});
    }
  }

  std::vector<double> slope_times;
  for (double share : kSlopeTimes) slope_times.push_back(share * truth.span);
  Matrix points = Matrix::Zero(std::ssize(slope_times) + 1, states.cols());
  points.topRows(std::ssize(slope_times)) = SolveSystem(*truth.field, truth.start, slope_times);
  const Matrix slopes = Evaluate(*truth.field, points);
  std::vector<Matrix> drawn;
  for (std::size_t i = 0; i < kRankDraws; ++i) {
    drawn.push_back(Evaluate(posterior.DrawField(seed, i), points));
  }
  for (Eigen::Index k = 0; k < points.rows(); ++k) {
    for (Eigen::Index d = 0; d < points.cols(); ++d) {
      ranks.push_back({fmt::format("slope {} at {}", channels[static_cast<std::size_t>(d)], k + 1),
                       RankOf(slopes(k, d), [&](std::size_t i) { return drawn[i](k, d); })});
    }
  }
  return ranks;
}

std::size_t RankSummary::runs() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

RankSummary SummariseRanks(std::string quantity, std::span<const std::size_t> ranks) {
  RankSummary summary{.quantity = std::move(quantity)};
  if (ranks.empty()) return summary;
  for (const std::size_t rank : ranks) {
    ++summary.counts[std::min(rank * kRankBins / (kRankDraws + 1), kRankBins - 1)];
  }
  const double expected = static_cast<double>(ranks.size()) / kRankBins;
  for (const std::size_t count : summary.counts) {
    summary.chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  summary.p_value = ChiSquareTail7(summary.chi_square);
  summary.coverage_50 = Coverage(ranks, 0.5);
  summary.coverage_90 = Coverage(ranks, 0.9);
  summary.coverage_95 = Coverage(ranks, 0.95);
  return summary;
}

double ChiSquareTail7(double x) {
  return std::erfc(std::sqrt(x / 2)) +
         std::sqrt(2 * x / std::numbers::pi) * std::exp(-x / 2) * (1 + x / 3 + x * x / 15);
}

}  // namespace gpode::experiments
