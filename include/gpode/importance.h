// Importance weights of draws from an approximate posterior, smoothed, with a diagnostic.
//
// Draws from an approximation q of a density p have the weights p / q. The largest weights are
// replaced by the expected order statistics of the generalised Pareto distribution that fits them
// best (Pareto smoothing). The shape k of that distribution tells how good q is: if k is below 0.5,
// the weighted draws are as good as draws from p; if it is above 0.7, they cannot be relied on.
//   A. Vehtari, D. Simpson, A. Gelman, Y. Yao, J. Gabry (2024), Pareto smoothed importance
//   sampling, JMLR 25.
//   J. Zhang, M. A. Stephens (2009), A new and efficient estimation method for the generalized
//   Pareto distribution, Technometrics 51.
//
// Thread safety: any thread may call these functions; they share no state.
//
//   SmoothedWeights weights = SmoothWeights(log_p_over_q);
//   std::vector<std::size_t> rows = Resample(weights.weights, 1000, 0.5);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpode {

struct SmoothedWeights {
  std::vector<double> weights;  // (S) for S draws; their sum is one, or zero if all weights are
  double shape = 0;             // k; SmoothWeights says when it is infinite
  double effective = 0;         // 1 / (sum of squared weights), the effective number of draws
};

// A log weight of -infinity or NaN gives the weight zero. The shape is infinite if there are too
// few weights to estimate it, and -infinity if the largest weights are all equal.
SmoothedWeights SmoothWeights(std::span<const double> log_weights);

// Returns `count` indices of draws, by systematic resampling with one uniform number in [0, 1):
// index i occurs count * weights[i] times, rounded up or down.
std::vector<std::size_t> Resample(std::span<const double> weights, std::size_t count,
                                  double uniform);

}  // namespace gpode
