// A Gaussian approximation of the likelihood of whole trajectories, by linearising the solution of
// an ODE in its field. It is not in the paper; only sampled posteriors of processes use it
// (whitening.h, sampled_target.h).
//
// A field with inputs is linearised along x(t) and u(t); x stands for both below.
//
// Small changes df of the field f and dx0 of the initial state change a solution x(t) of x' = f(x)
// by dx(t). To first order, dx(t) is the solution of
//   dx' = J(x(t)) dx + df(x(t)),   dx(0) = dx0,   with the Jacobian J of f.
// If df is linear in time between nodes t_j on the solution, the observations are linear in the
// values F = (f(x(t_1)), f(x(t_2)), ...) and in x0, and the log likelihood is quadratic in them:
//   log p(data | F, x0) = -|Q (F, x0) - c|^2 / 2 + constant.
// Q and c depend on the values of the field, not on the kernel of its prior, so that one
// approximation serves all hyperparameters. Process noise (data/noise_pieces.h) is a force w that
// is added to the field; its values on the pieces of time are further variables beside x0.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   LinearisedLikelihood linear = Linearise(field, x0, trajectories, map, precision, solver);
#pragma once

#include <Eigen/Dense>
#include <memory>
#include <span>
#include <vector>

#include "data/noise_pieces.h"
#include "data/segments.h"
#include "gpode/field.h"
#include "gpode/observation.h"
#include "gpode/ode.h"
#include "train/weighted_noise.h"

namespace gpode {

class LinearisationPoint;  // gpode/unknown_function.h

// There are S nodes in all N trajectories together, D states, and r rows, at most one for each
// observed value.
struct LinearisedLikelihood {
  Matrix points;  // (S, D): the states at the nodes
  // Q (r, D S + N D + P D). Its columns: output 0 of the field at all nodes, output 1, ..., then x0
  // of each trajectory, then the force on each of the P pieces.
  Eigen::MatrixXd root;
  Vector target;  // c (r)
  // The logarithm of the factor that Linearise or WithoutStates left out of the likelihood, without
  // its powers of 2 pi. It has to be added to -|Q (F, x0, w) - c|^2 / 2 before approximations with
  // different noise or different ties between segments are compared.
  double log_factor = 0;
  Matrix inputs = {};  // (S, U): the inputs at the nodes; empty if there are none
  // The linearisation of the function, if it is not linear in its latent variables.
  std::shared_ptr<const LinearisationPoint> function = {};

  // Returns the points (S, D + U) at which the field is known.
  Matrix PointsWithInputs() const;
};

// The force of process noise on all trajectories.
struct ForceOnPieces {
  NoisePieces pieces;
  std::vector<double> values;  // (P, D)
};

// Returns the approximation around the solutions of `field` that start at x0 (N, D). If `noise` is
// not Gaussian, each observation is replaced by its Gaussian working response near the solution
// (Likelihood::WorkingAt). Observations that a solution does not reach are left out. If a
// derivative is not finite, the result has no rows (r = 0).
LinearisedLikelihood Linearise(const Field& field, const Matrix& x0,
                               const std::vector<TimedValues>& trajectories,
                               const ObservationMap& map, const WeightedNoise& noise,
                               const SolverOptions& solver, const ForceOnPieces& force = {});

// Sets `design` (r, n) to the matrix W with W z = Q (F, x0, w). Here z holds the latent variables
// of the function, then the start states x0, then one variable for each component of the force w on
// each piece, which is `force_scale` (P D) times that variable. `basis` (UnknownFunction::Basis at
// the nodes) maps latent variables to the field values F. The residual of a process is left out.
void MakeDesign(const LinearisedLikelihood& linear, std::span<const Matrix> basis,
                std::span<const double> force_scale, Eigen::MatrixXd& design);

// The ties between segments of multiple shooting, where each segment counts as a trajectory:
// segment n ends where segment next[n] starts, up to an error whose variance is one over
// `precision`. A segment with next[n] = kNone is not tied.
struct SegmentTies {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<std::size_t> next;  // (N)
  Vector precision;               // (D)
};

// Returns the approximation around the solutions of segments that start at `states` (N, D). The
// rows of all observed values come first, then D rows for each tie.
LinearisedLikelihood LineariseSegments(const Field& field, const Matrix& states,
                                       const std::vector<TimedValues>& segments,
                                       const SegmentTies& ties, const ObservationMap& map,
                                       const WeightedNoise& noise, const SolverOptions& solver);

// Returns the likelihood with the start states of all but the first `kept` trajectories or segments
// integrated out under a flat prior.
LinearisedLikelihood WithoutStates(const LinearisedLikelihood& linear, std::size_t kept);

}  // namespace gpode
