// A Gaussian approximation of the likelihood of whole trajectories, by linearising the solution of
// an ODE in its field.
//
// Along a solution x(t) of x' = f(x), small changes of the field and of the initial state move it
// by dx with
//   dx' = J(x(t)) dx + df(x(t)),   dx(0) = dx0.
// With df linear in time between nodes t_j on the solution, the observations are linear in the
// values F = f(x(t_j)) and in x0, and the log likelihood is quadratic in them:
//   log p(data | F, x0) = -|Q (F, x0) - c|^2 / 2 + constant.
// It speaks of values of the function, so that it holds for all hyperparameters.
//
// Thread safety: plain functions and values.
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

struct LinearisedLikelihood {
  Matrix points;         // (S, D): the nodes of all trajectories
  Eigen::MatrixXd root;  // Q (r, D S + N D): values of output 0 at all nodes, of output 1, ..., x0
  Vector target;         // c (r)
};

// Linearises at the solutions through x0 (N, D). `precision` (channels) is one over the variance of
// an observation.
LinearisedLikelihood Linearise(const Field& field, const Matrix& x0,
                               const std::vector<TimedValues>& trajectories,
                               const ObservationMap& map, const Vector& precision,
                               const SolverOptions& solver);

}  // namespace gpode
