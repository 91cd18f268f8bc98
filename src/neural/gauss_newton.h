// How the data and the prior curve the log density around a flat vector, to first order of the
// trajectories:
//
//   A = I + sum_i J_i^T C^T diag(1 / noise_variance) C J_i,    J_i = d x(t_i) / d flat   (D, n)
//
// over observed channels; for the noise's coordinates one plus their Fisher information. Its
// inverse is near the posterior's covariance where the posterior is near normal: the sampler's mass
// matrix, and the first deviations of the mean field.
#pragma once

#include <span>

#include "neural/neural_problem.h"

namespace gpode {

// A (n, n); the identity where the trajectories cannot be integrated.
Matrix GaussNewton(const NeuralProblem& problem, std::span<const double> flat);

// A^-1.
Matrix InverseOf(const Matrix& positive_definite);

}  // namespace gpode
