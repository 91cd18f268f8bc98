// Puts the values of a Start into the parameters of a model. The initial inducing values (paper,
// section S2.2) are computed in model/initial_inducing_values.cc.
#include "train/start_values.h"

#include <algorithm>

namespace gpode {
namespace {

// The standard deviation of the posterior of a state at the start of training, in units of how much
// the states vary along the data.
constexpr double kStateDeviation = 0.1;
// The standard deviation of process noise, per square root of the model's time.
constexpr double kProcessNoise = 0.1;

}  // namespace

std::vector<double> StartNoise(const Likelihood& likelihood, const Vector& variances) {
  const auto channels = static_cast<std::size_t>(variances.size());
  std::vector<double> parameters(channels * likelihood.parameters_per_channel());
  for (std::size_t c = 0; c < channels; ++c) {
    const std::span<double> own = likelihood.OfChannel(c, std::span(parameters));
    std::ranges::fill(own, 1.0);
    likelihood.ForChannel(c).SetVariance(variances[static_cast<Eigen::Index>(c)], own);
  }
  return parameters;
}

std::vector<double> StartValues(const ModelParts& parts, const Start& start,
                                const Segmentation& cut) {
  const LatentLayout& latent = parts.latent();
  std::vector<double> values(parts.layout().value_size());
  std::vector<double> mean(latent.size()), deviation(latent.size());
  const std::span<double> z(mean), spread(deviation);
  std::ranges::copy(start.function.latent, latent.Part(ModelParts::kFunction, z).begin());
  std::ranges::fill(latent.Part(ModelParts::kFunction, spread), parts.function().start_deviation());
  std::copy_n(start.x0.data(), start.x0.size(), latent.Part(ModelParts::kInitial, z).begin());
  for (std::size_t part : {ModelParts::kInitial, ModelParts::kShooting}) {
    const std::span<double> own = latent.Part(part, spread);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = kStateDeviation * start.spread[static_cast<Eigen::Index>(i % parts.shape().dim)];
    }
  }
  for (const Segment& segment : cut.segments) {
    if (segment.state == Segment::kNone) continue;
    // A segment starts at its shooting state, at the time of the last observation before it.
    const auto row = static_cast<Eigen::Index>(segment.first) - 1;
    const Matrix& states = start.states[segment.trajectory];
    std::copy_n(states.row(row).data(), states.cols(),
                latent.Item(ModelParts::kShooting, segment.state, z).begin());
  }
  parts.WriteHyperparameters(start.function, values);
  parts.posterior().Initialise(mean, deviation, values);
  std::ranges::copy(StartNoise(parts.likelihood(), start.noise_variance),
                    parts.LikelihoodParameters(std::span(values)).begin());
  if (parts.HasProcessNoise()) {
    std::ranges::fill(parts.layout().Values(parts.process_noise_block(), std::span(values)),
                      kProcessNoise);
  }
  return values;
}

std::unique_ptr<Bound> MakeBound(const FitOptions& options, const Start& start,
                                 const ModelParts& parts, std::vector<TimedValues> trajectories,
                                 Segmentation cut, NoisePieces pieces) {
  parts.function().SetStart(start.function);
  const std::size_t draws = parts.posterior().is_point_estimate() ? 1 : options.draws;
  auto bound = std::make_unique<Bound>(parts, start.map, std::move(trajectories), std::move(cut),
                                       options.solver, draws, std::move(pieces));
  bound->channel_weights.assign(start.channel_weights.begin(), start.channel_weights.end());
  return bound;
}

Model UntrainedModel(const Dataset& data, const FitOptions& options, const Start& start) {
  Model model;
  model.options = options;
  model.channels = data.channels;
  model.inputs = data.inputs;
  model.map = start.map;
  model.coordinates = start.coordinates;
  for (const Trajectory& t : data.trajectories) {
    model.start_times.push_back(t.start());
    if (!data.inputs.empty()) model.input_samples.push_back(t.inputs);
    model.end_times.push_back(t.times.back());
  }
  return model;
}

}  // namespace gpode
