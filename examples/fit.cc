// Learns a vector field from noisy observations, some of which are missing.
#include <gpode/gpode.h>

#include <cmath>
#include <cstdio>

int main() {
  // The data are times (T) and values (T, channels), with NaN for a missing value.
  const gpode::Simulation seen =
      gpode::Simulate({.system = "vdp", .points = 40, .noise_variance = {0.01}, .missing = 0.05});
  const gpode::Trajectory& run = seen.data.trajectories[0];
  const gpode::Dataset data{.channels = {"x", "y"},
                            .trajectories = {{"run 1", run.times, run.values, {}}}};

  gpode::FitOptions options;
  options.steps = 1000;  // fewer than by default, to save time
  const gpode::Model model = gpode::Fit(data, options, [](const gpode::Progress& progress) {
    if (progress.step % 200 == 0) std::printf("%5zu  %8.2f\n", progress.step, progress.bound);
    return true;  // Returning false would stop the training.
  });
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    std::printf("%s: noise %.3f, true 0.1\n", model.channels[c].c_str(),
                model.noise().Deviation(c));
  }
}
