// Where the Bayesian ways to learn a neural ODE start from.
#include <algorithm>
#include <memory>

#include "neural/climb.h"
#include "neural/neural_fit.h"

namespace gpode {
namespace {

constexpr std::size_t kSlopeSteps = 1000;
constexpr double kSlopeDeviation = 0.1;  // how well slopes are known, in units of their size

// log p(slopes | weights) + log p(weights), of the network's part of a flat vector.
class SlopeDensity {
 public:
  explicit SlopeDensity(const NeuralStart& start)
      : start_(start),
        network_(start.problem.dim(), start.problem.hidden),
        values_(start.states),
        cotangents_(start.states),
        bstates_(start.states),
        record_(network_.record_size() * static_cast<std::size_t>(start.states.rows())) {}

  double operator()(std::span<const double> flat, std::span<double> gradient) {
    const Vector weights = start_.problem.WeightsOf(flat);
    network_.SetParameters({weights.data(), flat.size()});
    const auto size = static_cast<std::size_t>(values_.size());
    const std::span<const double> x(start_.states.data(), size);
    network_.Record(x, {values_.data(), size}, record_);
    cotangents_ = (start_.slopes - values_) / (kSlopeDeviation * kSlopeDeviation);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    network_.Pullback(x, record_, {cotangents_.data(), size}, {bstates_.data(), size}, gradient);
    double sum = -0.5 * kSlopeDeviation * kSlopeDeviation * cotangents_.squaredNorm();
    for (std::size_t i = 0; i < flat.size(); ++i) {
      sum -= 0.5 * flat[i] * flat[i];
      gradient[i] *= start_.problem.weight_scale[static_cast<Eigen::Index>(i)];
      gradient[i] -= flat[i];
    }
    return sum;
  }

 private:
  const NeuralStart& start_;
  Mlp network_;
  Matrix values_, cotangents_, bstates_;
  std::vector<double> record_;
};

}  // namespace

LogDensity JointDensity(const NeuralProblem& problem) {
  struct State {
    NeuralLikelihood likelihood;
    ThreadPool pool{1};
    explicit State(const NeuralProblem& p) : likelihood(p) {}
  };
  return [state = std::make_shared<State>(problem)](std::span<const double> flat,
                                                    std::span<double> gradient) {
    double value = state->likelihood.Evaluate(flat, gradient, state->pool);
    for (std::size_t i = 0; i < flat.size(); ++i) {
      value -= 0.5 * flat[i] * flat[i];
      gradient[i] -= flat[i];
    }
    return value;
  };
}

std::vector<double> SlopeGuess(const NeuralStart& start, const NeuralOptions& options,
                               std::uint64_t index, std::size_t steps) {
  std::vector<double> flat = FirstGuess(start, options.seed, index);
  if (steps == 0) return flat;
  const auto size = static_cast<std::ptrdiff_t>(start.problem.weights());
  std::vector<double> weights(flat.begin(), flat.begin() + size);
  const auto density = std::make_shared<SlopeDensity>(start);
  const LogDensity objective = [density](std::span<const double> w, std::span<double> gradient) {
    return (*density)(w, gradient);
  };
  Climb(objective, {}, {.steps = steps, .learning_rate = options.learning_rate}, weights);
  std::copy(weights.begin(), weights.end(), flat.begin());
  return flat;
}

std::vector<double> MostProbable(const NeuralStart& start, const NeuralOptions& options,
                                 std::uint64_t index) {
  std::vector<double> flat = SlopeGuess(start, options, index, kSlopeSteps);
  const LogDensity free = JointDensity(start.problem);
  const std::size_t noise = start.problem.weights() + start.problem.states();
  const LogDensity held = [&](std::span<const double> point, std::span<double> gradient) {
    const double value = free(point, gradient);
    std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(noise), gradient.end(), 0.0);
    return value;
  };
  const ClimbOptions half{.steps = options.steps / 2 + 1, .learning_rate = options.learning_rate};
  Climb(held, {}, half, flat);
  Climb(free, {}, half, flat);
  return flat;
}

}  // namespace gpode
