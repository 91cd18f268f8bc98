// Draws from the posterior of a model by way of its linearised one.
//
// With the linearised likelihood (linearised_likelihood.h) everything but the hyperparameters is
// Gaussian given them. So
//   1. hyperparameters are drawn from their evidence, by weighted draws of a t distribution or, if
//      the weights are not reliable, by the No-U-Turn sampler,
//   2. everything else is drawn given them,
//   3. the draws are weighted by the density of the model itself (gpode/importance.h), and
//   4. many short chains start from draws chosen by weight. An iteration of a chain moves the
//      whitened coordinates and the noise by the No-U-Turn sampler, then the residual's weights by
//      elliptical slice sampling, then the hyperparameters by proposals from step 1 and by small
//      normal steps, which a Metropolis-Hastings test accepts or not.
// The chains leave the posterior of the model itself as it is, so that draws become exact with the
// length of the chains. The larger the Pareto shape of the weights, the longer they would have to be.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include "gpode/fit_options.h"
#include "gpode/nuts.h"
#include "train/chain_keeper.h"
#include "train/sampled_target.h"

namespace gpode {

struct LinearisedDraws {
  NutsResult moved;     // positions of the target, and the residual's weights as further variables
  double pareto_k = 0;  // of the weights of step 3
};

// `start` is the position around which the likelihood is linearised. `nuts` are the options of a
// sampler of everything; the result has half as many draws as they ask for, and no chains if their
// report stopped the sampler. The keeper saves and resumes the short chains. Chains end soon after
// must_stop(), which any thread may call, returns true.
LinearisedDraws SampleLinearised(const SampledTarget& target, const Vector& start,
                                 const NutsOptions& nuts, ChainKeeper& keeper,
                                 const std::function<bool()>& must_stop);

// The number of iterations of all short chains together.
std::size_t IterationsOfLinearised(const SamplerOptions& options);

}  // namespace gpode
