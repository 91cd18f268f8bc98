// Held-back data: the tail of each trajectory is kept from training, forecast, and compared.
//
// The comparison says how good forecasts are, by channel and horizon, beside two simple ones made
// from the same rows: persistence (the last value stays) and a linear model x' = A x + b. It also
// says whether the bands are wide enough, and by how much they have to be widened (widening.h).
// docs/holdout.md has the formulas.
//
// Thread safety: plain values; AssessHoldout starts its own threads and gives the same bits for any
// number of them.
//
//   TrainedModel run = TrainWithHoldout(data, options, {.share = 0.2});  // training.h
//   for (const HoldoutRow& row : run.holdout->report.rows) ... row.rmse, row.persistence ...
//
//   HeldBack parts = HoldBack(data, {.share = 0.2});
//   Model model = Fit(parts.seen, options);
//   HoldoutReport report = AssessHoldout(model, parts.seen, parts.held);
//   model.widening = report.widening;  // wider bands in all forecasts of this model from now on
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/model.h"

namespace gpode {

// Says which rows are held back, and what happens after the comparison.
struct HoldoutOptions {
  // The last rows of each trajectory, as a share of its rows: at least one row, and two or more stay
  // for training. A trajectory of fewer than three rows is used for training whole.
  double share = 0.2;
  std::optional<double> after = {};  // instead of a share: all rows after this time
  bool refit = true;                 // learn from all rows in the end

  bool operator==(const HoldoutOptions&) const = default;
};

// Both have the trajectories of the data, one for one; those of `held` may have no rows.
struct HeldBack {
  Dataset seen, held;
};

// Throws an InputError if nothing would be held back, or too little would stay.
HeldBack HoldBack(const Dataset& data, const HoldoutOptions& options = {});
// Returns the data that HoldBack has split.
Dataset Rejoin(const Dataset& seen, const Dataset& held);

// The error of a forecast of one held-back value.
struct HeldError {
  std::size_t trajectory = 0, channel = 0;
  double horizon = 0;    // the time since the last observation
  double error = 0;      // the value minus the median of the forecast
  double deviation = 0;  // the half-width of the 90 % band of observations, divided by 1.645
};

// Returns the widening that these errors ask for. They are ordered by time within each trajectory
// and channel. A channel is widened only if it has at least kFewestHeld values and its errors are
// larger than its bands allow (a chi-squared test at the level 0.1, with as many degrees of freedom
// as the errors are worth independent ones). Its extra variance at a horizon is then the largest
// mean of f error^2 - deviation^2 in a third of the horizons up to there, with the factor f >= 1 that
// turns normal into Student's quantiles for that number of independent errors.
BandWidening FitWidening(std::span<const HeldError> errors, std::size_t channels);
inline constexpr std::size_t kFewestHeld = 5;

// Forecasts of one channel, compared with its held-back values in one third of the horizons.
struct HoldoutRow {
  std::size_t channel = 0;
  double from = 0, to = 0;  // horizons, the second included
  std::size_t values = 0;
  // Root mean square errors of the median, of the last value, and of the linear model.
  double rmse = 0, persistence = 0, linear = 0;
  // The shares of values inside the 90 % bands of observations, before and after widening.
  double inside = 0, inside_widened = 0;

  // Returns 1 - MSE / (MSE of the better simple forecast): 1 is perfect, 0 is no better.
  double Skill() const;
};

struct HoldoutReport {
  std::size_t seen_times = 0, held_times = 0;  // rows of all trajectories together
  std::size_t diverged = 0;                    // number of draws
  std::vector<HoldoutRow> rows = {};           // channel after channel, by horizon
  BandWidening widening = {};

  // Returns a sentence for each thing to beware of: bands that were too narrow or cannot be judged,
  // forecasts that are no better than simple ones. `channels` are the names.
  std::vector<std::string> Remarks(const std::vector<std::string>& channels) const;
};

// Forecasts the held-back rows of a model that has learnt from `seen`, from its latest states, and
// compares them; at a few thousand times at most.
HoldoutReport AssessHoldout(const Model& model, const Dataset& seen, const Dataset& held,
                            std::size_t draws = 256, std::uint64_t seed = 1,
                            std::size_t threads = 0);

// A training run with held-back data.
struct Holdout {
  HoldoutOptions options = {};
  Dataset held = {};          // no trajectories once the model learns from all rows
  HoldoutReport report = {};  // no rows before the comparison
};

}  // namespace gpode
