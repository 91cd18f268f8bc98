#include "train/problem.h"

#include <algorithm>

#include "gpode/mlp.h"
#include "model/gp_posterior.h"
#include "model/network_posterior.h"

namespace gpode {
namespace {

// Of the weights at the start, in units of their prior.
constexpr double kWeightSpread = 0.02;

// How much longer than at the start the lengthscales of a point are expected to be.
constexpr double kSmooth = 4;

// How much the prior of weights counts.
double PriorShare(const FitOptions& options) {
  if (options.model == ModelKind::kNeural) return options.neural.weight_decay;
  return options.model == ModelKind::kNeuralVi ? options.neural.kl_weight : 1.0;
}

}  // namespace

ModelParameters ParametersOf(const FitOptions& options, const Start& start,
                             std::size_t trajectories, std::size_t shooting_states) {
  ModelShape shape{.dim = start.map.dim(),
                   .channels = start.map.channels(),
                   .trajectories = trajectories,
                   .shooting_states = shooting_states};
  if (IsNetwork(options.model)) {
    shape.weights = Mlp(shape.dim, options.neural.hidden).parameter_count();
  } else {
    shape.inducing = options.inducing;
    shape.shared_hyperparameters = options.shared_hyperparameters;
  }
  return ModelParameters(shape);
}

std::unique_ptr<Bound> MakeBound(const FitOptions& options, const Start& start,
                                 std::vector<TimedValues> trajectories, Segmentation cut,
                                 const ModelParameters& parameters, Knowledge knowledge) {
  const std::size_t draws = knowledge == Knowledge::kPoint ? 1 : options.draws;
  std::unique_ptr<FieldPosterior> fields =
      IsNetwork(options.model)
          ? MakeNetworkPosterior(parameters, {.hidden = options.neural.hidden,
                                              .prior_scale = options.neural.prior_scale,
                                              .share = PriorShare(options),
                                              .draws = draws,
                                              .knowledge = knowledge})
          : MakeGpPosterior(parameters, {.kernel = GetKernel(options.kernel),
                                         .jitter = options.jitter,
                                         .features = options.features,
                                         .draws = draws,
                                         .precision = options.precision,
                                         .knowledge = knowledge,
                                         .lengthscales = kSmooth * start.gp.lengthscales,
                                         .variances = start.gp.variances});
  auto bound = std::make_unique<Bound>(std::move(fields), start.map, std::move(trajectories),
                                       std::move(cut), parameters, options.solver, knowledge);
  bound->channel_weights.assign(start.channel_weights.begin(), start.channel_weights.end());
  return bound;
}

void WriteField(const Start& start, const ModelParameters& parameters, std::span<double> values) {
  if (parameters.shape().weights == 0) return parameters.WriteGp(start.gp, values);
  const std::span<double> mean = parameters.layout().Values(parameters.weight_mean, values);
  std::copy_n(start.weights.data(), mean.size(), mean.begin());
  std::ranges::fill(parameters.layout().Values(parameters.weight_deviation, values), kWeightSpread);
}

void CopyBlocks(const ModelParameters& from, std::span<const double> from_flat,
                const ModelParameters& to, std::span<double> to_flat) {
  for (const ParameterBlock& block : from.layout().blocks()) {
    const ParameterBlock& own = to.layout().Find(block.name);
    if (own.flat_size != block.flat_size) continue;
    std::copy_n(from_flat.begin() + static_cast<std::ptrdiff_t>(block.flat_offset), block.flat_size,
                to_flat.begin() + static_cast<std::ptrdiff_t>(own.flat_offset));
  }
}

Model ModelWithout(const Dataset& data, const FitOptions& options, const Start& start) {
  Model model;
  model.options = options;
  model.channels = data.channels;
  model.map = start.map;
  model.state_scale = start.state_scale;
  model.state_offset = start.state_offset;
  model.time_scale = start.time_scale;
  for (const Trajectory& t : data.trajectories) {
    model.start_times.push_back(t.start());
    model.end_times.push_back(t.times.back());
  }
  const auto d = static_cast<Eigen::Index>(start.map.dim());
  model.shooting_mean.resize(0, d);
  model.shooting_chol.resize(0, d * d);
  return model;
}

}  // namespace gpode
