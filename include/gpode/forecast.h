// Forecasts from a learnt model.
//
// A forecast is a set of draws: functions from the posterior of the field, each integrated from a
// start drawn from the posterior of a state, or given. posterior.h has more ways to start one,
// scores.h compares it with what was seen.
//
// Thread safety: the functions start their own threads; a Forecast is a plain value. The same bits
// for any number of threads.
//
//   Forecast forecast = ForecastTrajectory(model, 0, times);
//   Matrix low = forecast.Quantile(0.05), high = forecast.Quantile(0.95);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpode/model.h"

namespace gpode {

// Where a forecast of a training trajectory starts.
enum class Origin {
  kInitialState,  // from the initial state, through all the data: the paper's protocol
  // Every time is reached from the last learnt state at or before it: a shooting state or, before
  // the first of these, the initial state. A model whose training ended on the vanilla bound has no
  // shooting states, and both origins are the same. Long and chaotic series need it, and so do gaps
  // within them.
  kLatestState,
};

struct ForecastOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;              // 0: as many as the machine has
  Origin from = Origin::kInitialState;  // of forecasts of training trajectories
  bool states = false;                  // keep the draws' states beside their channels
};

struct Forecast {
  std::vector<double> times = {};  // (T)
  // One (T, channels) per draw, in the user's units, without observation noise. Draws that diverged
  // before some time have NaN from there on and are counted.
  std::vector<Matrix> draws = {};
  std::size_t diverged = 0;
  std::vector<Matrix> states = {};  // one (T, D) per draw in the user's units, if asked for
  ObservationNoise noise = {};      // how channels are observed, as the model learnt

  // (T, channels) each. The mean is NaN where a draw diverged; quantiles are those of the other
  // draws, and NaN where there are none.
  Matrix Mean() const;
  Matrix Quantile(double p) const;  // linear between draws
  // The quantiles of new observations: those of the mixture of the likelihood over the draws.
  // -infinity and infinity for p = 0 and 1.
  Matrix PredictiveQuantile(double p) const;
};

// From the posterior of a training trajectory's states, at times that do not decrease, on either
// side of its start.
Forecast ForecastTrajectory(const Model& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options = {});

// From a known state: values of all channels at `start`, mapped to the nearest state.
Forecast ForecastFrom(const Model& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options = {});

}  // namespace gpode
