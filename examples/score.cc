// Scores a forecast against observations that were kept back.
#include <gpode/gpode.h>

#include <cstdio>

#include "simulated.h"

int main() {
  const std::vector<double> times = Regular(0, 7, 40), later = Regular(7.2, 10.5, 20);
  const gpode::Dataset data{.channels = {"x", "y"},
                            .trajectories = {{"run 1", times, Observe(times, 0.1, 1), {}}}};
  gpode::FitOptions options;
  options.steps = 1000;  // few, so that the example ends soon
  const gpode::Model model = gpode::Fit(data, options);

  const gpode::Forecast forecast = gpode::ForecastTrajectory(model, 0, later);
  const gpode::Matrix kept_back = Observe(later, 0.1, 2);
  const gpode::Scores scores = gpode::Score(forecast, model.noise_variance, kept_back);
  std::printf("mean squared error %.4f\n", scores.mse);
  std::printf("minus log likelihood %.3f per value\n", scores.mnll);
  std::printf("CRPS %.4f\n", scores.crps);
  std::printf("90 %% bands cover %.0f %%\n", 100 * scores.coverage_90);
  std::printf("%zu values, %zu diverged draws\n", scores.values, scores.diverged);
}
