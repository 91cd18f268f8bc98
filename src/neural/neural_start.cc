#include "neural/neural_start.h"

#include <cmath>

#include "data/moments.h"
#include "gpode/error.h"
#include "gpode/random.h"

namespace gpode {
namespace {

constexpr double kNoiseShare = 0.01;   // of a channel's variance: the prior's centre
constexpr double kNoiseDeviation = 2;  // of its logarithm

// What the initialisation of GPODE needs to know; its inducing points are not used.
FitOptions DataOptions(const NeuralOptions& o) {
  FitOptions options;
  options.observation = o.observation;
  options.states = o.states;
  options.observation_map = o.observation_map;
  options.noise_variance = o.noise_variance;
  options.scale = o.scale;
  options.seed = o.seed;
  options.inducing = 1;
  options.discount = false;
  return options;
}

void CheckOptions(const NeuralOptions& o) {
  constexpr const char* kName = "FitNeural";
  CheckAtLeast(kName, "steps", static_cast<std::ptrdiff_t>(o.steps), 1);
  CheckPositive(kName, "learning_rate", o.learning_rate);
  CheckNonNegative(kName, "weight_decay", o.weight_decay);
  CheckPositive(kName, "prior_scale", o.prior_scale);
  CheckPositive(kName, "kl_weight", o.kl_weight);
  CheckAtLeast(kName, "mean_field_steps", static_cast<std::ptrdiff_t>(o.mean_field_steps), 1);
  CheckAtLeast(kName, "mean_field_draws", static_cast<std::ptrdiff_t>(o.mean_field_draws), 1);
  if (!(o.validation_share >= 0 && o.validation_share < 1)) {
    ThrowInput(kName, "validation_share", "must be at least 0 and less than 1");
  }
}

// Least squares, and noise that was given: fixed. Otherwise the prior.
void SetNoise(const Dataset& data, const NeuralOptions& options, const Start& start,
              NeuralProblem& problem) {
  const bool fixed =
      options.inference == NeuralInference::kLeastSquares || !options.noise_variance.empty();
  const Vector units = MomentsOf(data).Units();
  const Vector centre = fixed ? start.noise_variance : Vector(kNoiseShare * units.cwiseAbs2());
  problem.log_noise_centre = centre.array().log();
  problem.log_noise_deviation = Vector::Constant(centre.size(), fixed ? 0.0 : kNoiseDeviation);
}

}  // namespace

NeuralStart StartNeural(const Dataset& data, const NeuralOptions& options) {
  CheckDataset(data);
  CheckOptions(options);
  const FitOptions data_options = DataOptions(options);
  CheckFit(data, data_options);
  NeuralStart start;
  start.data = Initialise(data, data_options, &start.slopes);
  start.states.resize(start.slopes.rows(), start.slopes.cols());
  Eigen::Index row = 0;
  for (const Matrix& states : start.data.states) {
    start.states.middleRows(row, states.rows()) = states;
    row += states.rows();
  }
  NeuralProblem& problem = start.problem;
  problem.map = start.data.map;
  problem.trajectories = InModelTime(data, start.data.time_scale);
  problem.hidden = options.hidden;
  problem.weight_scale = WeightScales(problem.dim(), options.hidden, options.prior_scale);
  problem.solver = options.solver;
  SetNoise(data, options, start.data, problem);
  return start;
}

std::vector<double> FirstGuess(const NeuralStart& start, std::uint64_t seed, std::uint64_t index) {
  const NeuralProblem& problem = start.problem;
  Mlp network(problem.dim(), problem.hidden);
  std::vector<double> normals(network.weight_count());
  RandomStream(seed, 0, index, Purpose::kInitialisation).Normals(normals);
  network.InitializeXavier(normals);
  std::vector<double> flat(problem.flat_size(), 0.0);
  for (std::size_t i = 0; i < problem.weights(); ++i) {
    flat[i] = network.parameters()[i] / problem.weight_scale[static_cast<Eigen::Index>(i)];
  }
  std::copy_n(start.data.x0.data(), problem.states(),
              flat.begin() + static_cast<std::ptrdiff_t>(problem.weights()));
  for (std::size_t c = 0; c < problem.channels(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    if (problem.log_noise_deviation[i] == 0) continue;
    flat[problem.weights() + problem.states() + c] =
        (std::log(start.data.noise_variance[i]) - problem.log_noise_centre[i]) /
        problem.log_noise_deviation[i];
  }
  return flat;
}

NeuralModel WithoutDraws(const Dataset& data, const NeuralOptions& options, const Start& start) {
  NeuralModel model;
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
  model.score = NAN;
  return model;
}

void SetDraws(const NeuralProblem& problem, const Matrix& flats, NeuralModel& model) {
  const Eigen::Index count = flats.rows();
  model.weights.resize(count, static_cast<Eigen::Index>(problem.weights()));
  model.x0.resize(count, static_cast<Eigen::Index>(problem.states()));
  model.noise_variance.resize(count, static_cast<Eigen::Index>(problem.channels()));
  for (Eigen::Index s = 0; s < count; ++s) {
    const std::span<const double> flat(flats.row(s).data(), problem.flat_size());
    model.weights.row(s) = problem.WeightsOf(flat).transpose();
    model.x0.row(s) = problem.StatesOf(flat).transpose();
    model.noise_variance.row(s) = problem.NoiseOf(flat).transpose();
  }
}

}  // namespace gpode
