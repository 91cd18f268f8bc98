// Held-back data: the last rows of each trajectory are not used for training. They are forecast,
// and the forecast is compared with them.
//
// The comparison measures the errors of the forecast by channel and horizon (the time since the
// last training row), together with those of two simple forecasts made from the same training rows:
// persistence (the last value stays) and a linear model x' = A x + b. It also says whether the
// bands are wide enough, and by how much they have to be widened (widening.h). docs/holdout.md has
// the formulas.
//
// Thread safety: any thread may call these functions. AssessHoldout starts its own threads and
// gives the same bits for any number of them.
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
  // The share of each trajectory's rows that are held back: its last rows, at least one of them; at
  // least two rows stay for training. A trajectory of fewer than three rows is only trained on.
  double share = 0.2;
  std::optional<double> after = {};  // if set, all rows after this time instead of a share
  bool refit = true;                 // if true, trains again on all rows after the comparison

  bool operator==(const HoldoutOptions&) const = default;
};

// The two parts of the data. Each has all trajectories; one in `held` may have no rows.
struct HeldBack {
  Dataset seen, held;
};

// Throws an InputError if nothing would be held back, or too little would be left for training.
HeldBack HoldBack(const Dataset& data, const HoldoutOptions& options = {});
// Joins the two parts again.
Dataset Rejoin(const Dataset& seen, const Dataset& held);

// The error of a forecast of one held-back value.
struct HeldError {
  std::size_t trajectory = 0, channel = 0;
  double horizon = 0;    // the time since the trajectory's last training row
  double error = 0;      // the value minus the median of the forecast
  double deviation = 0;  // the half-width of the 90 % band of observations, divided by 1.645
};

// Computes the widening of bands from errors, which are in order of time within each trajectory and
// channel.
//
// Let n be the effective number of independent errors of a channel (their number divided by their
// autocorrelation time). The channel is widened only if it has at least kFewestHeld values and a
// chi-squared test with n degrees of freedom (level 0.1) finds its errors too large for its bands.
// The horizons are split into thirds with about the same number of values each (into one part if no
// channel has nine values). The extra variance of a third is the mean of f error^2 - deviation^2
// over its values, but never negative, nor less than that of an earlier third. f is the squared
// ratio of the 0.95 quantiles of Student's t (n degrees of freedom) and of the normal distribution.
// The knots of the widening are the mean horizons of the thirds.
BandWidening FitWidening(std::span<const HeldError> errors, std::size_t channels);
inline constexpr std::size_t kFewestHeld = 5;

// Forecasts of one channel, compared with its held-back values in one third of the horizons.
struct HoldoutRow {
  std::size_t channel = 0;
  double from = 0, to = 0;  // the range of horizons: from < horizon <= to
  std::size_t values = 0;
  // Root mean square errors of the forecast's median, of persistence, and of the linear model. The
  // first is infinite if a value could not be forecast because too many draws were lost.
  double rmse = 0, persistence = 0, linear = 0;
  // The shares of values inside the 90 % bands of observations, before and after widening. A value
  // that could not be forecast is outside.
  double inside = 0, inside_widened = 0;

  // Returns 1 - MSE / (MSE of the better simple forecast): 1 for a perfect forecast, 0 for one that
  // is as good as the simple forecast. If the simple forecast has no error, returns 0 for a perfect
  // forecast and otherwise -infinity.
  double Skill() const;
};

struct HoldoutReport {
  std::size_t seen_times = 0, held_times = 0;  // rows of all trajectories together
  std::size_t diverged = 0;                    // number of draws that ran away
  std::size_t unfinished = 0;                  // number of draws that ran out of solver steps
  std::vector<HoldoutRow> rows = {};           // ordered by channel, then by horizon
  BandWidening widening = {};

  // Returns a sentence for each problem: bands that were too narrow or cannot be judged, forecasts
  // that are no better than simple ones. `channels` are the names of the channels.
  std::vector<std::string> Remarks(const std::vector<std::string>& channels) const;
};

// Forecasts the held-back rows with a model that has learnt from `seen`, starting from the model's
// latest states, and compares the forecast with the rows. If there are more than about two thousand
// held-back times, evenly chosen ones are compared.
HoldoutReport AssessHoldout(const Model& model, const Dataset& seen, const Dataset& held,
                            std::size_t draws = 256, std::uint64_t seed = 1,
                            std::size_t threads = 0);

// A training run with held-back data.
struct Holdout {
  HoldoutOptions options = {};
  Dataset held = {};          // has no trajectories once the model is trained on all rows
  HoldoutReport report = {};  // has no rows before the comparison
};

}  // namespace gpode
