// Runs of a method on a task, summed up: means, standard errors, how far from the paper.
//
// Thread safety: plain functions and values.
//
//   Summary mnll = Summarise(values);
//   double z = DifferenceInErrors(mnll, {0.60, 0.03});   // negative: ours is lower, so better
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/paper_scores.h"
#include "experiments/run.h"

namespace gpode::experiments {

// Of the values of `runs` runs. A run that failed or whose draws diverged counts as infinite.
struct Summary {
  std::size_t runs = 0, finite = 0;
  double mean;   // of the finite values; NaN: there are none
  double error;  // standard error of that mean; NaN: fewer than two
  double worst;  // the largest, infinite ones included; NaN: no runs
  bool all() const { return runs > 0 && finite == runs; }
};

Summary Summarise(std::span<const double> values);

// (ours - theirs) / sqrt(e1^2 + e2^2); infinite where one of our runs is; NaN where a figure or an
// error is not known, or both errors are zero.
double DifferenceInErrors(const Summary& ours, const PaperScore& theirs);

// A method's runs on a task.
struct MethodSummary {
  TaskInfo task;
  std::string method, title;
  std::size_t runs = 0, failed = 0, diverged = 0;  // runs, runs, draws
  // coverage_*: bands without noise; predictive_90: with. calibrated_*: with the noise calibrated
  // on validation data; no runs where there are none.
  Summary mnll, mse, crps, coverage_50, coverage_90, coverage_95, predictive_90;
  Summary calibrated_mnll, calibrated_crps, calibrated_predictive_90;
  Summary validation_mnll, validation_calibrated_mnll, validation_mse;
  Summary floor, seconds, steps;
  Summary end_bound, settling_seconds, settling_steps;       // of the bound's history
  Summary rhat, bulk_ess, divergent, at_max_depth, sampled;  // of samplers; sampled: draws
  std::vector<BandPoint> bands = {};  // means over the runs that have them, as far as finite
  std::optional<PaperRow> paper;
};

// Bands are compared of GPODE's variational posterior and of its sampler.
inline constexpr std::string_view kVariational = "gpode", kAudit = "gpode-hmc";
inline bool BandsAreCompared(std::string_view method) {
  return method == kVariational || method == kAudit;
}

// In the order of the runs' first appearance, which ReadRuns and plans make that of the tables.
std::vector<MethodSummary> SummariseRuns(std::span<const RunRecord> runs);

}  // namespace gpode::experiments
