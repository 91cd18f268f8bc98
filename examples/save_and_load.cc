// Trains with checkpoints, stops half-way, resumes from the model file and forecasts from it.
#include <gpode/gpode.h>

#include <cstdio>

int main() {
  const gpode::Simulation seen =
      gpode::Simulate({.system = "vdp", .points = 40, .noise_variance = {0.01}});
  const gpode::FitOptions options =
      gpode::ParseOptions("bound = \"shooting\"\nsteps = 600\n", "example");
  gpode::FitControl control;
  control.checkpoint = "example.gpode";  // written at the end, and every 200 steps
  control.checkpoint_steps = 200;
  control.report = [](const gpode::Progress& progress) { return progress.step < 300; };
  try {
    gpode::TrainedModel run = gpode::Train(seen.data, options, control);
    std::printf("stopped: %s after %zu records\n", run.finished ? "finished" : "not finished",
                run.history.size());

    run = gpode::Resume("example.gpode");  // The result has the same bits as without the stop.
    std::printf("resumed: bound %.2f at step %zu of %zu\n", run.history.back().bound,
                run.history.back().step + 1, run.history.back().steps);

    const gpode::Model model = gpode::LoadModel("example.gpode");
    const gpode::Forecast forecast =
        gpode::ForecastTrajectory(model, 0, gpode::RegularTimes(7, 8, 2));
    std::printf("x(8) = %.2f\n", forecast.Quantile(0.5)(1, 0));
  } catch (const gpode::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
