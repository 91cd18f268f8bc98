#include "sample/nuts_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gpode {
namespace {

// A transition whose energy grows by more than this is divergent.
constexpr double kMaxEnergyError = 1000;
// The index of an iteration's first uniform number in its random stream. Smaller indices are those
// of normals.
constexpr std::uint64_t kFirstUniform = std::uint64_t{1} << 40;

double LogAddExp(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(-std::fabs(a - b)));
}

}  // namespace

void IterationNumbers::Normals(Vector& out) const {
  stream_.Normals({out.data(), static_cast<std::size_t>(out.size())});
}

double IterationNumbers::Uniform() {
  double uniform;
  stream_.Uniforms({&uniform, 1}, kFirstUniform + used_++);
  return uniform;
}

NutsTree::Subtree::Subtree(std::size_t dim) {
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(dim));
  first = last = {zero, zero};
  momentum_sum = zero;
  proposal = {zero, zero, 0, 0};
  log_weight = 0;
}

NutsTree::NutsTree(Hamiltonian& hamiltonian, std::size_t max_depth)
    : hamiltonian_(hamiltonian),
      max_depth_(max_depth),
      ends_{PhasePoint(hamiltonian.dim()), PhasePoint(hamiltonian.dim())},
      whole_(hamiltonian.dim()),
      extension_(hamiltonian.dim()),
      scratch_(max_depth, Subtree(hamiltonian.dim())),
      sum_(Vector::Zero(static_cast<Eigen::Index>(hamiltonian.dim()))),
      numbers_(RandomStream(0, 0, 0, Purpose::kSampler)) {}

TransitionStatistics NutsTree::Move(double step, IterationNumbers numbers, PhasePoint& current) {
  numbers_ = numbers;
  numbers_.Normals(current.momentum);
  hamiltonian_.metric().ToMomentum(current.momentum);
  start_energy_ = hamiltonian_.Energy(current);
  statistics_ = {};
  acceptance_sum_ = 0;
  ends_[0] = ends_[1] = current;
  SetToPoint(current, start_energy_, whole_);
  bool forwards = true;  // true if whole_.last is the forward end
  while (statistics_.depth < max_depth_) {
    const bool extend_forwards = numbers_.Uniform() < 0.5;
    if (extend_forwards != forwards) std::swap(whole_.first, whole_.last);
    forwards = extend_forwards;
    moving_ = &ends_[forwards];
    if (!BuildSubtree(statistics_.depth, forwards ? step : -step, extension_)) break;
    ++statistics_.depth;
    // The extension is accepted with probability min(1, its weight / weight of the rest), which is
    // more than its share of the total weight: proposals far from the start are preferred.
    if (!Join(extension_.log_weight - whole_.log_weight, extension_, whole_)) break;
  }
  current.position = whole_.proposal.position;
  current.gradient = whole_.proposal.gradient;
  current.log_density = statistics_.log_density = whole_.proposal.log_density;
  statistics_.energy = whole_.proposal.energy;
  statistics_.acceptance =
      acceptance_sum_ / static_cast<double>(std::max<std::size_t>(statistics_.leapfrogs, 1));
  return statistics_;
}

void NutsTree::SetToPoint(const PhasePoint& point, double energy, Subtree& tree) {
  tree.first.momentum = tree.last.momentum = tree.momentum_sum = point.momentum;
  hamiltonian_.metric().Velocity(point.momentum, tree.first.velocity);
  tree.last.velocity = tree.first.velocity;
  tree.proposal.position = point.position;
  tree.proposal.gradient = point.gradient;
  tree.proposal.log_density = point.log_density;
  tree.proposal.energy = energy;
  tree.log_weight = start_energy_ - energy;
}

// Builds a subtree of one leapfrog step; returns false if the step is divergent.
bool NutsTree::BuildLeaf(double step, Subtree& tree) {
  hamiltonian_.Leapfrog(step, *moving_);
  ++statistics_.leapfrogs;
  double energy = hamiltonian_.Energy(*moving_);
  if (std::isnan(energy)) energy = std::numeric_limits<double>::infinity();
  acceptance_sum_ += std::min(1.0, std::exp(start_energy_ - energy));
  if (energy - start_energy_ > kMaxEnergyError) {
    statistics_.divergent = true;
    return false;
  }
  SetToPoint(*moving_, energy, tree);
  return true;
}

// Builds a subtree of 2^depth leapfrog steps from *moving_. Returns false if a step is divergent or
// if the subtree, or a part of it, makes a U-turn.
bool NutsTree::BuildSubtree(std::size_t depth, double step, Subtree& tree) {
  if (depth == 0) return BuildLeaf(step, tree);
  Subtree& next = scratch_[depth - 1];
  if (!BuildSubtree(depth - 1, step, tree) || !BuildSubtree(depth - 1, step, next)) return false;
  const double log_share = next.log_weight - LogAddExp(tree.log_weight, next.log_weight);
  return Join(log_share, next, tree);
}

// Appends `next`, which begins where `tree` ends, and takes its proposal with this probability.
// Returns false if the two together make a U-turn.
bool NutsTree::Join(double log_acceptance, Subtree& next, Subtree& tree) {
  const bool no_u_turn = HasNoUTurn(tree, next);
  if (numbers_.Uniform() < std::exp(log_acceptance)) std::swap(tree.proposal, next.proposal);
  std::swap(tree.last, next.last);
  tree.momentum_sum += next.momentum_sum;
  tree.log_weight = LogAddExp(tree.log_weight, next.log_weight);
  return no_u_turn;
}

// Returns true if the two ends of a part of the trajectory, with these velocities, move apart. sum_
// must be the sum of the momenta at all positions of that part.
bool NutsTree::EndsMoveApart(const Vector& first, const Vector& last) const {
  return first.dot(sum_) > 0 && last.dot(sum_) > 0;
}

// Returns true if the ends move apart in three parts of the trajectory: both subtrees together, and
// each subtree together with the nearest position of the other. Without the last two checks, two
// subtrees could pass that each make almost half a turn and together come back to the start: each
// alone has no U-turn yet, and at the end of the whole circle the direction is the first one again.
bool NutsTree::HasNoUTurn(const Subtree& tree, const Subtree& next) {
  sum_ = tree.momentum_sum + next.momentum_sum;
  if (!EndsMoveApart(tree.first.velocity, next.last.velocity)) return false;
  sum_ = tree.momentum_sum + next.first.momentum;
  if (!EndsMoveApart(tree.first.velocity, next.first.velocity)) return false;
  sum_ = next.momentum_sum + tree.last.momentum;
  return EndsMoveApart(tree.last.velocity, next.last.velocity);
}

}  // namespace gpode
