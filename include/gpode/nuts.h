// Draws from a density that is known up to a factor, by the No-U-Turn sampler.
//
// Hamiltonian Monte Carlo: with momenta p ~ N(0, M), the energy H = -log pi(q) + p^T M^-1 p / 2 is
// kept by leapfrog steps, which therefore take q far without much rejection. A trajectory is
// doubled, forwards or backwards at random, until it turns back; the next draw is one of its points
// by the weight exp(-H), later doublings being preferred.
//   M. D. Hoffman, A. Gelman (2014), The No-U-Turn sampler, JMLR 15; step size by dual averaging.
//   M. Betancourt (2017), A conceptual introduction to Hamiltonian Monte Carlo, appendix A:
//   multinomial weights, and the criterion on sums of momenta; with the checks across subtrees and
//   the windows of the warm-up of Stan (reference manual, "MCMC sampling").
//
// A trajectory whose energy grows by more than 1000, or whose density or gradient is not finite,
// has diverged: it ends there, and is counted. Divergences after the warm-up, a large R-hat or a
// small effective sample size (diagnostics.h) mean that the draws are not to be trusted.
//
// Shapes: n coordinates, all real; constrained quantities need a transformation and its Jacobian.
// Random numbers are those of (seed, iteration, chain): the same bits for any number of threads.
// Thread safety: starts its own threads, one per chain at most; each has its own target.
//
//   NutsResult result = SampleNuts(2, [](std::size_t) { return LogDensity(banana); });
//   for (const std::string& warning : DiagnoseChains(result).warnings) fmt::print("{}\n", warning);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// log pi(position) up to a constant; writes its gradient (n). A value or a gradient that is not
// finite makes a position impossible.
using LogDensity =
    std::function<double(std::span<const double> position, std::span<double> gradient)>;

// The target of one chain. Each chain calls its own, from one thread at a time: it may have memory,
// as long as its values depend on the position alone.
using MakeTarget = std::function<LogDensity(std::size_t chain)>;

// M^-1: one, the variances or the covariance of the draws of the warm-up.
enum class MassMatrix { kIdentity, kDiagonal, kDense };

// Where a chain is.
struct NutsProgress {
  std::size_t chain = 0;
  std::size_t iteration = 0, iterations = 0;  // done, and of all; the warm-up comes first
  double step_size = 0;
  std::size_t divergent = 0;  // transitions so far, warm-up included
};

struct NutsOptions {
  std::size_t chains = 4;
  std::size_t warm_up = 1000;  // iterations that adapt the sampler and are not kept
  std::size_t draws = 1000;    // per chain
  double target_acceptance = 0.8;
  std::size_t max_depth = 10;  // a trajectory has at most 2^max_depth - 1 leapfrog steps
  MassMatrix mass_matrix = MassMatrix::kDiagonal;
  // M^-1 to begin with, for all chains or for each: (1, n), or (n, n) if dense; none: one. Where it
  // is known to be good it need not be adapted.
  std::vector<Matrix> inverse_mass = {};
  bool adapt_mass = true;
  // Where chains start: a row for all or for each; none: each coordinate uniform within
  // start_radius of zero, tried up to 100 times.
  Matrix starts = {};
  double start_radius = 2;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // Called by every chain after each ten iterations and the last, on its own thread, but never
  // twice at the same time. Returning false stops the chain, which then has no draws; otherwise it
  // changes no bit of the result.
  std::function<bool(const NutsProgress&)> report = {};
};

enum class ChainStatus { kOk, kNoStart, kNoStepSize, kImproper, kStopped };
std::string_view Message(ChainStatus status);

// What is known of one draw beside its position.
struct TransitionStatistics {
  double log_density = 0;
  double energy = 0;
  double acceptance = 0;      // mean over the trajectory, what the step size is adapted by
  std::size_t depth = 0;      // doublings
  std::size_t leapfrogs = 0;  // gradients evaluated
  bool divergent = false;
};

struct NutsChain {
  ChainStatus status = ChainStatus::kOk;         // otherwise there are no draws
  Matrix draws = {};                             // (draws, n)
  std::vector<TransitionStatistics> statistics;  // (draws)
  double step_size = 0;
  Matrix inverse_mass = {};  // (1, n): the diagonal; or (n, n)
  std::size_t warm_up_divergent = 0;
  std::size_t evaluations = 0;  // of the target, warm-up included
};

struct NutsResult {
  std::size_t dim = 0;
  std::size_t max_depth = 0;
  std::vector<NutsChain> chains;

  // Over the chains that have draws, after the warm-up.
  std::size_t Divergent() const;       // transitions
  std::size_t AtMaxDepth() const;      // draws whose trajectory reached max_depth
  std::size_t Failed() const;          // chains without draws
  Matrix Values(std::size_t i) const;  // (draws, chains) of coordinate i
  Matrix Energies() const;             // (draws, chains)
  Matrix AllDraws() const;             // (chains draws, n), chain after chain
};

// Throws an InputError when options make no sense; a chain that cannot start says so in its status.
NutsResult SampleNuts(std::size_t dim, const MakeTarget& target, const NutsOptions& options = {});

}  // namespace gpode
