// NeuralODE: squared error, early stopping on validation data.
#include <cmath>

#include "neural/climb.h"
#include "neural/neural_fit.h"
#include "neural/validation.h"

namespace gpode {
namespace {

// Mean squared residuals (channels) of the last evaluation, over all data.
Vector Residuals(const NeuralProblem& problem, const std::vector<double>& states) {
  Vector sum = Vector::Zero(problem.log_noise_centre.size()), count = sum;
  const auto d = static_cast<Eigen::Index>(problem.dim());
  const double* at = states.data();
  for (const TimedValues& t : problem.trajectories) {
    const Matrix x = Eigen::Map<const Matrix>(at, t.values.rows(), d);
    at += x.size();
    const Matrix away = t.values - problem.map.Apply(x);
    const Eigen::Array<bool, -1, -1, Eigen::RowMajor> missing = away.array().isNaN();
    sum += missing.select(0.0, away).colwise().squaredNorm().transpose();
    count += (!missing).cast<double>().matrix().colwise().sum().transpose();
  }
  return sum.cwiseQuotient(count.cwiseMax(1.0));
}

}  // namespace

void FitLeastSquares(const NeuralStart& start, const Dataset& validation, NeuralModel& model) {
  const NeuralOptions& options = model.options;
  ThreadPool pool(options.threads);
  NeuralProblem training = start.problem;
  const std::unique_ptr<Validation> held = MakeValidation(start, options, validation, training);
  NeuralLikelihood likelihood(training);
  const LogDensity objective = [&](std::span<const double> flat, std::span<double> gradient) {
    double value = likelihood.Evaluate(flat, gradient, pool);
    for (std::size_t i = 0; i < training.weights(); ++i) {
      value -= 0.5 * options.weight_decay * flat[i] * flat[i];
      gradient[i] -= options.weight_decay * flat[i];
    }
    return value;
  };
  PointScore score;
  if (held) score = [&](std::span<const double> flat) { return held->Score(flat, pool); };
  std::vector<double> flat = SlopeGuess(start, options, 0, options.slope_steps);
  const ClimbResult climb = Climb(objective, score,
                                  {.steps = options.steps,
                                   .learning_rate = options.learning_rate,
                                   .patience = held ? options.patience : 0},
                                  flat);
  if (!std::isfinite(climb.score)) model.warning = "no step of the training could be integrated";
  if (held) model.score = -climb.score;
  SetDraws(start.problem, Eigen::Map<const Matrix>(flat.data(), 1, flat.size()), model);
  NeuralLikelihood all(start.problem);
  if (std::isfinite(all.Evaluate(flat, {}, pool)) && options.noise_variance.empty()) {
    model.noise_variance.row(0) = Residuals(start.problem, all.states()).transpose();
  }
}

}  // namespace gpode
