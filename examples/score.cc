// Scores a forecast against held-out data.
#include <gpode/gpode.h>

#include <cstdio>

int main() {
  const gpode::Simulation seen =
      gpode::Simulate({.system = "vdp", .points = 40, .noise_variance = {0.01}});
  gpode::FitOptions options;
  options.steps = 1000;  // fewer than by default, to save time
  const gpode::Model model = gpode::Fit(seen.data, options);

  const std::vector<double> later = gpode::RegularTimes(7.2, 10.5, 20);
  const gpode::Forecast forecast = gpode::ForecastTrajectory(model, 0, later);
  const gpode::Matrix held_out = gpode::SolveSystem("vdp", seen.start(0), later);
  const gpode::Scores scores = gpode::Score(forecast, forecast.noise, held_out);
  std::printf("mean squared error %.4f\n", scores.mse);
  std::printf("minus log likelihood %.3f per value\n", scores.mnll);
  std::printf("CRPS %.4f\n", scores.crps);
  std::printf("90 %% bands cover %.0f %%\n", 100 * scores.coverage_90);
  std::printf("%zu values, %zu diverged draws\n", scores.values, scores.diverged);
}
