// Scores of bands: how often they contain the true or observed value, and how wide they are.
//
// A value is one channel at one time. Its bands are the central 50, 90 and 95 % of the posterior's
// draws of that value. The bands with noise are those of the mixture of the likelihood over draws.
//
//   truth_*     1 if the noise-free value is in the band of the draws, else 0
//   observed_*  1 if the noisy observation is in the band with noise, else 0
//   MNLL, CRPS  scores of the noisy observation (gpode/scores.h)
//   MSE         squared error of the draws' mean against the noise-free value, or against the
//               observation if the truth is unknown
//   width       width of the 90 % band of the draws
//
// The time for a CRPS grows with the square of the number of draws. The CRPS is therefore computed
// from fewer draws: sorted draws are grouped by four, and the median of each group stands for the
// group.
//
// MNLL, CRPS, MSE and width are in units of the channel's spread (BandsTask::spread). A score is
// the average over all values.
//
// A draw ran away if it is not finite or is more than kFarAway spreads from the observations' mean.
// Bands are those of the other draws. If such a band contains the value, the value counts as the
// share of draws that did not run away instead of as 1. Draws that ran away have probability zero
// in MNLL and are left out of CRPS, MSE and width, which are infinite if all draws ran away.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   CalibrationScores scores = ScoreBands(posterior, task, 1);
//   scores.all.truth_90;
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "experiments/tasks.h"
#include "gpode/posterior.h"

namespace gpode::experiments {

inline constexpr double kFarAway = 100;         // in units of the channel's spread
inline constexpr std::size_t kBandDraws = 512;  // With fewer draws, bands would be too narrow.

struct BandScores {
  double truth_50 = NAN, truth_90 = NAN, truth_95 = NAN;           // NaN if the truth is unknown
  double observed_50 = NAN, observed_90 = NAN, observed_95 = NAN;  // NaN without observations
  double mnll = NAN, crps = NAN, mse = NAN, width = NAN;
  double ran_away = NAN;  // the share of draws that ran away
};

// One member of BandScores: its name in files, over which values it is averaged, and the score that
// a failed run gets.
enum class Values { kTruths, kObservations, kAll };
struct BandScore {
  const char* name;
  double BandScores::*member;
  Values over;
  double failed;
};
inline constexpr std::array<BandScore, 11> kBandScores = {
    {{"truth_50", &BandScores::truth_50, Values::kTruths, 0},
     {"truth_90", &BandScores::truth_90, Values::kTruths, 0},
     {"truth_95", &BandScores::truth_95, Values::kTruths, 0},
     {"observed_50", &BandScores::observed_50, Values::kObservations, 0},
     {"observed_90", &BandScores::observed_90, Values::kObservations, 0},
     {"observed_95", &BandScores::observed_95, Values::kObservations, 0},
     {"mnll", &BandScores::mnll, Values::kObservations, HUGE_VAL},
     {"crps", &BandScores::crps, Values::kObservations, HUGE_VAL},
     {"mse", &BandScores::mse, Values::kAll, HUGE_VAL},
     {"width", &BandScores::width, Values::kAll, HUGE_VAL},
     {"ran_away", &BandScores::ran_away, Values::kAll, 1}}};

inline constexpr std::size_t kHorizons = 3;

struct CalibrationScores {
  BandScores all;                             // scores of all values that were held back
  std::array<BandScores, kHorizons> horizon;  // the same in each third of their time span
  BandScores seen;                            // scores of the truth at the training times
};

// Scores the posterior's bands at the held-back times of a task. Each time is reached from the last
// learnt state before it (Origin::kLatestState), as in `gpode forecast` and `gpode impute`.
CalibrationScores ScoreBands(const Posterior& posterior, const Task& task, std::uint64_t seed);

// Scores a forecast against truth and observations, (T, channels) each. One of the two may have no
// rows, which means that it is unknown. `centre` and `spread` (channels) are the mean and the
// spread of the observations.
BandScores ScoreForecast(const Forecast& forecast, const Matrix& truth, const Matrix& observed,
                         const Vector& centre, const Vector& spread);

}  // namespace gpode::experiments
