// One iteration of the No-U-Turn sampler: a trajectory is doubled until it makes a U-turn, and one
// of its positions becomes the next draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpode/random.h"
#include "sample/hamiltonian.h"

namespace gpode {

// The random numbers of one iteration, all from one stream: normals at its beginning for the
// momenta, uniforms far behind them for the directions of doublings and the choice of proposals.
class IterationNumbers {
 public:
  explicit IterationNumbers(const RandomStream& stream) : stream_(stream) {}

  void Normals(Vector& out) const;
  double Uniform();

 private:
  RandomStream stream_;
  std::uint64_t used_ = 0;  // number of uniforms drawn so far
};

class NutsTree {
 public:
  NutsTree(Hamiltonian& hamiltonian, std::size_t max_depth);

  // Moves `current`, whose log density and gradient must be set, to the next draw. Draws a new
  // momentum for the trajectory by itself.
  TransitionStatistics Move(double step, IterationNumbers numbers, PhasePoint& current);

 private:
  // The momentum p and the velocity M^-1 p at one end of a subtree.
  struct End {
    Vector momentum, velocity;
  };
  struct Proposal {
    Vector position, gradient;
    double log_density, energy;
  };
  // A contiguous part of the trajectory; `first` and `last` are its ends in the order in which they
  // were reached. The proposal is one of its positions.
  struct Subtree {
    End first, last;
    Vector momentum_sum;
    Proposal proposal;
    double log_weight;  // logarithm of the sum of exp(start energy - energy) over its positions

    explicit Subtree(std::size_t dim);
  };

  void SetToPoint(const PhasePoint& point, double energy, Subtree& tree);
  bool BuildLeaf(double step, Subtree& tree);
  bool BuildSubtree(std::size_t depth, double step, Subtree& tree);
  bool Join(double log_acceptance, Subtree& next, Subtree& tree);
  bool EndsMoveApart(const Vector& first, const Vector& last) const;
  bool HasNoUTurn(const Subtree& tree, const Subtree& next);

  Hamiltonian& hamiltonian_;
  std::size_t max_depth_;
  std::array<PhasePoint, 2> ends_;  // the backward and the forward end of the trajectory
  PhasePoint* moving_ = nullptr;    // the end that is being extended
  Subtree whole_, extension_;
  std::vector<Subtree> scratch_;  // (max_depth): [d] is the second half of a tree of depth d + 1
  Vector sum_;                    // the sum of momenta that EndsMoveApart needs
  IterationNumbers numbers_;
  double start_energy_ = 0;
  double acceptance_sum_ = 0;
  TransitionStatistics statistics_;
};

}  // namespace gpode
