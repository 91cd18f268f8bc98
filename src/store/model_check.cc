// Whether a model and a training state hang together.
#include <fmt/format.h>

#include <cmath>

#include "gpode/error.h"
#include "gpode/mlp.h"
#include "options/fit_options.h"
#include "store/model_file.h"
#include "train/training_state.h"

namespace gpode {
namespace {

std::span<const double> Values(const auto& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

void CheckMatrix(std::string_view where, std::string_view name, const Matrix& m, std::size_t rows,
                 std::size_t columns) {
  if (m.rows() != static_cast<Eigen::Index>(rows) ||
      m.cols() != static_cast<Eigen::Index>(columns)) {
    ThrowInput(where, name,
               fmt::format("is ({}, {}), must be ({}, {})", m.rows(), m.cols(), rows, columns));
  }
  CheckFinite(where, name, Values(m));
}

void CheckVector(std::string_view where, std::string_view name, const Vector& v, std::size_t size) {
  CheckSize(where, name, static_cast<std::size_t>(v.size()), size);
  CheckFinite(where, name, Values(v));
}

// Factors of covariances.
void CheckFactors(std::string_view where, std::string_view name, const std::vector<Matrix>& all,
                  std::size_t count, std::size_t size) {
  CheckSize(where, name, all.size(), count);
  for (const Matrix& m : all) {
    CheckMatrix(where, name, m, size, size);
    if (!m.isLowerTriangular(0)) ThrowInput(where, name, "has values above the diagonal");
  }
}

void CheckGp(std::string_view where, const GpParameters& gp, const FitOptions& options,
             std::size_t dim) {
  const std::size_t rows = options.shared_hyperparameters ? 1 : dim;
  CheckMatrix(where, "gp/inducing_locations", gp.inducing_locations, options.inducing, dim);
  CheckMatrix(where, "gp/inducing_mean", gp.inducing_mean, dim, options.inducing);
  CheckFactors(where, "gp/inducing_chol", gp.inducing_chol, dim, options.inducing);
  CheckMatrix(where, "gp/lengthscales", gp.lengthscales, rows, dim);
  CheckPositive(where, "gp/lengthscales", Values(gp.lengthscales));
  CheckVector(where, "gp/variances", gp.variances, rows);
  CheckPositive(where, "gp/variances", Values(gp.variances));
}

// What model and start have in common.
template <typename T>
void CheckCommon(std::string_view where, const T& m, const FitOptions& options,
                 std::size_t channels) {
  const std::size_t dim = m.map.dim();
  CheckAtLeast(where, "the number of states", static_cast<std::ptrdiff_t>(dim), 1);
  CheckMatrix(where, "map/matrix", m.map.matrix, channels, dim);
  CheckVector(where, "map/offset", m.map.offset, channels);
  CheckVector(where, "state_scale", m.state_scale, dim);
  CheckPositive(where, "state_scale", Values(m.state_scale));
  CheckVector(where, "state_offset", m.state_offset, dim);
  CheckPositive(where, "time_scale", m.time_scale);
  CheckVector(where, "noise_variance", m.noise_variance, channels);
  CheckPositive(where, "noise_variance", Values(m.noise_variance));
  if (!IsNetwork(options.model)) CheckGp(where, m.gp, options, dim);
}

// The numbers of weights, draws and coordinates of draws must be those of the options.
void CheckLearnt(std::string_view where, const Model& m) {
  const FitOptions& o = m.options;
  const std::size_t rows = o.shared_hyperparameters ? 1 : m.dim();
  std::size_t width = m.dim() * o.inducing + rows * (m.dim() + 1);
  if (IsNetwork(o.model)) {
    width = Mlp(m.dim(), o.neural.hidden).parameter_count();
    CheckVector(where, "network/mean", m.network.mean, width);
    CheckVector(where, "network/deviation", m.network.deviation, width);
  }
  if (!IsSampled(o.model)) return;
  CheckAtLeast(where, "the number of draws", m.draws.field.rows(), 1);
  const std::size_t count = m.draws.count();
  CheckMatrix(where, "draws/field", m.draws.field, count, width);
  CheckMatrix(where, "draws/x0", m.draws.x0, count, m.start_times.size() * m.dim());
  CheckMatrix(where, "draws/noise_variance", m.draws.noise_variance, count, m.channels.size());
  CheckPositive(where, "draws/noise_variance", Values(m.draws.noise_variance));
  if (IsNetwork(o.model)) return;
  const Matrix hyper = m.draws.field.rightCols(static_cast<Eigen::Index>(rows * (m.dim() + 1)));
  CheckPositive(where, "draws/field", Values(hyper));
}

void CheckShootingStates(std::string_view where, const Model& m) {
  const std::size_t count = m.shooting_trajectory.size(), trajectories = m.start_times.size();
  CheckSize(where, "end_times", m.end_times.size(), trajectories);
  CheckFinite(where, "end_times", m.end_times);
  CheckSize(where, "shooting_times", m.shooting_times.size(), count);
  CheckFinite(where, "shooting_times", m.shooting_times);
  CheckMatrix(where, "shooting_mean", m.shooting_mean, count, m.dim());
  CheckMatrix(where, "shooting_chol", m.shooting_chol, count, m.dim() * m.dim());
  for (std::size_t trajectory : m.shooting_trajectory) {
    if (trajectory >= trajectories) {
      ThrowInput(where, "shooting_trajectory", "names a trajectory that is not there");
    }
  }
}

}  // namespace

void CheckModel(const Model& model) {
  constexpr std::string_view kWhere = "model";
  internal::CheckRanges(model.options, "options");
  GetKernel(model.options.kernel);
  CheckAtLeast(kWhere, "the number of channels", static_cast<std::ptrdiff_t>(model.channels.size()),
               1);
  CheckCommon(kWhere, model, model.options, model.channels.size());
  CheckLearnt(kWhere, model);
  CheckFinite(kWhere, "start_times", model.start_times);
  CheckMatrix(kWhere, "x0_mean", model.x0_mean, model.start_times.size(), model.dim());
  CheckFactors(kWhere, "x0_chol", model.x0_chol, model.start_times.size(), model.dim());
  CheckShootingStates(kWhere, model);
}

void internal::CheckTrainingState(const TrainingState& state, const Dataset& data,
                                  const Model& model) {
  constexpr std::string_view kWhere = "start";
  const Start& start = state.start;
  CheckDataset(data);
  CheckSize("data", "trajectories", data.trajectories.size(), model.start_times.size());
  CheckCommon(kWhere, start, model.options, data.channels.size());
  CheckSize(kWhere, "the number of states", start.map.dim(), model.dim());
  CheckVector(kWhere, "channel_weights", start.channel_weights, data.channels.size());
  CheckPositive(kWhere, "channel_weights", Values(start.channel_weights));
  CheckMatrix(kWhere, "x0", start.x0, data.trajectories.size(), start.map.dim());
  CheckSize(kWhere, "states", start.states.size(), data.trajectories.size());
  for (std::size_t i = 0; i < start.states.size(); ++i) {
    CheckMatrix(kWhere, "states", start.states[i], data.trajectories[i].times.size(),
                start.map.dim());
  }
  if (IsNetwork(model.options.model)) {
    CheckVector(kWhere, "weights", start.weights,
                static_cast<std::size_t>(model.network.mean.size()));
  }
  CheckFinite("training", "flat", state.trainer.flat);
  CheckFinite("training", "best_flat", state.trainer.best_flat);
}

}  // namespace gpode
