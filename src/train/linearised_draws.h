// Draws from the posterior of a model, starting from draws of a linearised model.
//
// With the linearised likelihood (linearised_likelihood.h), the latent variables and initial states
// are Gaussian given the hyperparameters. So
//   1. hyperparameters are drawn from their evidence, by weighted draws of a t distribution or, if
//      the weights are not reliable, by the No-U-Turn sampler,
//   2. everything else is drawn given the hyperparameters,
//   3. the draws are weighted by the density of the model itself (gpode/importance.h), and
//   4. many short chains start from draws chosen by weight. Each chain linearises the likelihood
//      again where it starts, and once more after a few iterations, because how strongly a solution
//      responds to changes of the field differs from draw to draw. The whitened coordinates are those
//      of that linearisation. An iteration of a chain moves the whitened coordinates and the noise by
//      the No-U-Turn sampler, then the residual's weights by elliptical slice sampling, then the
//      hyperparameters by proposals from step 1 and by small normal steps, which a
//      Metropolis-Hastings test accepts or not.
// The posterior of the model itself, not of the linearised one, is the stationary distribution of
// the chains, so that draws become exact as the chains get longer. The larger the Pareto shape of
// the weights, the longer the chains have to be.
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
  double pareto_k = 0;  // the Pareto shape of the weights of step 3
};

// `start` is the position around which the likelihood is linearised. `nuts` are the options of a
// sampler of all variables; the result has about half as many draws as they ask for, and at least
// four in each chain. The result has no chains if no hyperparameters could be drawn. The keeper
// saves and resumes the short chains. They end soon after must_stop(), which any thread may call,
// has returned true.
LinearisedDraws SampleLinearised(const SampledTarget& target, const Vector& start,
                                 const NutsOptions& nuts, ChainKeeper& keeper,
                                 const std::function<bool()>& must_stop);

// Returns the number of iterations of all short chains together.
std::size_t IterationsOfLinearised(const SamplerOptions& options);

}  // namespace gpode
