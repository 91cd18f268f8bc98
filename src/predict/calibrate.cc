// Computes noise from held-out observations. See CalibratedNoise in gpode/scores.h.
#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/scores.h"

namespace gpode {
namespace {

struct Excess {
  double sum = 0, count = 0;
};

// Adds, at time i and channel c, the squared error of the draws' mean minus the variance of the
// draws, both on the scale of the channel's link. Adds nothing if no draw has reached that time.
void AddExcess(const Forecast& forecast, Eigen::Index i, Eigen::Index c, double y, Link link,
               Excess& excess) {
  double n = 0, sum = 0, squares = 0;
  for (const auto& draw : forecast.draws) {
    const double e = ToLink(link, draw(i, c)) - ToLink(link, y);
    if (std::isnan(e)) continue;
    n += 1;
    sum += e;
    squares += e * e;
  }
  if (n == 0) return;
  const double mean = sum / n;
  excess.sum += 2 * mean * mean - squares / n;
  excess.count += 1;
}

}  // namespace

ObservationNoise CalibratedNoise(const ObservationNoise& learnt,
                                 std::span<const Forecast> forecasts,
                                 std::span<const Matrix> observed) {
  CheckSize("CalibratedNoise", "observed", observed.size(), forecasts.size());
  std::vector<Excess> excess(learnt.channels());
  for (std::size_t n = 0; n < forecasts.size(); ++n) {
    const Matrix& y = observed[n];
    if (y.rows() != static_cast<Eigen::Index>(forecasts[n].times.size()) ||
        y.cols() != static_cast<Eigen::Index>(learnt.channels())) {
      ThrowInput("CalibratedNoise", "observed", "must have a row per time, a column per channel");
    }
    for (Eigen::Index i = 0; i < y.rows(); ++i) {
      for (Eigen::Index c = 0; c < y.cols(); ++c) {
        const Likelihood& own = learnt.For(static_cast<std::size_t>(c));
        if (std::isnan(y(i, c)) || !IsAccepted(own.link(), y(i, c))) continue;
        AddExcess(forecasts[n], i, c, y(i, c), own.link(), excess[c]);
      }
    }
  }
  ObservationNoise noise = learnt;
  for (std::size_t c = 0; c < excess.size(); ++c) {
    if (!(excess[c].count > 0)) continue;
    const double variance = excess[c].sum / excess[c].count;
    // Only a likelihood that has its spread as a parameter can take a larger spread.
    const Likelihood& own = learnt.For(c);
    if (own.learnt_parameters() == own.parameters_per_channel() &&
        variance > own.Variance(learnt.Of(c))) {
      own.SetVariance(variance, noise.Of(c));
    }
  }
  return noise;
}

}  // namespace gpode
