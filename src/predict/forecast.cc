// Means and quantiles of forecasts. Functions and initial states are drawn and integrated in
// follow.cc.
#include "gpode/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "gpode/error.h"
#include "gpode/posterior.h"
#include "predict/lost_draws.h"
#include "predict/shown_values.h"
#include "predict/widen.h"

namespace gpode {
namespace {

// Returns whichever of two quantiles of level p is farther from the median; for p = 0.5, the
// widened one. If the draws are skewed, the widened quantile may be the nearer one, but widening
// must not narrow a band.
double Outer(double p, double raw, double widened) {
  return p < 0.5 ? std::min(raw, widened) : p > 0.5 ? std::max(raw, widened) : widened;
}

// Returns the quantiles p (T, channels) of a forecast. quantile(sorted, level, channel) computes
// one of them from the draws that are not lost, in increasing order; `level` is p as a level among
// these draws (LevelAmongKept). Quantiles are widened if the forecast is, and NaN where `level` is
// NaN.
template <typename QuantileOf>
Matrix ForSortedDraws(const Forecast& forecast, double p, QuantileOf quantile) {
  if (!(p >= 0 && p <= 1)) ThrowInput("Forecast::Quantile", "p", "must be between 0 and 1");
  if (forecast.draws.empty()) ThrowInput("Forecast::Quantile", "draws", "has none");
  Matrix result(forecast.draws.rows(), forecast.draws.cols());
  const bool widens = forecast.widening.size() > 0;
  if (widens) {
    CheckSize("Forecast::Quantile", "widening", forecast.widening.size(), result.size());
  }
  // A forecast of states has no noise, and states are on the scale of the links already.
  const bool is_of_channels = forecast.noise.likelihood != nullptr;
  std::vector<double> sorted;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    sorted.clear();
    for (const auto& draw : forecast.draws) {
      if (!std::isnan(draw.data()[i])) sorted.push_back(draw.data()[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    const double level = LevelAmongKept(p, sorted.size(), forecast.draws.size());
    result.data()[i] = std::isnan(level) ? NAN : quantile(sorted, level, i % result.cols());
    if (!widens || std::isnan(level) || !(forecast.widening.data()[i] > 0)) continue;
    const auto channel = static_cast<std::size_t>(i % result.cols());
    const Link link = is_of_channels ? forecast.noise.For(channel).link() : Link::kIdentity;
    WidenAboutMedian(sorted, forecast.widening.data()[i], link);
    result.data()[i] = Outer(p, result.data()[i], quantile(sorted, level, i % result.cols()));
  }
  return result;
}

}  // namespace

Matrix Forecast::Mean() const {
  if (draws.empty()) ThrowInput("Forecast::Mean", "draws", "has none");
  Matrix sum = Matrix::Zero(draws.rows(), draws.cols());
  for (const auto& draw : draws) sum += ShownValues(*this, draw);
  return sum / static_cast<double>(draws.size());
}

Matrix Forecast::Quantile(double p) const {
  const auto quantile = [](std::span<const double> sorted, double level, Eigen::Index) {
    return SortedQuantile(sorted, level);
  };
  return ShownValues(*this, ForSortedDraws(*this, p, quantile));
}

Matrix Forecast::PredictiveQuantile(double p) const {
  if (!draws.empty()) {
    CheckSize("Forecast::PredictiveQuantile", "noise", noise.channels(), draws.cols());
  }
  return ForSortedDraws(*this, p,
                        [&](std::span<const double> sorted, double level, Eigen::Index channel) {
                          const auto c = static_cast<std::size_t>(channel);
                          return noise.For(c).MixtureQuantile(level, sorted, noise.Of(c));
                        });
}

Forecast Forecast::OfStates() const {
  Forecast result{.times = times,
                  .draws = states,
                  .diverged = diverged,
                  .unfinished = unfinished,
                  .stiff = stiff};
  result.widening = state_widening;
  if (!states.empty()) result.noise = GaussianNoise(Vector::Zero(states.cols()));
  return result;
}

void LostDraws::Add(const Forecast& forecast) {
  const std::size_t count = forecast.draws.size();
  draws += count;
  diverged += forecast.diverged;
  unfinished += forecast.unfinished.size();
  stiff += forecast.stiff;
  if (forecast.diverged + forecast.unfinished.size() == 0 || count == 0) return;
  for (Eigen::Index i = 0; i < forecast.draws[0].rows(); ++i) {
    const auto kept = static_cast<std::size_t>(
        std::count_if(forecast.draws.begin(), forecast.draws.end(),
                      [&](const auto& draw) { return !std::isnan(draw(i, 0)); }));
    all = all || kept == 0;
    many = many || AreTooManyLost(kept, count);
  }
}

void LostDraws::Add(const LostDraws& others) {
  draws += others.draws;
  diverged += others.diverged;
  unfinished += others.unfinished;
  stiff += others.stiff;
  many = many || others.many;
  all = all || others.all;
}

std::string LostDraws::StiffnessRemark() const {
  if (stiff == 0) return "";
  return fmt::format(
      "the system is stiff in {} of {} draws: stability limits the steps of an explicit method; "
      "fit with --solver esdirk4",
      stiff, draws);
}

std::string LostDraws::Warning() const {
  if (!many) return "";
  std::string how;
  if (diverged > 0) how = fmt::format("{} run away", diverged);
  if (unfinished > 0) {
    how += fmt::format("{}{} need more solver steps than allowed", how.empty() ? "" : ", ",
                       unfinished);
  }
  return fmt::format(
      "{} of {} draws are lost ({}); {}", diverged + unfinished, draws, how,
      all ? "at some times none is left"
          : fmt::format("quantiles are empty where more than {:g} % are", 100 * kMostLost));
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
