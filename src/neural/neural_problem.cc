#include "neural/neural_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpode {

Vector NeuralProblem::WeightsOf(std::span<const double> flat) const {
  return weight_scale.cwiseProduct(Eigen::Map<const Vector>(flat.data(), weight_scale.size()));
}

Vector NeuralProblem::StatesOf(std::span<const double> flat) const {
  return Eigen::Map<const Vector>(flat.data() + weights(), static_cast<Eigen::Index>(states()));
}

Vector NeuralProblem::NoiseOf(std::span<const double> flat) const {
  const Eigen::Map<const Vector> last(flat.data() + weights() + states(), log_noise_centre.size());
  return (log_noise_centre + log_noise_deviation.cwiseProduct(last)).array().exp();
}

Vector WeightScales(std::size_t dim, const std::vector<std::size_t>& hidden, double prior_scale) {
  Vector scales(static_cast<Eigen::Index>(Mlp(dim, hidden).parameter_count()));
  Eigen::Index at = 0;
  std::size_t inputs = dim;
  for (std::size_t l = 0; l <= hidden.size(); ++l) {
    const std::size_t outputs = l < hidden.size() ? hidden[l] : dim;
    const auto count = static_cast<Eigen::Index>(inputs * outputs);
    scales.segment(at, count).setConstant(prior_scale / std::sqrt(static_cast<double>(inputs)));
    scales.segment(at + count, static_cast<Eigen::Index>(outputs)).setOnes();
    at += count + static_cast<Eigen::Index>(outputs);
    inputs = outputs;
  }
  return scales;
}

// What one thread needs to follow trajectories.
struct NeuralLikelihood::Workspace {
  Solver solver;
  SolveRecord record;
  std::vector<double> bstates;

  explicit Workspace(const SolverOptions& options) : solver(options) {}
};

NeuralLikelihood::NeuralLikelihood(const NeuralProblem& problem)
    : problem_(problem), network_(problem.dim(), problem.hidden) {
  std::size_t size = 0;
  for (const TimedValues& t : problem.trajectories) {
    first_state_.push_back(size);
    size += t.times.size() * problem.dim();
  }
  states_.resize(size);
}

NeuralLikelihood::~NeuralLikelihood() = default;

// Adds to sums: the gradient with respect to weights, all initial states and noise variances, then
// the log likelihood, then one if it diverged.
void NeuralLikelihood::Follow(std::size_t trajectory, std::span<const double> x0, Workspace& w,
                              std::span<double> sums) {
  const TimedValues& seen = problem_.trajectories[trajectory];
  const std::size_t d = problem_.dim(), channels = problem_.channels();
  const std::size_t count = seen.times.size(), weights = problem_.weights();
  const std::span<double> states = std::span(states_).subspan(first_state_[trajectory], count * d);
  const std::span<double> bnoise = sums.subspan(weights + problem_.states(), channels);
  const SolveResult result = w.solver.SolveRecorded(network_, x0.subspan(trajectory * d, d), 0.0,
                                                    seen.times, states, w.record);
  w.bstates.assign(count * d, 0.0);
  double loglik = 0;
  for (std::size_t i = 0; i < result.filled; ++i) {
    loglik += LogLikelihoodPullback(
        problem_.map, {noise_.data(), channels}, {seen.values.data() + i * channels, channels},
        states.subspan(i * d, d), std::span(w.bstates).subspan(i * d, d), bnoise);
  }
  w.solver.Pullback(network_, w.record, w.bstates, sums.subspan(weights + trajectory * d, d),
                    sums.first(weights));
  sums[sums.size() - 2] += loglik;
  sums[sums.size() - 1] += result.ok() ? 0 : 1;
}

double NeuralLikelihood::Evaluate(std::span<const double> flat, std::span<double> gradient,
                                  ThreadPool& pool) {
  const std::size_t weights = problem_.weights(), states = problem_.states();
  const Vector values = problem_.WeightsOf(flat);
  network_.SetParameters({values.data(), weights});
  noise_ = problem_.NoiseOf(flat);
  while (workspaces_.size() < pool.size()) {
    workspaces_.push_back(std::make_unique<Workspace>(problem_.solver));
  }
  totals_.assign(problem_.flat_size() + 2, 0.0);
  sum_.Run(pool, problem_.trajectories.size(), totals_, [&](std::size_t n, std::span<double> part) {
    Follow(n, flat.subspan(weights, states), *workspaces_[pool.WorkerIndex()], part);
  });
  if (!gradient.empty()) {
    std::copy_n(totals_.begin(), gradient.size(), gradient.begin());
    for (std::size_t i = 0; i < weights; ++i) gradient[i] *= problem_.weight_scale[i];
    for (std::size_t c = 0; c < problem_.channels(); ++c) {
      gradient[weights + states + c] *= problem_.log_noise_deviation[c] * noise_[c];
    }
  }
  const bool diverged = totals_.back() > 0;
  return diverged ? -std::numeric_limits<double>::infinity() : totals_[totals_.size() - 2];
}

}  // namespace gpode
