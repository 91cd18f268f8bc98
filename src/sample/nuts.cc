// Checks the options, runs the chains and collects their results. The algorithm is in nuts_tree.cc,
// hamiltonian.cc and chain.cc.
#include "gpode/nuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "gpode/error.h"
#include "gpode/parallel.h"
#include "sample/chain.h"

namespace gpode {
namespace {

constexpr const char* kFunction = "SampleNuts";
constexpr std::size_t kLargestDepth = 30;  // a trajectory of 2^30 leapfrog steps hardly ever ends

void CheckStarts(std::size_t dim, const NutsOptions& options) {
  const Matrix& starts = options.starts;
  if (starts.rows() > 0) {
    if (starts.rows() > 1)
      CheckSize(kFunction, "a column of starts", starts.rows(), options.chains);
    CheckSize(kFunction, "a row of starts", starts.cols(), dim);
    CheckFinite(kFunction, "starts", {starts.data(), static_cast<std::size_t>(starts.size())});
  } else {
    CheckPositive(kFunction, "start_radius", options.start_radius);
  }
}

void CheckInverseMass(std::size_t dim, const NutsOptions& options) {
  const std::vector<Matrix>& given = options.inverse_mass;
  if (given.size() > 1) CheckSize(kFunction, "inverse_mass", given.size(), options.chains);
  for (const Matrix& m : given) {
    const std::size_t rows = options.mass_matrix == MassMatrix::kDense ? dim : 1;
    CheckSize(kFunction, "a column of inverse_mass", m.rows(), rows);
    CheckSize(kFunction, "a row of inverse_mass", m.cols(), dim);
    if (Metric(dim, options.mass_matrix).Set(m)) continue;
    ThrowInput(kFunction, "inverse_mass", "has a matrix that is not finite and positive definite");
  }
}

// Checks the sizes in states of chains, which may come from a file.
void CheckResume(std::size_t dim, const NutsOptions& options) {
  if (options.resume.empty()) return;
  CheckSize(kFunction, "resume", options.resume.size(), options.chains);
  for (const auto& state : options.resume) {
    if (!state) continue;
    const bool dense = options.mass_matrix == MassMatrix::kDense;
    const auto n = static_cast<Eigen::Index>(dim), rows = dense ? n : 1;
    const std::size_t draws =
        state->iteration - std::min<std::size_t>(state->iteration, options.warm_up);
    CheckSize(kFunction, "a position to resume from", state->position.size(), dim);
    CheckFinite(kFunction, "a position to resume from",
                {state->position.data(), static_cast<std::size_t>(state->position.size())});
    CheckSize(kFunction, "further variables to resume from", state->further.size(),
              options.further);
    CheckSize(kFunction, "a mean to resume from", state->moments.mean.size(), dim);
    CheckSize(kFunction, "statistics to resume from", state->statistics.size(), draws);
    CheckSize(kFunction, "draws to resume from", state->draws.rows(), draws);
    if (draws > 0) CheckSize(kFunction, "a draw to resume from", state->draws.cols(), dim);
    if (draws > 0 && options.further > 0) {
      CheckSize(kFunction, "further draws to resume from", state->further_draws.rows(), draws);
      CheckSize(kFunction, "a further draw to resume from", state->further_draws.cols(),
                options.further);
    }
    const Matrix& squares = state->moments.squares;
    if (draws > options.draws || !(state->step_size > 0) || !std::isfinite(state->step_size) ||
        squares.rows() != rows || squares.cols() != n || state->inverse_mass.rows() != rows ||
        state->inverse_mass.cols() != n ||
        !Metric(dim, options.mass_matrix).Set(state->inverse_mass)) {
      ThrowInput(kFunction, "resume", "has the state of another sampler");
    }
  }
}

void CheckOptions(std::size_t dim, const NutsOptions& options) {
  CheckAtLeast(kFunction, "dim", static_cast<std::ptrdiff_t>(dim), 1);
  CheckAtLeast(kFunction, "chains", static_cast<std::ptrdiff_t>(options.chains), 1);
  CheckAtLeast(kFunction, "draws", static_cast<std::ptrdiff_t>(options.draws), 1);
  if (!(options.target_acceptance > 0 && options.target_acceptance < 1)) {
    ThrowInput(kFunction, "target_acceptance",
               fmt::format("is {:g}, must be between 0 and 1", options.target_acceptance));
  }
  if (options.max_depth < 1 || options.max_depth > kLargestDepth) {
    ThrowInput(kFunction, "max_depth",
               fmt::format("is {}, must be from 1 to {}", options.max_depth, kLargestDepth));
  }
  CheckStarts(dim, options);
  CheckInverseMass(dim, options);
  CheckResume(dim, options);
}

template <typename Predicate>
std::size_t CountDraws(const NutsResult& result, Predicate predicate) {
  std::size_t count = 0;
  for (const NutsChain& chain : result.chains) {
    count += std::count_if(chain.statistics.begin(), chain.statistics.end(), predicate);
  }
  return count;
}

// Returns value(chain, draw) as a matrix (draws, chains), without the chains that have no draws.
template <typename ValueOf>
Matrix ByChain(const NutsResult& result, ValueOf value) {
  std::vector<const NutsChain*> chains;
  for (const NutsChain& chain : result.chains) {
    if (chain.draws.rows() > 0) chains.push_back(&chain);
  }
  Matrix values(chains.empty() ? 0 : chains[0]->draws.rows(),
                static_cast<Eigen::Index>(chains.size()));
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    for (Eigen::Index i = 0; i < values.rows(); ++i) values(i, c) = value(*chains[c], i);
  }
  return values;
}

// Returns the rows of a member of all chains, chain after chain.
Matrix Stack(const NutsResult& result, Matrix NutsChain::*member) {
  Eigen::Index rows = 0, columns = 0;
  for (const NutsChain& chain : result.chains) {
    rows += (chain.*member).rows();
    columns = std::max(columns, (chain.*member).cols());
  }
  Matrix all(rows, columns);
  rows = 0;
  for (const NutsChain& chain : result.chains) {
    const Matrix& own = chain.*member;
    if (own.rows() == 0) continue;
    all.middleRows(rows, own.rows()) = own;
    rows += own.rows();
  }
  return all;
}

}  // namespace

