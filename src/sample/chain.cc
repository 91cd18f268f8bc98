#include "sample/chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpode {
namespace {

// Random starts and trial steps use the random streams of iteration numbers from here on, which no
// chain reaches.
constexpr std::uint64_t kStarts = std::uint64_t{1} << 62;
constexpr std::uint64_t kFirstSteps = std::uint64_t{3} << 61;

constexpr std::uint64_t kMostStarts = 100;

}  // namespace

Chain::Chain(std::size_t dim, LogDensity target, const NutsOptions& options, std::size_t index)
    : options_(options),
      index_(index),
      hamiltonian_(dim, options.mass_matrix, std::move(target)),
      tree_(hamiltonian_, options.max_depth),
      schedule_(options.warm_up),
      averaging_(options.target_acceptance),
      moments_(dim, options.mass_matrix),
      current_(dim),
      trial_(dim),
      further_(options.further) {
  if (options.further_starts.rows() > 0) {
    std::ranges::copy(options.further_starts.row(static_cast<Eigen::Index>(index)),
                      further_.begin());
  }
  const std::vector<Matrix>& given = options.inverse_mass;
  if (!given.empty()) hamiltonian_.metric().Set(given[given.size() == 1 ? 0 : index]);
}

RandomStream Chain::Stream(std::uint64_t iteration) const {
  return {options_.seed, iteration, index_, Purpose::kSampler};
}

// Sets the current position; returns false if no position with a finite density was found.
bool Chain::FindStart() {
  if (options_.starts.rows() > 0) {
    const auto row = options_.starts.rows() == 1 ? 0 : static_cast<Eigen::Index>(index_);
    current_.position = options_.starts.row(row).transpose();
    hamiltonian_.Evaluate(current_);
    return std::isfinite(current_.log_density);
  }
  Vector& x = current_.position;
  for (std::uint64_t attempt = 0; attempt < kMostStarts; ++attempt) {
    Stream(kStarts + attempt).Uniforms({x.data(), static_cast<std::size_t>(x.size())});
    x = options_.start_radius * (2 * x.array() - 1);
    hamiltonian_.Evaluate(current_);
    if (std::isfinite(current_.log_density)) return true;
  }
  return false;
}

// Returns how much one leapfrog step from the current position, with new momenta, lowers the energy
// H. The step is accepted with probability min(1, exp(decrease)).
double Chain::EnergyDecrease(std::uint64_t attempt) {
  trial_ = current_;
  IterationNumbers(Stream(kFirstSteps + attempt)).Normals(trial_.momentum);
  hamiltonian_.metric().ToMomentum(trial_.momentum);
  const double before = hamiltonian_.Energy(trial_);
  hamiltonian_.Leapfrog(step_, trial_);
  const double decrease = before - hamiltonian_.Energy(trial_);
  return std::isnan(decrease) ? -std::numeric_limits<double>::infinity() : decrease;
}

// Doubles or halves the step size until the acceptance probability of a single leapfrog step
// crosses 0.8 (Hoffman and Gelman 2014, algorithm 4, with Stan's threshold), then restarts the
// averaging from that step size.
ChainStatus Chain::FindStepSize() {
  constexpr double kLargest = 1e7, kSmallest = 1e-300;
  const double threshold = std::log(0.8);
  const bool grow = EnergyDecrease(attempts_++) > threshold;
  while ((EnergyDecrease(attempts_++) > threshold) == grow) {
    step_ *= grow ? 2.0 : 0.5;
    if (step_ > kLargest) return ChainStatus::kImproper;
    if (step_ < kSmallest) return ChainStatus::kNoStepSize;
  }
  averaging_.Restart(step_);
  return ChainStatus::kOk;
}

// Adapts the step size and, at the end of a window, the mass matrix after a warm-up iteration.
ChainStatus Chain::Adapt(std::size_t iteration, double acceptance) {
  step_ = averaging_.Update(acceptance);
  const bool adapts = options_.adapt_mass && options_.mass_matrix != MassMatrix::kIdentity;
  if (!adapts || !schedule_.InWindow(iteration)) return ChainStatus::kOk;
  moments_.Add(current_.position);
  if (!schedule_.EndsWindow(iteration)) return ChainStatus::kOk;
  const std::vector<Matrix>& given = options_.inverse_mass;
  hamiltonian_.metric().Set(given.empty()
                                ? moments_.InverseMass()
                                : moments_.InverseMassNear(given[given.size() == 1 ? 0 : index_]));
  moments_.Clear();
  return FindStepSize();
}

// Draws new values of the further variables, those that are not part of the position
// (NutsOptions::draw_further), then evaluates the density again, which depends on them.
void Chain::MoveFurther(std::size_t iteration) {
  if (!options_.draw_further) return;
  const Vector& x = current_.position;
  options_.draw_further(index_, iteration, {x.data(), static_cast<std::size_t>(x.size())},
                        further_);
  hamiltonian_.Evaluate(current_);
}

TransitionStatistics Chain::Move(std::size_t iteration) {
  constexpr std::size_t kReportEvery = 10;
  const TransitionStatistics move =
      tree_.Move(step_, IterationNumbers(Stream(iteration)), current_);
  MoveFurther(iteration);
  divergent_ += move.divergent;
  const std::size_t done = iteration + 1, all = options_.warm_up + options_.draws;
  if (options_.report && (done % kReportEvery == 0 || done == all)) {
    stopped_ = !options_.report({.chain = index_,
                                 .iteration = done,
                                 .iterations = all,
                                 .step_size = step_,
                                 .divergent = divergent_});
  }
  return move;
}

ChainStatus Chain::WarmUp(NutsChain& result) {
  if (!FindStart()) return ChainStatus::kNoStart;
  if (const ChainStatus status = FindStepSize(); status != ChainStatus::kOk) return status;
  for (std::size_t i = 0; i < options_.warm_up; ++i) {
    const TransitionStatistics move = Move(i);
    if (stopped_) return ChainStatus::kStopped;
    if (const ChainStatus status = Adapt(i, move.acceptance); status != ChainStatus::kOk) {
      return status;
    }
  }
  if (options_.warm_up > 0) step_ = averaging_.Average();
  result.warm_up_divergent = divergent_;
  return ChainStatus::kOk;
}

NutsChain Chain::Run() {
  NutsChain result;
  result.status = WarmUp(result);
  if (result.status == ChainStatus::kOk) {
    result.draws.resize(static_cast<Eigen::Index>(options_.draws), current_.position.size());
    result.further.resize(result.draws.rows(), std::ssize(further_));
    result.statistics.reserve(options_.draws);
    for (std::size_t i = 0; i < options_.draws; ++i) {
      result.statistics.push_back(Move(options_.warm_up + i));
      result.draws.row(static_cast<Eigen::Index>(i)) = current_.position.transpose();
      if (!further_.empty()) {
        std::ranges::copy(further_, result.further.row(static_cast<Eigen::Index>(i)).begin());
      }
      if (stopped_) return {.status = ChainStatus::kStopped, .statistics = {}};
    }
  }
  result.step_size = step_;
  result.inverse_mass = hamiltonian_.metric().inverse_mass();
  result.evaluations = hamiltonian_.evaluations();
  return result;
}

}  // namespace gpode
