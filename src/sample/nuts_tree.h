// One iteration of the No-U-Turn sampler: a trajectory that is doubled until it turns back, and the
// point of it that becomes the next draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpode/random.h"
#include "sample/hamiltonian.h"

namespace gpode {

// The random numbers of one iteration: a stream's first normals are the momenta; its uniforms, from
// words far beyond those, the choices.
class IterationNumbers {
 public:
  explicit IterationNumbers(const RandomStream& stream) : stream_(stream) {}

  void Normals(Vector& out) const;
  double Uniform();

 private:
  RandomStream stream_;
  std::uint64_t used_ = 0;
};

class NutsTree {
 public:
  NutsTree(Hamiltonian& hamiltonian, std::size_t max_depth);

  // Moves `current`, whose log density and gradient are known, to the next draw. Its momentum is
  // drawn anew.
  TransitionStatistics Move(double step, IterationNumbers numbers, PhasePoint& current);

 private:
  // The end of a stretch of the trajectory: p and M^-1 p.
  struct End {
    Vector momentum, velocity;
  };
  struct Proposal {
    Vector position, gradient;
    double log_density, energy;
  };
  // A stretch of the trajectory, in the direction in which it was built.
  struct Stretch {
    End first, last;
    Vector momentum_sum;
    Proposal proposal;
    double log_weight;  // log sum exp(start energy - energy)

    explicit Stretch(std::size_t dim);
  };

  void SetToPoint(const PhasePoint& point, double energy, Stretch& stretch);
  bool Step(double step, Stretch& stretch);
  bool Build(std::size_t depth, double step, Stretch& stretch);
  bool Join(double log_acceptance, Stretch& next, Stretch& stretch);
  bool GoesOn(const Vector& first, const Vector& last) const;
  bool GoOn(const Stretch& stretch, const Stretch& next);

  Hamiltonian& hamiltonian_;
  std::size_t max_depth_;
  std::array<PhasePoint, 2> ends_;  // backwards, forwards
  PhasePoint* moving_ = nullptr;    // the end that is being extended
  Stretch whole_, extension_;
  std::vector<Stretch> scratch_;  // (max_depth): the second half of a stretch of depth + 1
  Vector sum_;
  IterationNumbers numbers_;
  double start_energy_ = 0;
  double acceptance_sum_ = 0;
  TransitionStatistics statistics_;
};

}  // namespace gpode
