// Simulation-based calibration: the rank of a truth among draws from its posterior.
//
// If truths are drawn from the model's prior and the posterior is exact, the rank, which is the
// number of draws below the truth among L draws, is uniform on 0, ..., L. Summaries have a
// histogram of the ranks over data sets in kRankBins bins, its chi-square statistic against the
// uniform distribution with p-value, and the coverage of central bands that follows from the ranks.
//
// Ranked quantities:
//   start STATE           the state at time 0
//   state STATE at T      the state at times in and after the data
//   slope STATE at k      the field at the k-th of three states: the truth's states at a quarter
//                         and at three quarters of the span, and the origin
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   std::vector<TruthRank> ranks = RankTruth(posterior, *task.prior, channels, /*seed=*/1);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/prior_truth.h"
#include "gpode/posterior.h"

namespace gpode::experiments {

inline constexpr std::size_t kRankDraws = 63;  // L, so that ranks are from 0 to 63
inline constexpr std::size_t kRankBins = 8;

struct TruthRank {
  std::string quantity;
  std::size_t rank = 0;  // the number of draws below the truth
};

// Returns the ranks of a truth whose channels are its states. A draw that is not finite counts as
// above the truth if its index is even, and as below if it is odd, so that about half of these
// draws are on either side.
std::vector<TruthRank> RankTruth(const Posterior& posterior, const PriorTruth& truth,
                                 std::span<const std::string> channels, std::uint64_t seed);

struct RankSummary {
  std::string quantity;
  std::array<std::size_t, kRankBins> counts = {};
  double chi_square = 0, p_value = 1;
  double coverage_50 = 0, coverage_90 = 0, coverage_95 = 0;

  std::size_t runs() const;
};

// Summarises the ranks of one quantity.
RankSummary SummariseRanks(std::string quantity, std::span<const std::size_t> ranks);

// Returns the probability that a chi-square variable with seven degrees of freedom exceeds x.
double ChiSquareTail7(double x);

}  // namespace gpode::experiments
