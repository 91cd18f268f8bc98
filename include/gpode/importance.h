// Importance weights of draws from an approximate posterior, smoothed, with a diagnostic.
//
// Draws from q have the weights p / q. The largest of them are replaced by the expected order
// statistics of the generalised Pareto distribution that fits them best (Pareto smoothing). Its shape
// k tells how good q is: below 0.5 the weighted draws are as good as draws from p, above 0.7 they
// cannot be relied on.
//   A. Vehtari, D. Simpson, A. Gelman, Y. Yao, J. Gabry (2024), Pareto smoothed importance sampling,
//   JMLR 25.
//   J. Zhang, M. A. Stephens (2009), A new and efficient estimation method for the generalized
//   Pareto distribution, Technometrics 51.
//
// Thread safety: plain functions.
//
//   SmoothedWeights weights = SmoothWeights(log_p_over_q);
//   std::vector<std::size_t> rows = Resample(weights.weights, 1000, 0.5);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gpode {

struct SmoothedWeights {
  std::vector<double> weights;  // (S), which sum to one; -infinity becomes zero
  double shape = 0;             // k; infinite if fewer than five draws have a weight
  double effective = 0;         // one over the sum of squared weights
};

SmoothedWeights SmoothWeights(std::span<const double> log_weights);

// Returns `count` indices, each as often as its weight says, by systematic resampling from one
// uniform number.
std::vector<std::size_t> Resample(std::span<const double> weights, std::size_t count,
                                  double uniform);

}  // namespace gpode
