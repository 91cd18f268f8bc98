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
// The tolerance is the process noise that a segment collects. If the evidence of the linearised
// model is much higher with a larger tolerance than with the last one, the system is not an ODE.
//
// Thread safety: any thread may call these functions; they share no state that changes.
#pragma once

#include <optional>
#include <vector>

#include "train/sampled_target.h"

namespace gpode {

// An estimate with process noise.
struct NoisyEstimate {
  std::vector<double> flat;
  Vector deviation;  // (D): of the process noise, per square root of the model's time
  std::vector<Matrix>
      states;  // for each trajectory, the states (pieces, D) at the ends of its pieces
};

struct GaussNewtonEstimate {
  // The flat parameters of the target at the last tolerance. Empty if whole solutions from the
  // initial states do not follow the data, which happens over many periods of a chaotic system.
  std::vector<double> flat;
  // The estimate at the tolerance with the largest evidence, if that shows process noise.
  std::optional<NoisyEstimate> noisy;
};

// `pieces` are those of process noise; without any, no estimate with process noise is made.
// If `noise_is_known` is true, the estimate with the largest evidence is returned in any case.
// Overwrites the target's flat parameters (SetFlat) and its approximation of the likelihood
// (SetLinear).
GaussNewtonEstimate FitByGaussNewton(SampledTarget& target, const NoisePieces& pieces,
                                     bool noise_is_known);

}  // namespace gpode
