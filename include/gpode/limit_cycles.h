// Limit cycles of an autonomous field, and where its solutions end.
//
// A cycle through the state x with the period T solves
//
//   phi(x, T) - x = 0,   n . (x - x0) = 0,
//
// where phi is the flow and the second equation chooses the point of the cycle on a Poincare
// section through a first guess x0. Newton's method solves both for x and T. The derivative of the
// flow over one period, the monodromy matrix, comes from the variational equation. Its eigenvalues,
// except the one in the direction of the flow, are the Floquet multipliers of the cycle.
//   Parker, Chua: Practical Numerical Algorithms for Chaotic Systems (1989), chapter 5.
//
// Attracting cycles are found by following solutions until they return to where they were. In two
// dimensions, repelling cycles are found by following solutions backwards in time.
//
// Times are measured in units of TimeScale, the typical time in which a state crosses half of the
// box.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   std::vector<FixedPoint> points = FindFixedPoints(field, box).points;
//   for (const LimitCycle& cycle : FindLimitCycles(field, box, points)) ... cycle.period
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "gpode/fixed_points.h"

namespace gpode {

struct LimitCycle {
  double period = 0;
  Matrix states = {};             // (n, D): at equally spaced times, the last equal to the first
  Vector lower = {}, upper = {};  // (D): the ranges of the states
  Eigen::VectorXcd multipliers = {};  // (D - 1): the Floquet multipliers, the largest first
  bool stable = false;                // true if all multipliers are inside the unit circle
  bool neutral =
      false;  // true if the largest multiplier is on the circle, as in a family of cycles

  Vector Amplitudes() const { return 0.5 * (upper - lower); }
};

struct CycleOptions {
  double tolerance = 1e-11;     // tolerance of the integrations
  double longest_time = 300;    // how long a solution is followed at most, in units of TimeScale
  std::size_t starts = 6;       // quasi-random starts of solutions
  Matrix more_starts = {};      // (n, D): further starts
  bool repelling = true;        // in two dimensions, also find cycles that repel
  std::size_t cycle_rows = 65;  // rows of LimitCycle::states
};

// The fate of a solution: it ends at a stable fixed point, on a cycle, or outside the box by more
// than the size of the box. A solution that does none of these keeps moving, as on a chaotic
// attractor.
enum class Fate { kFixedPoint, kCycle, kLeaves, kKeepsMoving };

struct Attractor {
  Fate fate = Fate::kKeepsMoving;
  std::size_t fixed_point = 0;           // for Fate::kFixedPoint, the index of the point
  std::optional<LimitCycle> cycle = {};  // for Fate::kCycle, the cycle
  Vector state = {};                     // the last state that was computed
};

// Returns the typical time in which a state crosses half of the box: the median over states in the
// box.
double TimeScale(const Field& field, const StateBox& box);

// Returns the cycle to which Newton's method converges from a state and a period, or nothing.
std::optional<LimitCycle> RefineCycle(const Field& field, const StateBox& box, const Vector& state,
                                      double period, const CycleOptions& options = {});

// Follows the solution from `start` to the attractor that it reaches. The fixed points are those of
// the field in the box.
Attractor FollowToAttractor(const Field& field, const StateBox& box,
                            std::span<const FixedPoint> points, const Vector& start,
                            const CycleOptions& options = {});

// Returns the cycles on which solutions from many starts end, by increasing period.
std::vector<LimitCycle> FindLimitCycles(const Field& field, const StateBox& box,
                                        std::span<const FixedPoint> points,
                                        const CycleOptions& options = {});

// Tells whether two cycles are the same within the accuracy of the search.
bool IsSameCycle(const StateBox& box, const LimitCycle& a, const LimitCycle& b);

}  // namespace gpode
