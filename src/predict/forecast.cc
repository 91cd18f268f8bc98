#include "gpode/forecast.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "gpode/error.h"
#include "gpode/parallel.h"
#include "gpode/random.h"
#include "predict/quantile.h"

namespace gpode {
namespace {

// States (T, D) of one draw at increasing model times, on either side of 0.
bool Integrate(const Model& model, const Field& field, std::span<const double> x0,
               std::span<const double> times, Matrix& states) {
  const std::size_t dim = x0.size(), count = times.size();
  const std::size_t before = std::lower_bound(times.begin(), times.end(), 0.0) - times.begin();
  Solver solver(model.options.solver);
  std::vector<double> backwards(times.rend() - before, times.rend());
  std::vector<double> past(before * dim);
  const bool past_ok = solver.Solve(field, x0, 0.0, backwards, past).ok();
  for (std::size_t i = 0; i < before; ++i) {
    std::copy_n(past.begin() + (before - 1 - i) * dim, dim, states.data() + i * dim);
  }
  return solver
             .Solve(field, x0, 0.0, times.subspan(before),
                    {states.data() + before * dim, (count - before) * dim})
             .ok() &&
         past_ok;
}

// `start` fills the initial state of a draw.
template <typename StartOf>
Forecast Run(const Model& model, double start_time, std::span<const double> times,
             const ForecastOptions& options, StartOf start) {
  CheckAtLeast("Forecast", "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
  CheckFinite("Forecast", "times", times);
  if (!std::is_sorted(times.begin(), times.end())) ThrowInput("Forecast", "times", "must increase");
  SparseGp gp(GetKernel(model.options.kernel), model.options.jitter);
  if (const FactorStatus status = gp.Set(model.gp); status != FactorStatus::kOk) {
    ThrowInput("Forecast", "model", Message(status));
  }
  std::vector<double> model_times(times.begin(), times.end());
  for (double& t : model_times) t = (t - start_time) / model.time_scale;

  Forecast forecast{.times = {times.begin(), times.end()},
                    .draws = std::vector<Matrix>(options.draws)};
  std::atomic<std::size_t> diverged{0};
  ThreadPool pool(options.threads);
  pool.For(options.draws, [&](std::size_t i) {
    // Streams of their own: step numbers that training never reaches.
    constexpr std::uint64_t kForecastStep = std::uint64_t{1} << 62;
    GpDraw draw(gp, model.options.features, model.options.precision);
    draw.Set(gp, SampleGpNoise(gp, model.options.features, options.seed, kForecastStep, i));
    std::vector<double> x0(model.dim()), eps(model.dim());
    RandomStream(options.seed, kForecastStep, i, Purpose::kInitialState).Normals(eps);
    start(eps, x0);
    Matrix states(static_cast<Eigen::Index>(times.size()), static_cast<Eigen::Index>(model.dim()));
    if (!Integrate(model, draw, x0, model_times, states)) ++diverged;
    forecast.draws[i] = model.map.Apply(states);
  });
  forecast.diverged = diverged;
  return forecast;
}

}  // namespace

Forecast ForecastTrajectory(const Model& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options) {
  if (trajectory >= model.start_times.size()) {
    ThrowInput("ForecastTrajectory", "trajectory", "is not one of the model's");
  }
  const auto row = static_cast<Eigen::Index>(trajectory);
  return Run(model, model.start_times[trajectory], times, options,
             [&](std::span<const double> eps, std::span<double> x0) {
               Eigen::Map<Vector>(x0.data(), x0.size()) =
                   model.x0_mean.row(row).transpose() +
                   model.x0_chol[trajectory] * Eigen::Map<const Vector>(eps.data(), eps.size());
             });
}

Forecast ForecastFrom(const Model& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options) {
  CheckSize("ForecastFrom", "values", values.size(), model.map.channels());
  CheckFinite("ForecastFrom", "values", values);
  const Matrix state = model.map.StatesOf(
      Eigen::Map<const Matrix>(values.data(), 1, static_cast<Eigen::Index>(values.size())));
  return Run(model, start, times, options, [&](std::span<const double>, std::span<double> x0) {
    std::copy_n(state.data(), x0.size(), x0.begin());
  });
}

Matrix Forecast::Mean() const {
  Matrix sum = Matrix::Zero(draws.front().rows(), draws.front().cols());
  for (const Matrix& draw : draws) sum += draw;
  return sum / static_cast<double>(draws.size());
}

Matrix Forecast::Quantile(double p) const {
  if (!(p >= 0 && p <= 1)) ThrowInput("Forecast::Quantile", "p", "must be between 0 and 1");
  Matrix result(draws.front().rows(), draws.front().cols());
  std::vector<double> sorted;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    sorted.clear();
    for (const Matrix& draw : draws) {
      if (!std::isnan(draw.data()[i])) sorted.push_back(draw.data()[i]);
    }
    if (sorted.empty()) {
      result.data()[i] = NAN;
      continue;
    }
    std::sort(sorted.begin(), sorted.end());
    result.data()[i] = SortedQuantile(sorted, p);
  }
  return result;
}

}  // namespace gpode
