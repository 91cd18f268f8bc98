// Means and quantiles of forecasts. Functions and initial states are drawn and integrated in
// follow.cc.
#include "gpode/forecast.h"

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "gpode/error.h"
#include "gpode/posterior.h"
#include "predict/widen.h"

namespace gpode {
namespace {

// Returns that one of two quantiles of level p which is farther from the median. The widened
// quantile may be the nearer one if the draws are skewed, but widening must not narrow a band.
double Outer(double p, double raw, double widened) {
  return p < 0.5 ? std::min(raw, widened) : p > 0.5 ? std::max(raw, widened) : widened;
}

// Returns quantile(sorted draws, channel) for every time and channel (T, channels): of the draws
// that did not diverge, widened if the forecast is. NaN where there are none.
template <typename QuantileOf>
Matrix ForSortedDraws(const Forecast& forecast, double p, QuantileOf quantile) {
  if (!(p >= 0 && p <= 1)) ThrowInput("Forecast::Quantile", "p", "must be between 0 and 1");
  if (forecast.draws.empty()) ThrowInput("Forecast::Quantile", "draws", "has none");
  Matrix result(forecast.draws.rows(), forecast.draws.cols());
  const bool widens = forecast.widening.size() > 0;
  if (widens) {
    CheckSize("Forecast::Quantile", "widening", forecast.widening.size(), result.size());
  }
  std::vector<double> sorted;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    sorted.clear();
    for (const auto& draw : forecast.draws) {
      if (!std::isnan(draw.data()[i])) sorted.push_back(draw.data()[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    result.data()[i] = sorted.empty() ? NAN : quantile(sorted, i % result.cols());
    if (!widens || sorted.empty() || !(forecast.widening.data()[i] > 0)) continue;
    WidenAboutMedian(sorted, forecast.widening.data()[i]);
    result.data()[i] = Outer(p, result.data()[i], quantile(sorted, i % result.cols()));
  }
  return result;
}

}  // namespace

Matrix Forecast::Mean() const {
  if (draws.empty()) ThrowInput("Forecast::Mean", "draws", "has none");
  Matrix sum = Matrix::Zero(draws.rows(), draws.cols());
  for (const auto& draw : draws) sum += draw;
  return sum / static_cast<double>(draws.size());
}

Matrix Forecast::Quantile(double p) const {
  return ForSortedDraws(*this, p, [&](std::span<const double> sorted, Eigen::Index) {
    return SortedQuantile(sorted, p);
  });
}

Matrix Forecast::PredictiveQuantile(double p) const {
  if (!draws.empty()) {
    CheckSize("Forecast::PredictiveQuantile", "noise", noise.channels(), draws.cols());
  }
  return ForSortedDraws(*this, p, [&](std::span<const double> sorted, Eigen::Index channel) {
    return noise.likelihood->MixtureQuantile(p, sorted,
                                             noise.Of(static_cast<std::size_t>(channel)));
  });
}

Forecast Forecast::OfStates() const {
  Forecast result{.times = times, .draws = states, .diverged = diverged};
  result.widening = state_widening;
  if (!states.empty()) result.noise = GaussianNoise(Vector::Zero(states.cols()));
  return result;
}

Forecast ForecastTrajectory(const Model& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options) {
  return Posterior(model).Trajectory(trajectory, times, options);
}

Forecast ForecastFrom(const Model& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options) {
  CheckFinite("ForecastFrom", "values", values);
  const Posterior posterior(model);
  return posterior.From(posterior.StateOf(values), start, times, options);
}

}  // namespace gpode
