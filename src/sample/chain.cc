#include "sample/chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpode {
namespace {

// Random starts and trial steps use random streams of iteration numbers that begin here. No chain
// has so many iterations.
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
      current_(dim),
      trial_(dim) {
  state_.averaging.target = options.target_acceptance;
  state_.moments = DrawMoments(dim, options.mass_matrix);
  state_.further.resize(options.further);
  if (options.further_starts.rows() > 0) {
    std::ranges::copy(options.further_starts.row(static_cast<Eigen::Index>(index)),
                      state_.further.begin());
  }
  const std::vector<Matrix>& given = options.inverse_mass;
  if (!given.empty()) hamiltonian_.metric().Set(given[given.size() == 1 ? 0 : index]);
  const auto draws = static_cast<Eigen::Index>(options.draws);
  state_.draws.resize(draws, static_cast<Eigen::Index>(dim));
  state_.further_draws.resize(draws, static_cast<Eigen::Index>(options.further));
}

void Chain::Restore(const NutsChainState& state) {
  Matrix draws = std::move(state_.draws), further = std::move(state_.further_draws);
  draws.topRows(state.draws.rows()) = state.draws;
  if (further.cols() > 0) further.topRows(state.draws.rows()) = state.further_draws;
  const double target = state_.averaging.target;
  const MassMatrix kind = state_.moments.kind;
  state_ = state;
  state_.draws = std::move(draws);
  state_.further_draws = std::move(further);
  state_.averaging.target = target;
  state_.moments.kind = kind;
  hamiltonian_.metric().Set(state.inverse_mass);
  current_.position = state.position;
  hamiltonian_.Evaluate(current_);
  hamiltonian_.set_evaluations(state.evaluations);
}

NutsChainState Chain::Save() const {
  NutsChainState state = state_;
  state.position = current_.position;
  state.inverse_mass = hamiltonian_.metric().inverse_mass();
  state.evaluations = hamiltonian_.evaluations();
  const auto draws = static_cast<Eigen::Index>(state_.statistics.size());
  state.draws.conservativeResize(draws, Eigen::NoChange);
  state.further_draws.conservativeResize(draws, Eigen::NoChange);
  return state;
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
  hamiltonian_.Leapfrog(state_.step_size, trial_);
  const double decrease = before - hamiltonian_.Energy(trial_);
  return std::isnan(decrease) ? -std::numeric_limits<double>::infinity() : decrease;
}

// Doubles or halves the step size until the acceptance probability of a single leapfrog step
// crosses 0.8 (Hoffman and Gelman 2014, algorithm 4, with Stan's threshold), then restarts the
// averaging from that step size. Returns kImproper or kNoStepSize if the step size becomes
// extremely large or small before that.
ChainStatus Chain::FindStepSize() {
  constexpr double kLargest = 1e7, kSmallest = 1e-300;
  const double threshold = std::log(0.8);
  const bool grow = EnergyDecrease(state_.trial_steps++) > threshold;
  while ((EnergyDecrease(state_.trial_steps++) > threshold) == grow) {
    state_.step_size *= grow ? 2.0 : 0.5;
    if (state_.step_size > kLargest) return ChainStatus::kImproper;
    if (state_.step_size < kSmallest) return ChainStatus::kNoStepSize;
  }
  state_.averaging.Restart(state_.step_size);
  return ChainStatus::kOk;
}

// Adapts the step size and, at the end of a window, the mass matrix after a warm-up iteration.
ChainStatus Chain::Adapt(double acceptance) {
  const std::size_t iteration = state_.iteration;
  DrawMoments& moments = state_.moments;
  state_.step_size = state_.averaging.Update(acceptance);
  const bool adapts = options_.adapt_mass && options_.mass_matrix != MassMatrix::kIdentity;
  if (!adapts || !schedule_.InWindow(iteration)) return ChainStatus::kOk;
  moments.Add(current_.position);
  if (!schedule_.EndsWindow(iteration)) return ChainStatus::kOk;
  const std::vector<Matrix>& given = options_.inverse_mass;
  hamiltonian_.metric().Set(given.empty()
                                ? moments.InverseMass()
                                : moments.InverseMassNear(given[given.size() == 1 ? 0 : index_]));
  moments.Clear();
  return FindStepSize();
}

// Draws new values of the further variables, those that are not part of the position
// (NutsOptions::draw_further), then evaluates the density again, which depends on them.
void Chain::MoveFurther() {
  if (!options_.draw_further) return;
  const Vector& x = current_.position;
  options_.draw_further(index_, state_.iteration, {x.data(), static_cast<std::size_t>(x.size())},
                        state_.further);
  hamiltonian_.Evaluate(current_);
}

void Chain::AddDraw(const TransitionStatistics& move) {
  const auto row = static_cast<Eigen::Index>(state_.statistics.size());
  state_.statistics.push_back(move);
  state_.draws.row(row) = current_.position.transpose();
  std::ranges::copy(state_.further, state_.further_draws.row(row).begin());
}

// Calls the report callback. Returns false if the chain has to stop.
bool Chain::Report() {
  if (!options_.report) return true;
  return options_.report({.chain = index_,
                          .iteration = state_.iteration + 1,
                          .iterations = iterations(),
                          .step_size = state_.step_size,
                          .divergent = state_.divergent});
}

ChainStatus Chain::Begin() {
  if (!options_.resume.empty() && options_.resume[index_]) {
    Restore(*options_.resume[index_]);
    return ChainStatus::kOk;
  }
  if (!FindStart()) return ChainStatus::kNoStart;
  return FindStepSize();
}

ChainStatus Chain::Iterate() {
  const TransitionStatistics move =
      tree_.Move(state_.step_size, IterationNumbers(Stream(state_.iteration)), current_);
  MoveFurther();
  state_.divergent += move.divergent;
  // A chain that stops does not keep the state of this iteration, for which the target may have
  // been stopped as well.
  if (!Report()) return ChainStatus::kStopped;
  if (state_.iteration < options_.warm_up) {
    const ChainStatus status = Adapt(move.acceptance);
    if (status != ChainStatus::kOk) return status;
  } else {
    AddDraw(move);
  }
  ++state_.iteration;
  if (state_.iteration == options_.warm_up) {
    state_.step_size = state_.averaging.Average();
    state_.warm_up_divergent = state_.divergent;
  }
  if (options_.keep) options_.keep(index_, [this] { return Save(); });
  return ChainStatus::kOk;
}

NutsChain Chain::Result() const {
  return {.draws = state_.draws,
          .further = state_.further_draws,
          .statistics = state_.statistics,
          .step_size = state_.step_size,
          .inverse_mass = hamiltonian_.metric().inverse_mass(),
          .warm_up_divergent = state_.warm_up_divergent,
          .evaluations = hamiltonian_.evaluations()};
}

NutsChain Chain::Run() {
  ChainStatus status = Begin();
  while (status == ChainStatus::kOk && state_.iteration < iterations()) status = Iterate();
  if (status == ChainStatus::kOk) return Result();
  NutsChain failed{.status = status, .statistics = {}};
  if (status != ChainStatus::kStopped) {
    failed.step_size = state_.step_size;
    failed.inverse_mass = hamiltonian_.metric().inverse_mass();
    failed.evaluations = hamiltonian_.evaluations();
  }
  return failed;
}

}  // namespace gpode
