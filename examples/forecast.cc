// Forecasts beyond the data, from the learnt initial state and from another one.
#include <gpode/gpode.h>

#include <cstdio>

#include "simulated.h"

void Print(const gpode::Forecast& forecast) {
  const gpode::Matrix low = forecast.Quantile(0.05), middle = forecast.Quantile(0.5),
                      high = forecast.Quantile(0.95);
  for (int i = 0; i < middle.rows(); ++i) {
    std::printf("%4.1f  x %6.2f, with 90 %% from %6.2f to %6.2f\n", forecast.times[i], middle(i, 0),
                low(i, 0), high(i, 0));
  }
  std::printf("%zu of %zu draws diverged\n\n", forecast.diverged, forecast.draws.size());
}

int main() {
  const std::vector<double> times = Regular(0, 7, 40);
  const gpode::Dataset data{.channels = {"x", "y"},
                            .trajectories = {{"run 1", times, Observe(times, 0.1, 1), {}}}};
  gpode::FitOptions options;
  options.steps = 1000;  // few, so that the example ends soon
  const gpode::Model model = gpode::Fit(data, options);

  const std::vector<double> later = Regular(7, 10, 4);
  Print(gpode::ForecastTrajectory(model, 0, later));
  const std::vector<double> state = {1.0, 0.0};
  Print(gpode::ForecastFrom(model, state, /*start=*/0.0, Regular(0, 3, 4), {.draws = 64}));
}