std::string_view Message(ChainStatus status) {
  switch (status) {
    case ChainStatus::kOk:
      return "ok";
    case ChainStatus::kNoStart:
      return "no start with a finite density and gradient was found";
    case ChainStatus::kNoStepSize:
      return "no step size is small enough to conserve the energy";
    case ChainStatus::kImproper:
      return "steps of any size are accepted: the density is improper";
    case ChainStatus::kStopped:
      return "it was stopped by its report";
  }
  return "unknown";
}

std::size_t NutsResult::Divergent() const {
  return CountDraws(*this, [](const TransitionStatistics& s) { return s.divergent; });
}

std::size_t NutsResult::AtMaxDepth() const {
  return CountDraws(*this, [&](const TransitionStatistics& s) { return s.depth >= max_depth; });
}

std::size_t NutsResult::Failed() const {
  return std::count_if(chains.begin(), chains.end(),
                       [](const NutsChain& c) { return c.status != ChainStatus::kOk; });
}

Matrix NutsResult::Values(std::size_t i) const {
  GPODE_CHECK(i < dim);
  return ByChain(*this, [&](const NutsChain& chain, Eigen::Index draw) {
    return chain.draws(draw, static_cast<Eigen::Index>(i));
  });
}

Matrix NutsResult::Energies() const {
  return ByChain(*this, [](const NutsChain& chain, Eigen::Index draw) {
    return chain.statistics[draw].energy;
  });
}

Matrix NutsResult::AllDraws() const { return Stack(*this, &NutsChain::draws); }

Matrix NutsResult::AllFurther() const { return Stack(*this, &NutsChain::further); }

NutsResult SampleNuts(std::size_t dim, const MakeTarget& target, const NutsOptions& options) {
  CheckOptions(dim, options);
  NutsResult result{
      .dim = dim, .max_depth = options.max_depth, .chains = std::vector<NutsChain>(options.chains)};
  std::vector<LogDensity> targets;
  for (std::size_t c = 0; c < options.chains; ++c) targets.push_back(target(c));
  NutsOptions serialised = options;
  std::mutex mutex;
  if (options.report) {
    serialised.report = [&](const NutsProgress& progress) {
      const std::lock_guard lock(mutex);
      return options.report(progress);
    };
  }
  ThreadPool pool(options.threads);
  pool.For(options.chains, [&](std::size_t c) {
    result.chains[c] = Chain(dim, std::move(targets[c]), serialised, c).Run();
  });
  return result;
}

}  // namespace gpode
