// The No-U-Turn sampler, which draws from a density that is known up to a constant factor.
//
// It is a Hamiltonian Monte Carlo method for a density pi(q) of positions q. With random momenta
// p ~ N(0, M), leapfrog steps nearly conserve the energy H = -log pi(q) + p^T M^-1 p / 2, so that q
// moves far and is seldom rejected. A trajectory is doubled, forwards or backwards at random, until
// it makes a U-turn. The next draw is one of its positions, chosen with weight exp(-H) and a
// preference for later doublings.
//   M. D. Hoffman, A. Gelman (2014), The No-U-Turn sampler, JMLR 15; step size by dual averaging.
//   M. Betancourt (2017), A conceptual introduction to Hamiltonian Monte Carlo, appendix A:
//   multinomial weights and the U-turn criterion on sums of momenta.
//   Stan reference manual, "MCMC sampling": checks across subtrees, windows of the warm-up.
//
// A transition is divergent, and its trajectory ends, if the energy grows by more than 1000 or the
// density or its gradient is not finite at a position of the trajectory. Divergent transitions
// after the warm-up, a large R-hat or a small effective sample size (chain_diagnostics.h) mean that
// the draws are not reliable.
//
// A target may have further variables besides the position. The caller draws them between
// iterations, given the position, by a method of its choice (DrawFurther), for instance by
// elliptical slice sampling if they are Gaussian a priori. Position and further variables together
// are then draws from the joint density.
//
// Shapes: a position has n real coordinates; constrained quantities must be transformed to real
// ones, and the density must include the Jacobian of the transformation. Random numbers are
// addressed by (seed, iteration, chain), so that results have the same bits for any number of
// threads. Thread safety: SampleNuts starts its own threads, at most one per chain; each chain has
// its own target.
//
//   NutsResult result = SampleNuts(2, [](std::size_t) { return LogDensity(banana); });
//   for (const std::string& warning : DiagnoseChains(result).warnings) fmt::print("{}\n", warning);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// Returns log pi(position) up to a constant and writes its gradient (n). A position whose value or
// gradient is not finite has probability zero.
using LogDensity =
    std::function<double(std::span<const double> position, std::span<double> gradient)>;

// Returns the target of one chain. A chain calls its target from one thread at a time, so the
// target may have a workspace of its own. Its values must depend on the position (and the chain's
// further variables) alone.
using MakeTarget = std::function<LogDensity(std::size_t chain)>;

// Draws the further variables of a chain given its position. On entry `further` holds their values
// from the iteration before, or at first from NutsOptions::further_starts; the new values replace
// them. SampleNuts does not pass them to the chain's target: the caller has to.
using DrawFurther =
    std::function<void(std::size_t chain, std::uint64_t iteration, std::span<const double> position,
                       std::span<double> further)>;

// The inverse mass matrix M^-1 is the identity, the variances of the warm-up's draws on a diagonal,
// or their covariance matrix.
enum class MassMatrix { kIdentity, kDiagonal, kDense };

// The progress of one chain.
struct NutsProgress {
  std::size_t chain = 0;
  std::size_t iteration = 0, iterations = 0;  // completed and total, warm-up included
  double step_size = 0;
  std::size_t divergent = 0;  // divergent transitions so far, warm-up included
};

// The state of a chain after one of its iterations (sample/chain_state.h).
struct NutsChainState;

struct NutsOptions {
  std::size_t chains = 4;
  std::size_t warm_up = 1000;  // first iterations, which adapt the sampler and give no draws
  std::size_t draws = 1000;    // number of draws of each chain
  double target_acceptance = 0.8;
  std::size_t max_depth = 10;  // a trajectory has at most 2^max_depth - 1 leapfrog steps
  MassMatrix mass_matrix = MassMatrix::kDiagonal;
  // The initial M^-1, one for all chains or one for each: (1, n), the diagonal, or (n, n) if dense.
  // If empty, it is the identity. adapt_mass says whether the warm-up adapts it.
  std::vector<Matrix> inverse_mass = {};
  bool adapt_mass = true;
  // The start positions, one row for all chains or one for each. If empty, each coordinate is drawn
  // uniformly from [-start_radius, start_radius]; a chain tries up to 100 such starts until the
  // density is finite.
  Matrix starts = {};
  double start_radius = 2;
  std::size_t further = 0;     // the number of further variables, which draw_further draws
  Matrix further_starts = {};  // one row for each chain; if empty, zeros
  DrawFurther draw_further = {};
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // A callback that every chain calls after every iteration, on its own thread; calls never
  // overlap. If it returns false, the chain stops and has no draws; otherwise the callback does not
  // affect the result.
  std::function<bool(const NutsProgress&)> report = {};
  // A callback that every chain calls after every iteration, on its own thread; calls may overlap.
  // state() returns a copy of the chain's state, with which a later call of SampleNuts can resume.
  std::function<void(std::size_t chain, const std::function<NutsChainState()>& state)> keep = {};
  // States from which chains continue, one for each chain; null for a chain that starts from
  // its beginning. The result has the same bits as if the chains had never been interrupted. The
  // caller has to pass the further variables of a state to the chain's target.
  std::vector<std::shared_ptr<const NutsChainState>> resume = {};
};

enum class ChainStatus { kOk, kNoStart, kNoStepSize, kImproper, kStopped };
std::string_view Message(ChainStatus status);

// Statistics of the transition to one draw.
struct TransitionStatistics {
  double log_density = 0;
  double energy = 0;
  double acceptance = 0;      // mean acceptance probability over the trajectory
  std::size_t depth = 0;      // number of doublings
  std::size_t leapfrogs = 0;  // number of leapfrog steps
  bool divergent = false;
};

struct NutsChain {
  ChainStatus status = ChainStatus::kOk;         // any other status means that there are no draws
  Matrix draws = {};                             // (draws, n)
  Matrix further = {};                           // (draws, further variables)
  std::vector<TransitionStatistics> statistics;  // (draws)
  double step_size = 0;
  Matrix inverse_mass = {};           // (1, n), the diagonal, or (n, n)
  std::size_t warm_up_divergent = 0;  // divergent transitions during the warm-up
  std::size_t evaluations = 0;        // evaluations of the target, warm-up included
};

struct NutsResult {
  std::size_t dim = 0;
  std::size_t max_depth = 0;
  std::vector<NutsChain> chains;

  // None of these functions counts the warm-up or the chains without draws, except Failed.
  std::size_t Divergent() const;       // number of divergent transitions
  std::size_t AtMaxDepth() const;      // number of draws whose trajectory reached max_depth
  std::size_t Failed() const;          // number of chains without draws
  Matrix Values(std::size_t i) const;  // coordinate i, (draws, chains)
  Matrix Energies() const;             // (draws, chains)
  Matrix AllDraws() const;             // (chains * draws, n), chain after chain
  Matrix AllFurther() const;           // (chains * draws, further variables)
};

// Draws from the density that `target` makes for each chain. Throws an InputError for options that
// are out of range. A chain that failed, for instance at its start, has a status that says why.
NutsResult SampleNuts(std::size_t dim, const MakeTarget& target, const NutsOptions& options = {});

}  // namespace gpode
