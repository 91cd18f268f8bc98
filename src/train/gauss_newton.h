// A fast point estimate of a process by multiple shooting, from which the chains of a sampler
// start.
//
// The unknowns are the latent variables z of the function and the states s_n at the start of the
// segments. Segments are tied by a Gaussian tolerance (paper, equation 16). The log density of the
// unknowns is maximised by Gauss-Newton steps: linearising the solution of each segment in the
// field and in its start state (linearised_likelihood.h) leaves a linear least-squares problem for
// all unknowns together. After some steps, noise and hyperparameters are estimated from the
// linearised model, and the tolerance is lowered. The last tolerance is so small that the segments
// make up whole solutions.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <vector>

#include "train/sampled_target.h"

namespace gpode {

// Returns the flat parameters of the target at the estimate. Returns none if whole solutions from
// the initial states do not follow the data, which happens over many periods of a chaotic system.
// Overwrites the target's flat parameters (SetFlat) and its approximation of the likelihood
// (SetLinear).
std::vector<double> FitByGaussNewton(SampledTarget& target);

}  // namespace gpode
