// Truths drawn from a prior: a field, a start and the noise. On data simulated from such truths,
// exact inference with the same prior is calibrated, so that deviations are errors of the inference
// (Talts et al. 2018, Validating Bayesian inference algorithms with simulation-based calibration).
//
// The model that is fitted to such data works in the user's units (FitOptions::scale is off), so
// that its prior does not depend on the data. This prior is that of `gpode fit`, with the numbers
// of PriorOptions:
//
//   f_d(x) = g_d(x) + b_d0 + b_d . x,   g_d ~ GP(0, k_d), k_d squared exponential,   b ~ N(0, I),
//   log lengthscales ~ N(log 3, 1),   log variances ~ N(0, 1),
//   start ~ N(0, I),   log noise ~ N(log 0.1, 1),
//
// restricted to solutions that mostly stay near the range of the data (train/bounded_draws.h): a
// truth that leaves it is accepted with probability prior.leaving, otherwise another one is drawn.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   PriorTruth truth = DrawPriorTruth(/*seed=*/1);
//   Matrix x = SolveSystem(*truth.field, truth.start, times);
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpode/field.h"
#include "gpode/fit_options.h"

namespace gpode::experiments {

struct PriorTruth {
  std::shared_ptr<const Field> field;
  std::vector<double> start;  // (D), at time 0
  std::vector<double> noise;  // (D), standard deviations
  double span = 0;            // observations are at times from 0 to span
  FitOptions options = {};    // options that give the model the prior of which the truth is a draw
};

// Returns a draw from the prior without the restriction. A seed has any number of draws.
PriorTruth DrawUnrestrictedTruth(std::uint64_t seed, std::uint64_t draw);

// Returns whether the solution of a truth, continued after its span, leaves the range of the span.
bool LeavesRange(const PriorTruth& truth);

// Returns the truth of a seed: its first draw that is accepted.
PriorTruth DrawPriorTruth(std::uint64_t seed);

}  // namespace gpode::experiments
