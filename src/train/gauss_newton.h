// A fast point estimate of a process by multiple shooting: where the chains of a sampler start.
//
// The unknowns are the latent variables z of the function and the states s_n at the start of the
// segments. Their log density, with segments tied by a Gaussian tolerance (paper, equation 16), is
// maximised by Gauss-Newton steps: the solution of each segment is linearised in the field and in
// its start state (linearised_likelihood.h), which leaves a linear least squares problem for all
// unknowns together. After some steps, the tolerance is lowered, and hyperparameters and noise are
// set to what the linearised model says. The last tolerance is so small that the segments make up
// whole solutions.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <vector>

#include "train/sampled_target.h"

namespace gpode {

// Returns the flat parameters of the target's parts at the estimate, or none if whole solutions from
// the initial states do not follow the data, as over many periods of a chaotic system. Uses and
// changes the target's own flat parameters and approximation of the likelihood.
std::vector<double> FitByGaussNewton(SampledTarget& target);

}  // namespace gpode
