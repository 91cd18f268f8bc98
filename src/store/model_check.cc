// Checks that the state of a training run fits its model and its data.
#include <fmt/format.h>

#include "gpode/error.h"
#include "gpode/options.h"
#include "model/check_shapes.h"
#include "model/model_draws.h"
#include "store/model_file.h"
#include "train/check_state.h"
#include "train/sampling_state.h"

namespace gpode::internal {
namespace {

constexpr std::string_view kStart = "start", kTraining = "training";

std::span<const double> Values(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

void CheckStart(const Start& start, const Dataset& data, const Model& model) {
  const std::size_t channels = data.channels.size(), dim = model.dim();
  CheckMap(kStart, start.map, start.coordinates, channels);
  CheckSize(kStart, "the number of states", start.map.dim(), dim);
  CheckVector(kStart, "spread", start.spread, dim);
  CheckPositive(kStart, "spread", Values(start.spread));
  CheckVector(kStart, "noise_variance", start.noise_variance, channels);
  CheckPositive(kStart, "noise_variance", Values(start.noise_variance));
  CheckVector(kStart, "channel_weights", start.channel_weights, channels);
  CheckPositive(kStart, "channel_weights", Values(start.channel_weights));
  CheckMatrix(kStart, "x0", start.x0, data.trajectories.size(), dim);
  CheckSize(kStart, "states", start.states.size(), data.trajectories.size());
  for (std::size_t i = 0; i < start.states.size(); ++i) {
    CheckMatrix(kStart, "states", start.states[i], data.trajectories[i].times.size(), dim);
  }
  const ModelParts parts(model.options, ShapeOf(model));
  CheckSize(kStart, "function/latent", start.function.latent.size(),
            parts.latent().parts()[ModelParts::kFunction].count());
  CheckFinite(kStart, "function/latent", start.function.latent);
  CheckFinite(kStart, "function/hyperparameters", start.function.hyperparameters);
  std::vector<double> values(parts.layout().value_size());
  parts.WriteHyperparameters(start.function, values);
  for (std::size_t b = 0; b < parts.hyperparameter_blocks(); ++b) {
    const ParameterBlock& block = parts.layout().blocks()[b];
    if (block.transform != Transform::kPositive) continue;
    CheckPositive(kStart, block.name, parts.layout().Values(b, std::span<const double>(values)));
  }
}

}  // namespace

void CheckTrainingState(const TrainingState& state, const Dataset& data, const Model& model) {
  CheckDataset(data);
  CheckSize("data", "trajectories", data.trajectories.size(), model.start_times.size());
  CheckStart(state.start, data, model);
  if (IsSampled(model.options)) {
    ThrowInput(kTraining, "flat", "is there, but a sampled model has no state of training");
  }
  CheckTrainerState(state.trainer, PlanOf(model.options, model.dim(), model.coordinates.inputs()),
                    model.parameters.layout.flat_size(),
                    model.start_times.size() + model.shooting_times.size());
  CheckTrainerNumbers(state.trainer);
}

void CheckSampling(const SamplingState& state) {
  constexpr std::string_view kWhere = "sampling";
  const auto check_finite = [&](std::string_view name, const Matrix& m) {
    CheckFinite(kWhere, name, {m.data(), static_cast<std::size_t>(m.size())});
  };
  for (const auto& chain : state.chains) {
    if (!chain) continue;
    const auto dim = static_cast<std::size_t>(chain->position.size());
    CheckAtLeast(kWhere, "the number of variables", chain->position.size(), 1);
    CheckVector(kWhere, "position", chain->position, dim);
    CheckFinite(kWhere, "further", chain->further);
    CheckPositive(kWhere, "step_size", chain->step_size);
    CheckSize(kWhere, "a row of inverse_mass", chain->inverse_mass.cols(), dim);
    check_finite("inverse_mass", chain->inverse_mass);
    CheckVector(kWhere, "moments/mean", chain->moments.mean, dim);
    CheckSize(kWhere, "a row of moments/squares", chain->moments.squares.cols(), dim);
    check_finite("moments/squares", chain->moments.squares);
    for (double value :
         {chain->averaging.centre, chain->averaging.error, chain->averaging.log_average}) {
      CheckFinite(kWhere, "averaging", value);
    }
    const std::size_t draws = chain->statistics.size();
    CheckSize(kWhere, "draws", chain->draws.rows(), draws);
    if (draws > 0) CheckSize(kWhere, "a row of draws", chain->draws.cols(), dim);
    check_finite("draws", chain->draws);
    if (draws > 0 && !chain->further.empty()) {
      CheckSize(kWhere, "further_draws", chain->further_draws.rows(), draws);
      CheckSize(kWhere, "a row of further_draws", chain->further_draws.cols(),
                chain->further.size());
    }
    check_finite("further_draws", chain->further_draws);
    if (draws > chain->iteration ||
        static_cast<double>(chain->moments.count) > static_cast<double>(chain->iteration)) {
      ThrowInput(kWhere, "iteration", "is less than the number of draws");
    }
  }
}

void CheckHoldout(const Holdout& holdout, const Dataset& data) {
  const std::vector<Trajectory>& held = holdout.held.trajectories;
  if (held.empty()) return;
  CheckSize("held", "trajectories", held.size(), data.trajectories.size());
  for (std::size_t n = 0; n < held.size(); ++n) {
    if (held[n].times.empty()) continue;
    Dataset seen{.channels = data.channels, .trajectories = {data.trajectories[n]}};
    Dataset rest{.channels = data.channels, .trajectories = {held[n]}};
    seen.inputs = rest.inputs = data.inputs;
    CheckDataset(Rejoin(seen, rest));
  }
}

}  // namespace gpode::internal
