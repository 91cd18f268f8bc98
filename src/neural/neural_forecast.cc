// What a learnt neural ODE says: its draws followed, and the field that they are.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "gpode/error.h"
#include "gpode/mlp.h"
#include "gpode/neural.h"
#include "gpode/parallel.h"
#include "predict/integrate.h"

namespace gpode {
namespace {

Mlp NetworkOf(const NeuralModel& model, Eigen::Index draw) {
  Mlp network(model.dim(), model.options.hidden);
  network.SetParameters(
      {model.weights.row(draw).data(), static_cast<std::size_t>(model.weights.cols())});
  return network;
}

// From x0(draw) in the model's coordinates at the user's time `start`.
Forecast Follow(const NeuralModel& model, const std::function<Vector(Eigen::Index)>& x0,
                double start, std::span<const double> times, const ForecastOptions& options) {
  CheckAtLeast("Forecast", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
  CheckAtLeast("Forecast", "the model's draws", model.weights.rows(), 1);
  CheckForecastTimes(times);
  const auto kept = static_cast<std::size_t>(model.weights.rows());
  const std::size_t draws = std::min(options.draws, kept);
  Forecast forecast{.times = {times.begin(), times.end()},
                    .draws = std::vector<Matrix>(draws),
                    .noise_variance = model.MeanNoise()};
  if (options.states) forecast.states.resize(draws);
  std::vector<double> model_times(times.begin(), times.end());
  for (double& t : model_times) t = (t - start) / model.time_scale;
  std::atomic<std::size_t> diverged{0};
  ThreadPool pool(options.threads);
  pool.For(draws, [&](std::size_t i) {
    const auto draw = static_cast<Eigen::Index>(i * kept / draws);
    const Vector from = x0(draw);
    Matrix z(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(model.dim()));
    Solver solver(model.options.solver);
    if (!IntegrateBothWays(solver, NetworkOf(model, draw), {from.data(), model.dim()}, model_times,
                           {z.data(), static_cast<std::size_t>(z.size())})) {
      ++diverged;
    }
    forecast.draws[i] = model.map.Apply(z);
    if (options.states) {
      forecast.states[i] =
          (z * model.state_scale.asDiagonal()).rowwise() + model.state_offset.transpose();
    }
  });
  forecast.diverged = diverged;
  return forecast;
}

}  // namespace

Forecast ForecastTrajectory(const NeuralModel& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options) {
  if (trajectory >= model.start_times.size()) {
    ThrowInput("ForecastTrajectory", "trajectory",
               fmt::format("is {}, must be less than the model's {}", trajectory,
                           model.start_times.size()));
  }
  const auto d = static_cast<Eigen::Index>(model.dim());
  const auto at = static_cast<Eigen::Index>(trajectory) * d;
  return Follow(
      model, [&](Eigen::Index draw) { return Vector(model.x0.row(draw).segment(at, d)); },
      model.start_times[trajectory], times, options);
}

Forecast ForecastFrom(const NeuralModel& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options) {
  CheckSize("ForecastFrom", "values", values.size(), model.map.channels());
  CheckFinite("ForecastFrom", "values", values);
  CheckFinite("ForecastFrom", "start", start);
  const Eigen::Map<const Matrix> row(values.data(), 1, static_cast<Eigen::Index>(values.size()));
  const Vector state = model.map.StatesOf(row).row(0);
  if (!state.allFinite()) ThrowInput("ForecastFrom", "values", "do not determine the state");
  return Follow(
      model, [&](Eigen::Index) { return state; }, start, times, options);
}

FieldMoments MomentsOfField(const NeuralModel& model, const Matrix& states) {
  CheckSize("MomentsOfField", "a row of states", states.cols(), model.dim());
  const Matrix z = (states.rowwise() - model.state_offset.transpose()) *
                   model.state_scale.cwiseInverse().asDiagonal();
  const Vector unit = model.state_scale / model.time_scale;
  FieldMoments moments{Matrix::Zero(z.rows(), z.cols()), Matrix::Zero(z.rows(), z.cols())};
  for (Eigen::Index s = 0; s < model.weights.rows(); ++s) {
    const Matrix away = Evaluate(NetworkOf(model, s), z) * unit.asDiagonal() - moments.mean;
    const double share = 1.0 / static_cast<double>(s + 1);
    moments.mean += share * away;
    moments.variance += share * ((1 - share) * away.cwiseAbs2() - moments.variance);
  }
  return moments;
}

}  // namespace gpode
