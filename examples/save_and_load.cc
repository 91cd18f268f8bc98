// Trains with checkpoints, stops half-way, resumes from the file, forecasts from it.
#include <gpode/gpode.h>

#include <cstdio>

#include "simulated.h"

int main() {
  const std::vector<double> times = Regular(0, 7, 40);
  const gpode::Dataset data{.channels = {"x", "y"},
                            .trajectories = {{"run 1", times, Observe(times, 0.1, 1), {}}}};
  const gpode::FitOptions options =
      gpode::ParseOptions("bound = \"shooting\"\nsteps = 600\n", "example");
  gpode::FitControl control;
  control.checkpoint = "example.gpode";  // written at the end, and every 200 steps
  control.checkpoint_steps = 200;
  control.report = [](const gpode::Progress& progress) { return progress.step < 300; };
  try {
    gpode::TrainedModel run = gpode::Train(data, options, control);
    std::printf("stopped: %s after %zu records\n", run.finished ? "finished" : "not finished",
                run.history.size());

    run = gpode::Resume("example.gpode");  // the same bits as without the stop
    std::printf("resumed: bound %.2f at step %zu of %zu\n", run.history.back().bound,
                run.history.back().step + 1, run.history.back().steps);

    const gpode::Model model = gpode::LoadModel("example.gpode");
    const gpode::Forecast forecast = gpode::ForecastTrajectory(model, 0, Regular(7, 8, 2));
    std::printf("x(8) = %.2f\n", forecast.Quantile(0.5)(1, 0));
  } catch (const gpode::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
