#include "gpode/forecast.h"

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "gpode/error.h"
#include "gpode/posterior.h"

namespace gpode {
namespace {

// Calls quantile(sorted draws, channel) for every entry that has draws.
template <typename QuantileOf>
Matrix ForSortedDraws(const Forecast& forecast, double p, QuantileOf quantile) {
  if (!(p >= 0 && p <= 1)) ThrowInput("Forecast::Quantile", "p", "must be between 0 and 1");
  if (forecast.draws.empty()) ThrowInput("Forecast::Quantile", "draws", "has none");
  Matrix result(forecast.draws[0].rows(), forecast.draws[0].cols());
  std::vector<double> sorted;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    sorted.clear();
    for (const Matrix& draw : forecast.draws) {
      if (!std::isnan(draw.data()[i])) sorted.push_back(draw.data()[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    result.data()[i] = sorted.empty() ? NAN : quantile(sorted, i % result.cols());
  }
  return result;
}

}  // namespace

Matrix Forecast::Mean() const {
  if (draws.empty()) ThrowInput("Forecast::Mean", "draws", "has none");
  Matrix sum = Matrix::Zero(draws.front().rows(), draws.front().cols());
  for (const Matrix& draw : draws) sum += draw;
  return sum / static_cast<double>(draws.size());
}

Matrix Forecast::Quantile(double p) const {
  return ForSortedDraws(*this, p, [&](std::span<const double> sorted, Eigen::Index) {
    return SortedQuantile(sorted, p);
  });
}

Matrix Forecast::PredictiveQuantile(double p) const {
  if (!draws.empty()) {
    CheckSize("Forecast::PredictiveQuantile", "noise", noise.channels(), draws[0].cols());
  }
  return ForSortedDraws(*this, p, [&](std::span<const double> sorted, Eigen::Index channel) {
    return noise.likelihood->MixtureQuantile(p, sorted,
                                             noise.Of(static_cast<std::size_t>(channel)));
  });
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
