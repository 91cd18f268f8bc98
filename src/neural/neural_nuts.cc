// Bayesian NeuralODE with draws by the No-U-Turn sampler.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "gpode/error.h"
#include "neural/gauss_newton.h"
#include "neural/neural_fit.h"

namespace gpode {
namespace {

constexpr std::size_t kComparedTimes = 20;  // per trajectory, by whose states chains are compared

// The draws of a chain replaced by what they say of initial states, noise, and states at some times
// of the data.
NutsChain WhatIsKnown(const NeuralProblem& problem, const NutsChain& chain) {
  NutsChain known = chain;
  if (chain.draws.rows() == 0) return known;
  NeuralLikelihood likelihood(problem);
  ThreadPool pool(1);
  const std::size_t d = problem.dim(), skipped = problem.weights();
  std::vector<double> row;
  for (Eigen::Index s = 0; s < chain.draws.rows(); ++s) {
    const std::span<const double> flat(chain.draws.row(s).data(), problem.flat_size());
    row.assign(flat.begin() + static_cast<std::ptrdiff_t>(skipped), flat.end());
    likelihood.Evaluate(flat, {}, pool);
    const double* states = likelihood.states().data();
    for (const TimedValues& t : problem.trajectories) {
      const std::size_t gap = t.times.size() / kComparedTimes + 1;
      for (std::size_t i = 0; i < t.times.size(); i += gap) {
        row.insert(row.end(), states + i * d, states + (i + 1) * d);
      }
      states += t.times.size() * d;
    }
    if (s == 0) known.draws.resize(chain.draws.rows(), static_cast<Eigen::Index>(row.size()));
    known.draws.row(s) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), known.draws.cols());
  }
  // Noise that was given has no draws.
  if (problem.log_noise_deviation.isZero(0)) {
    const auto states = static_cast<Eigen::Index>(problem.states());
    const auto channels = static_cast<Eigen::Index>(problem.channels());
    const Eigen::Index rest = known.draws.cols() - states - channels;
    const Matrix without = known.draws.rightCols(rest);
    known.draws.conservativeResize(Eigen::NoChange, states + rest);
    known.draws.rightCols(rest) = without;
  }
  return known;
}

SamplerReport Report(const NeuralProblem& problem, const NutsResult& result, std::size_t threads) {
  NutsResult known{.dim = 0,
                   .max_depth = result.max_depth,
                   .chains = std::vector<NutsChain>(result.chains.size())};
  ThreadPool pool(threads);
  pool.For(known.chains.size(),
           [&](std::size_t c) { known.chains[c] = WhatIsKnown(problem, result.chains[c]); });
  for (const NutsChain& chain : known.chains) {
    if (chain.draws.rows() > 0) known.dim = static_cast<std::size_t>(chain.draws.cols());
  }
  return Diagnose(known, threads);
}

// Trained networks, one for each chain.
Matrix Starts(const NeuralStart& start, const NeuralOptions& options) {
  Matrix starts(static_cast<Eigen::Index>(options.nuts.chains),
                static_cast<Eigen::Index>(start.problem.flat_size()));
  ThreadPool pool(options.threads);
  pool.For(options.nuts.chains, [&](std::size_t c) {
    const std::vector<double> flat = MostProbable(start, options, c);
    starts.row(static_cast<Eigen::Index>(c)) =
        Eigen::Map<const Eigen::RowVectorXd>(flat.data(), starts.cols());
  });
  return starts;
}

std::vector<Matrix> MassMatrices(const NeuralProblem& problem, const NutsOptions& options) {
  std::vector<Matrix> inverse_mass(static_cast<std::size_t>(options.starts.rows()));
  ThreadPool pool(options.threads);
  pool.For(inverse_mass.size(), [&](std::size_t c) {
    const double* flat = options.starts.row(static_cast<Eigen::Index>(c)).data();
    inverse_mass[c] = InverseOf(GaussNewton(problem, {flat, problem.flat_size()}));
  });
  return inverse_mass;
}

}  // namespace

void FitNuts(const NeuralStart& start, NeuralModel& model) {
  const NeuralProblem& problem = start.problem;
  NutsOptions options = model.options.nuts;
  options.seed = model.options.seed;
  options.threads = model.options.threads;
  if (options.starts.rows() == 0) options.starts = Starts(start, model.options);
  if (options.mass_matrix == MassMatrix::kDense && options.inverse_mass.empty()) {
    options.inverse_mass = MassMatrices(problem, options);
    options.adapt_mass = false;
  }
  const NutsResult result = SampleNuts(
      problem.flat_size(), [&](std::size_t) { return JointDensity(problem); }, options);
  model.report = Report(problem, result, options.threads);
  SetDraws(problem, result.AllDraws(), model);
  if (!model.report.warnings.empty()) {
    model.warning = fmt::format("{}", fmt::join(model.report.warnings, "; "));
  }
}

}  // namespace gpode
