// The fuzz target of everything that is done with a model file after it is loaded: a forecast, and
// a few steps of training. Checksums are not verified. Large models are skipped, and options that
// cost much time are lowered.
#include <algorithm>
#include <span>

#include "fuzz.h"
#include "gpode/options.h"
#include "gpode/posterior.h"
#include "run/resume.h"
#include "store/model_file.h"

namespace {

using gpode::TrainedModel;

bool IsSmall(const TrainedModel& trained) {
  for (std::size_t width : trained.model.options.neural.hidden) {
    if (width > 64) return false;
  }
  return trained.model.options.neural.hidden.size() <= 4 && trained.model.channels.size() <= 8 &&
         trained.model.dim() <= 8 && trained.model.start_times.size() <= 8 &&
         trained.model.options.inducing <= 32 && trained.model.options.features <= 256 &&
         trained.data.observed() <= 1000 && trained.validation.observed() <= 1000;
}

void MakeCheap(gpode::FitOptions& options) {
  options.threads = 1;
  options.draws = std::min<std::size_t>(options.draws, 2);
  options.solver.max_steps = std::min<std::size_t>(options.solver.max_steps, 50);
}

void Forecast(const gpode::Model& model) {
  if (model.start_times.empty()) return;
  const std::vector<double> times = {model.start_times[0], model.end_times[0]};
  if (times[0] > times[1]) return;
  const gpode::Posterior posterior(model);
  const gpode::Forecast forecast =
      posterior.Trajectory(0, times, {.draws = 2, .threads = 1, .states = true});
  forecast.Quantile(0.5);
  forecast.PredictiveQuantile(0.95);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSteps = 3;
  gpode::fuzz::ReadsOrRefuses([&] {
    TrainedModel trained = gpode::internal::ParseModel(std::as_bytes(std::span(data, size)), "f");
    if (!IsSmall(trained)) return;
    const bool sampled = gpode::IsSampled(trained.model.options);
    MakeCheap(trained.model.options);
    Forecast(trained.model);
    // A sampler computes its start again, and its first steps may take long.
    if (sampled) return;
    std::size_t steps = 0;
    gpode::FitControl control;
    control.report = [&](const gpode::Progress&) { return ++steps < kSteps; };
    trained.finished = false;
    gpode::internal::ResumeSaved(std::move(trained), "f", control);
  });
  return 0;
}
