#include "predict/first_trajectories.h"

#include <algorithm>

#include "model/model_draws.h"

namespace gpode {
namespace {

// Returns the values of layout `to`. It has the blocks of layout `from`, some with fewer items;
// their values are those of the first items.
std::vector<double> FirstItems(const ParameterLayout& from, std::span<const double> values,
                               const ParameterLayout& to) {
  std::vector<double> kept(to.value_size());
  for (std::size_t b = 0; b < to.blocks().size(); ++b) {
    const std::span<const double> all = from.Values(from.Index(to.blocks()[b].name), values);
    const std::span<double> own = to.Values(b, std::span(kept));
    std::copy_n(all.begin(), own.size(), own.begin());
  }
  return kept;
}

}  // namespace

Model FirstTrajectories(const Model& model, std::size_t count) {
  if (count >= model.start_times.size()) return model;
  Model fewer = model;
  fewer.start_times.resize(count);
  fewer.end_times.resize(count);
  if (!fewer.inputs.empty()) fewer.input_samples.resize(count);
  if (!fewer.noise_pieces.empty()) fewer.noise_pieces.resize(count);
  if (!fewer.given.empty()) {
    const std::size_t dim = model.dim();
    fewer.given.starts =
        Matrix(model.given.starts.leftCols(static_cast<Eigen::Index>(count * dim)));
    const auto pieces = static_cast<Eigen::Index>(PiecesOf(model).Before(count) * dim);
    fewer.given.force = Matrix(model.given.force.leftCols(pieces));
  }
  const auto end = std::ranges::lower_bound(model.shooting_trajectory, count);
  const auto kept = static_cast<std::size_t>(end - model.shooting_trajectory.begin());
  fewer.shooting_trajectory.resize(kept);
  fewer.shooting_times.resize(kept);
  const auto gaps =
      static_cast<std::size_t>(std::ranges::lower_bound(model.widening.gap_trajectory, count) -
                               model.widening.gap_trajectory.begin());
  fewer.widening.gap_trajectory.resize(gaps);
  fewer.widening.gap_channel.resize(gaps);
  fewer.widening.gap_from.resize(gaps);
  fewer.widening.gap_to.resize(gaps);
  const ModelParts parts(model.options, ShapeOf(fewer));
  const ParameterLayout& all = model.parameters.layout;
  fewer.parameters = {parts.layout(), FirstItems(all, model.parameters.values, parts.layout())};
  fewer.draws.resize(model.draws.rows(), static_cast<Eigen::Index>(parts.layout().value_size()));
  for (Eigen::Index row = 0; row < model.draws.rows(); ++row) {
    const std::span<const double> values(model.draws.row(row).data(), all.value_size());
    std::ranges::copy(FirstItems(all, values, parts.layout()), fewer.draws.row(row).begin());
  }
  return fewer;
}

}  // namespace gpode
