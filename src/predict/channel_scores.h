// Scores of forecasts by channel and horizon, in the units of the channels and beside simple
// forecasts.
//
// Persistence forecasts the last value that was seen before the forecast begins. With the mean m_s
// of the draws,
//   error     sqrt(mean of (y - m_s)^2), infinite if a draw is lost
//   skill     1 - (error / error of persistence)^2: 1 is perfect, 0 no better than persistence
//
// Thread safety: all functions may be called from any thread; results have the same bits for any
// number of threads.
//
//   ChannelScoring scoring({0, 5, 10}, spread);
//   scoring.Add(forecast, noise, test_values, end, last_values);
//   for (const ChannelScore& row : scoring.Rows()) ... row.Error() / row.spread
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpode/scores.h"

namespace gpode {

// The scores of one channel, at times t with from <= t - start < to.
struct ChannelScore {
  std::size_t channel = 0;
  double from = 0, to = 0;
  Scores scores = {};
  double spread = 0;  // standard deviation of the channel in the training data
  // The root mean square error of persistence; NaN if a last value or all values are missing.
  double persistence = 0;

  double Error() const;
  double Skill() const;
};

class ChannelScoring {
 public:
  // `edges` are those of the horizons, increasing, at least two; `spread` (channels) is used as it
  // is.
  ChannelScoring(std::vector<double> edges, std::vector<double> spread);

  // Adds the scores of a forecast that begins at `start`. `last` (channels) are the last values
  // before that, NaN if there is none.
  void Add(const Forecast& forecast, const ObservationNoise& noise, const Matrix& observed,
           double start, std::span<const double> last, std::size_t threads = 0);

  // Returns rows ordered by channel, then by horizon. If `total` is true, there is one row per
  // channel, over all horizons. Rows without values are left out.
  std::vector<ChannelScore> Rows(bool total = false) const;

 private:
  std::vector<double> edges_, spread_;
  // For each channel and horizon (channels * horizons): the scores of all forecasts, and the sum of
  // the squared errors of persistence.
  std::vector<std::vector<Scores>> scores_;
  std::vector<double> persistence_;
};

// Returns the edges of three horizons of equal length that hold all horizons up to the longest; the
// last edge is slightly beyond it. Empty if `longest` is not positive.
std::vector<double> EdgesOfThirds(double longest);

}  // namespace gpode
