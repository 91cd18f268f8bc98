#include "predict/seasonal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/fill_gaps.h"
#include "gpode/error.h"

namespace gpode {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// The largest number of rows of which the autocorrelation is computed. Longer trajectories are
// resampled to this number.
constexpr std::size_t kMostRows = 2000;
constexpr std::size_t kFewestRows = 8;
constexpr double kLeastPeak = 0.3;  // the least autocorrelation of a period
// Peaks of at least this share of the highest peak count as equally high.
constexpr double kSamePeakShare = 0.9;

// Returns the values with gaps interpolated; a channel without any value stays NaN.
Matrix FilledValues(const Trajectory& t) {
  Matrix values = t.values;
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    Vector column = values.col(c);
    FillGaps(t.times, kNaN, column);
    values.col(c) = column;
  }
  return values;
}

// Interpolates the rows of `values` linearly at a time between the first and the last of `times`.
Vector RowAt(std::span<const double> times, const Matrix& values, double time) {
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  if (after == times.begin()) return values.row(0);
  if (after == times.end()) return values.row(values.rows() - 1);
  const auto next = static_cast<Eigen::Index>(after - times.begin());
  const double from = *(after - 1), share = (time - from) / (*after - from);
  return (1 - share) * values.row(next - 1) + share * values.row(next);
}

// Returns the trajectory's values at `rows` equally spaced times, with their means subtracted.
Matrix ResampledValues(const Trajectory& t, std::size_t rows) {
  const Matrix filled = FilledValues(t);
  Matrix values(static_cast<Eigen::Index>(rows), filled.cols());
  const double gap = (t.times.back() - t.times.front()) / static_cast<double>(rows - 1);
  for (std::size_t i = 0; i < rows; ++i) {
    values.row(static_cast<Eigen::Index>(i)) =
        RowAt(t.times, filled, t.times.front() + gap * static_cast<double>(i)).transpose();
  }
  values.rowwise() -= values.colwise().mean();
  return values;
}

// Returns the autocorrelation at a lag, averaged over the channels that have values.
double Autocorrelation(const Matrix& values, Eigen::Index lag) {
  double sum = 0, channels = 0;
  const Eigen::Index rows = values.rows() - lag;
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    const auto first = values.col(c).head(rows), second = values.col(c).tail(rows);
    const double size = std::sqrt(first.squaredNorm() * second.squaredNorm());
    if (!(size > 0)) continue;
    sum += first.dot(second) / size;
    channels += 1;
  }
  return channels > 0 ? sum / channels : 0;
}

}  // namespace

double GuessPeriod(const Dataset& data) {
  const auto longest = std::ranges::max_element(data.trajectories, {},
                                                [](const Trajectory& t) { return t.times.size(); });
  if (longest == data.trajectories.end() || longest->times.size() < kFewestRows) return 0;
  const std::size_t rows = std::min(longest->times.size(), kMostRows);
  const Matrix values = ResampledValues(*longest, rows);
  std::vector<double> correlation;
  for (Eigen::Index lag = 0; lag <= static_cast<Eigen::Index>(rows / 2); ++lag) {
    correlation.push_back(Autocorrelation(values, lag));
  }
  std::vector<std::size_t> peaks;
  double highest = 0;
  for (std::size_t k = 2; k + 1 < correlation.size(); ++k) {
    const bool is_peak = correlation[k] >= correlation[k - 1] &&
                         correlation[k] > correlation[k + 1] && correlation[k] >= kLeastPeak;
    if (!is_peak) continue;
    peaks.push_back(k);
    highest = std::max(highest, correlation[k]);
  }
  for (std::size_t k : peaks) {
    if (correlation[k] < kSamePeakShare * highest) continue;
    return static_cast<double>(k) * (longest->times.back() - longest->times.front()) /
           static_cast<double>(rows - 1);
  }
  return 0;
}

Matrix SeasonalValues(const Trajectory& seen, double period, std::span<const double> times) {
  CheckPositive("SeasonalValues", "period", period);
  const Matrix filled = FilledValues(seen);
  const double end = seen.times.back();
  Matrix values(static_cast<Eigen::Index>(times.size()), filled.cols());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double periods = std::max(0.0, std::ceil((times[i] - end) / period));
    values.row(static_cast<Eigen::Index>(i)) =
        RowAt(seen.times, filled, times[i] - periods * period).transpose();
  }
  return values;
}

}  // namespace gpode
