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

}  // namespace gpode
