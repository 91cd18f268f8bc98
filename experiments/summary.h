// Summaries of the runs of a method on a task: means, standard errors, differences from the paper's
// scores.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   Summary mnll = Summarise(values);
//   double z = DifferenceInErrors(mnll, {0.60, 0.03});   // negative: ours is lower, so better
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/paper_scores.h"
#include "experiments/run.h"

namespace gpode::experiments {

// A summary of one value per run, over the runs that have the value. Values may be infinite: the
// test scores of a failed run are.
struct Summary {
  std::size_t runs = 0, finite = 0;
  double mean;   // the mean of the finite values; NaN if there are none
  double error;  // the standard error of that mean; NaN if there are fewer than two
  double worst;  // the largest value, which may be infinite; NaN if there are no runs
  bool all() const { return runs > 0 && finite == runs; }
};

Summary Summarise(std::span<const double> values);

// Returns the difference of two means in standard errors, (ours - theirs) / sqrt(e1^2 + e2^2) with
// the standard errors e1 and e2 of the means. It is infinite if the value of one of our runs is,
// and NaN if a mean or an error is unknown or both errors are zero.
double DifferenceInErrors(const Summary& ours, const PaperScore& theirs);

// Summaries of the scores of bands, in the order of kBandScores. A failed run has the scores
// BandScore::failed. Each run has its own data set, so that standard errors are over data sets, not
// over values.
struct BandSummary {
  std::array<Summary, kBandScores.size()> scores;

  const Summary& Of(double BandScores::*member) const;
};

struct CalibrationSummary {
  BandSummary all;
  std::array<BandSummary, kHorizons> horizon;
  BandSummary seen;
};

// A summary of the runs of a method on a task.
struct MethodSummary {
  TaskInfo task;
  std::string method, title;
  std::size_t runs = 0, failed = 0, diverged = 0;  // numbers of runs, failed runs, diverged draws
  std::size_t warned = 0;                          // runs whose training ended with a warning
  // coverage_* is that of bands without noise, predictive_90 that of bands with noise. calibrated_*
  // are scores with the noise calibrated on validation data; they have no runs if there are no such
  // data.
  Summary mnll, mse, crps, coverage_50, coverage_90, coverage_95, predictive_90;
  Summary calibrated_mnll, calibrated_crps, calibrated_predictive_90;
  Summary validation_mnll, validation_calibrated_mnll, validation_mse;
  Summary floor, seconds, steps;
  Summary end_bound, settling_seconds, settling_steps;       // see Settling
  Summary rhat, bulk_ess, divergent, at_max_depth, sampled;  // of samplers; `sampled` counts draws
  std::vector<BandPoint> bands = {};  // means of finite values over the runs that have bands
  std::optional<PaperRow> paper;
  std::optional<CalibrationSummary> calibration;  // calibration tasks only
  std::vector<RankSummary> ranks = {};            // only tasks whose truths are prior draws
};

// The methods whose bands are compared: GPODE's variational posterior and its sampler.
inline constexpr std::string_view kVariational = "gpode", kAudit = "gpode-hmc";
inline bool HasComparedBands(std::string_view method) {
  return method == kVariational || method == kAudit;
}

// Returns summaries in the order in which their first runs appear. For runs of ReadRuns and of
// plans this is the order of the tables.
std::vector<MethodSummary> SummariseRuns(std::span<const RunRecord> runs);

// Returns the summaries and, after those of each group of calibration tasks, one more for every
// method that has several tasks in the group: the means over these tasks, with standard errors over
// data sets.
std::vector<MethodSummary> WithMeans(std::span<const MethodSummary> summaries);

}  // namespace gpode::experiments
