// Forecasts from a learnt model.
//
// A forecast is a set of draws: fields drawn from the posterior, each integrated from a start that
// is given or drawn from the posterior of a state. posterior.h has more ways to start a forecast,
// scores.h compares it with observations.
//
// If held-back data have shown that a model's bands are too narrow, quantiles and scores are those
// of wider draws (widening.h); the draws themselves and their mean stay as they are.
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them. A Forecast is a plain value.
//
//   Forecast forecast = ForecastTrajectory(model, 0, times);
//   Matrix low = forecast.Quantile(0.05), high = forecast.Quantile(0.95);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpode/model.h"

namespace gpode {

// The state that a forecast of a training trajectory starts from.
enum class Origin {
  kInitialState,  // the initial state, as in the paper
  // The last learnt state at or before each time: a shooting state or, before the first of these,
  // the initial state. A model whose training ended on the vanilla bound has no shooting states, so
  // that both origins are the same. Long or chaotic series need this origin, and so does the
  // imputation of their gaps.
  kLatestState,
};

struct ForecastOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;              // 0: as many as the machine has
  Origin from = Origin::kInitialState;  // for forecasts of training trajectories
  bool states = false;                  // keep the states of the draws as well
};

struct Forecast {
  std::vector<double> times = {};  // (T)
  // One (T, channels) per draw, in the user's units, without observation noise. A draw that
  // diverged is NaN from then on; `diverged` is the number of such draws.
  std::vector<Matrix> draws = {};
  std::size_t diverged = 0;
  std::vector<Matrix> states = {};  // one (T, D) per draw in the user's units, if asked for
  ObservationNoise noise = {};      // the learnt likelihood of the channels
  // The extra standard deviations of channels (T, channels) and, with the states, of states (T, D)
  // that held-back data ask for; empty if they ask for none.
  Matrix widening = {}, state_widening = {};

  // Both return (T, channels). The mean is NaN where a draw diverged; quantiles are those of the
  // other draws, and NaN where all diverged.
  Matrix Mean() const;
  Matrix Quantile(double p) const;  // linear between draws
  // Returns the quantiles of new observations, those of the mixture of the likelihood over the
  // draws; -infinity and infinity for p = 0 and 1.
  Matrix PredictiveQuantile(double p) const;
  // Returns the forecast of the states in place of the channels; states have no noise.
  Forecast OfStates() const;
};

// Forecasts a training trajectory from the posterior of its states. Times must not decrease; they
// may lie before its start.
Forecast ForecastTrajectory(const Model& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options = {});

// Forecasts from known values of all channels at time `start`, which are mapped to the nearest
// state.
Forecast ForecastFrom(const Model& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options = {});

}  // namespace gpode
