// Checks that the parts of a model fit together. See gpode/model.h.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gpode/error.h"
#include "gpode/model.h"
#include "model/check_shapes.h"
#include "model/model_draws.h"

namespace gpode {
namespace {

constexpr std::string_view kWhere = "model";

// Checks one vector of constrained values, such as one row of a sampler's draws.
void CheckValues(const ParameterLayout& layout, std::string_view where,
                 std::span<const double> values) {
  for (std::size_t b = 0; b < layout.blocks().size(); ++b) {
    const ParameterBlock& block = layout.blocks()[b];
    const std::span<const double> own = layout.Values(b, values);
    CheckFinite(where, block.name, own);
    if (block.transform == Transform::kPositive) CheckPositive(where, block.name, own);
    if (block.transform != Transform::kLowerTriangular || block.value_size == 0) continue;
    const std::size_t n = block.shape.back();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i % n > i / n % n && own[i] != 0) {
        ThrowInput(where, block.name, "has values above the diagonal");
      }
    }
  }
}

void CheckParameters(const Model& m, const ModelParts& parts) {
  const ParameterLayout& expected = parts.layout();
  const ParameterLayout& found = m.parameters.layout;
  for (const ParameterBlock& block : expected.blocks()) {
    if (!found.Has(block.name)) {
      ThrowInput(kWhere, "parameters",
                 fmt::format("has no '{}', which its options ask for", block.name));
    }
    if (found.Find(block.name).shape != block.shape) {
      ThrowInput(kWhere, block.name,
                 fmt::format("has shape {}, must have {}", ShapeText(found.Find(block.name).shape),
                             ShapeText(block.shape)));
    }
  }
  CheckSize(kWhere, "the number of parameters", found.blocks().size(), expected.blocks().size());
  CheckSize(kWhere, "values", m.parameters.values.size(), found.value_size());
  CheckValues(found, kWhere, m.parameters.values);
}

void CheckDraws(const Model& m) {
  if (m.draws.rows() == 0) return;  // The model was trained, or its sampler has not finished yet.
  CheckSize(kWhere, "a row of draws", static_cast<std::size_t>(m.draws.cols()),
            m.parameters.layout.value_size());
  for (Eigen::Index row = 0; row < m.draws.rows(); ++row) {
    CheckValues(m.parameters.layout, "draws",
                {m.draws.row(row).data(), static_cast<std::size_t>(m.draws.cols())});
  }
}

void CheckShootingStates(const Model& m) {
  const std::size_t count = m.shooting_trajectory.size(), trajectories = m.start_times.size();
  CheckSize(kWhere, "shooting_times", m.shooting_times.size(), count);
  CheckFinite(kWhere, "shooting_times", m.shooting_times);
  for (std::size_t i = 0; i < count; ++i) {
    if (m.shooting_trajectory[i] >= trajectories) {
      ThrowInput(kWhere, "shooting_trajectory", "names a trajectory that the model does not have");
    }
    if (i > 0 && std::pair(m.shooting_trajectory[i - 1], m.shooting_times[i - 1]) >=
                     std::pair(m.shooting_trajectory[i], m.shooting_times[i])) {
      ThrowInput(kWhere, "shooting states", "must be ordered by trajectory and time");
    }
  }
}

void CheckInputs(const Model& m) {
  CheckSize(kWhere, "input_scale", m.coordinates.inputs(), m.input_rule().size());
  CheckPositive(kWhere, "period", m.options.period);
  CheckSize(kWhere, "input_samples", m.input_samples.size(),
            m.inputs.empty() ? 0 : m.start_times.size());
  for (const InputSamples& samples : m.input_samples) {
    CheckAtLeast(kWhere, "the number of input samples", std::ssize(samples.times), 1);
    CheckFinite(kWhere, "input_times", samples.times);
    for (std::size_t i = 1; i < samples.times.size(); ++i) {
      if (!(samples.times[i] > samples.times[i - 1])) {
        ThrowInput(kWhere, "input_times", "must increase");
      }
    }
    CheckMatrix(kWhere, "input_values", samples.values, samples.times.size(), m.inputs.size());
  }
}

}  // namespace

ObservationNoise Model::noise_on_link_scale() const {
  const Likelihood& likelihood = GetLikelihood(options.likelihood);
  const std::span<const double> own = parameters[likelihood.parameter_name()];
  return {&likelihood, Eigen::Map<const Vector>(own.data(), static_cast<Eigen::Index>(own.size()))};
}

Matrix Model::ObservedStates(const Matrix& values) const {
  const std::vector<Link> own = links();
  Matrix on_scale = values;
  for (std::size_t c = 0; c < own.size(); ++c) {
    for (double& y : on_scale.col(static_cast<Eigen::Index>(c))) {
      y = IsAccepted(own[c], y) ? ToLink(own[c], y) : NAN;
    }
  }
  return coordinates.ToUser(map.StatesOf(on_scale));
}

ObservationNoise Model::noise() const {
  ObservationNoise noise = noise_on_link_scale();
  noise.likelihood = &GetLikelihood(LinkedLikelihoodName(options.likelihood, links()));
  return noise;
}

void CheckModel(const Model& model) {
  CheckAtLeast(kWhere, "the number of channels", std::ssize(model.channels), 1);
  CheckMap(kWhere, model.map, model.coordinates, model.channels.size());
  if (const std::size_t links = model.links().size(); links > 0) {
    CheckSize(kWhere, "positive", links, model.channels.size());
    CheckLinkedLikelihoods(model.options.likelihood, model.links());
  }
  CheckFinite(kWhere, "start_times", model.start_times);
  CheckSize(kWhere, "end_times", model.end_times.size(), model.start_times.size());
  CheckFinite(kWhere, "end_times", model.end_times);
  CheckShootingStates(model);
  CheckInputs(model);
  CheckNoisePieces(kWhere, model.noise_pieces, model.start_times, model.end_times);
  CheckParameters(model, ModelParts(model.options, ShapeOf(model)));
  CheckDraws(model);
  CheckWidening(model.widening, model.channels.size(), model.start_times.size());
}

}  // namespace gpode
