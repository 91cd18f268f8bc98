// A Gaussian approximation of the likelihood of whole trajectories, by linearising the solution of
// an ODE in its field. It is not in the paper; only sampled posteriors of processes use it
// (whitening.h, sampled_target.h).
//
// Small changes df of the field f and dx0 of the initial state move a solution x(t) of x' = f(x) by
// dx(t), to first order the solution of
//   dx' = J(x(t)) dx + df(x(t)),   dx(0) = dx0,   with the Jacobian J of f.
// If df is linear in time between nodes t_j on the solution, the observations are linear in the
// values F = (f(x(t_1)), f(x(t_2)), ...) and in x0, and the log likelihood is quadratic in them:
//   log p(data | F, x0) = -|Q (F, x0) - c|^2 / 2 + constant.
// Q and c depend on values of the function, not on its kernel, so that one approximation serves all
// hyperparameters.
//
// Thread safety: any thread may call Linearise; it shares no state that changes.
//
//   LinearisedLikelihood linear = Linearise(field, x0, trajectories, map, precision, solver);
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "data/segments.h"
#include "gpode/field.h"
#include "gpode/observation.h"
#include "gpode/ode.h"

namespace gpode {

// S nodes in all N trajectories together, D states, r rows (at most one for each observed value).
struct LinearisedLikelihood {
  Matrix points;  // (S, D): the states at the nodes
  // Q (r, D S + N D). Its columns: output 0 of the field at all nodes, output 1, ..., then x0 of
  // each trajectory.
  Eigen::MatrixXd root;
  Vector target;  // c (r)
};

// Returns the approximation around the solutions of `field` that start at x0 (N, D). `precision`
// (channels) is one over the variance of an observation. Observations that a solution does not
// reach are left out; if a derivative is not finite, the result has no rows (r = 0).
LinearisedLikelihood Linearise(const Field& field, const Matrix& x0,
                               const std::vector<TimedValues>& trajectories,
                               const ObservationMap& map, const Vector& precision,
                               const SolverOptions& solver);

// Sets `design` (r, n) to Q as a map of latent variables of the function, by its basis at the nodes
// (UnknownFunction::Basis), then of the start states. The residual of a process is left out.
void MakeDesign(const LinearisedLikelihood& linear, std::span<const Matrix> basis,
                Eigen::MatrixXd& design);

// Segments of multiple shooting, each a trajectory of its own: segment n ends where the segment
// next[n] starts (kNone: nowhere), up to an error whose variance is one over `precision` (D).
struct SegmentTies {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<std::size_t> next;  // (N)
  Vector precision;               // (D)
};

// Returns the same for segments that start at `states` (N, D), with the D rows of each tie after
// the rows of all observed values.
LinearisedLikelihood LineariseSegments(const Field& field, const Matrix& states,
                                       const std::vector<TimedValues>& segments,
                                       const SegmentTies& ties, const ObservationMap& map,
                                       const Vector& precision, const SolverOptions& solver);

// Integrates the start states of all trajectories or segments but the first `kept` out of the
// likelihood, under a flat prior.
LinearisedLikelihood WithoutStates(const LinearisedLikelihood& linear, std::size_t kept);

}  // namespace gpode
