// Forecasts from a learnt model.
//
// A forecast is a set of draws: fields drawn from the posterior, each integrated from a start that
// is given or drawn from the posterior of a state. posterior.h has more ways to start a forecast,
// scores.h compares it with observations.
//
// If held-back data have shown that a model's bands are too narrow, quantiles and scores are
// computed as if the draws spread more widely (widening.h). The draws themselves and their mean do
// not change.
//
// The solver may take FitOptions::solver.max_steps steps for the longest span of the training data,
// and more in proportion for longer spans, but not more than ten million unless max_steps is more.
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them.
//
//   Forecast forecast = ForecastTrajectory(model, 0, times);
//   Matrix low = forecast.Quantile(0.05), high = forecast.Quantile(0.95);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpode/model.h"

namespace gpode {

// The state that a forecast of a training trajectory starts from.
enum class Origin {
  kInitialState,  // the initial state, as in the paper
  // The last learnt state at or before each time: a shooting state or, before the first shooting
  // state, the initial state. A model whose training ended on the vanilla bound has no shooting
  // states, so that both origins are the same. Long or chaotic series need this origin, and so does
  // the imputation of gaps in them.
  kLatestState,
};

struct ForecastOptions {
  std::size_t draws = 128;
  std::uint64_t seed = 1;
  std::size_t threads = 0;              // 0: as many as the machine has
  Origin from = Origin::kInitialState;  // for forecasts of training trajectories
  bool states = false;                  // if true, the forecast also holds the states of the draws
  // Samples of the measured inputs (inputs.h). In a forecast of a training trajectory, they replace
  // all of its own samples that are not earlier than the first of them. A forecast from a given
  // state uses only these samples. They must cover all times that the forecast passes through. If
  // hold_inputs is true, the last value is kept after the last sample.
  InputSamples inputs = {};
  bool hold_inputs = false;
};

// The largest share of draws that may be lost at a time whose quantiles are not NaN.
inline constexpr double kMostLost = 0.05;

struct Forecast {
  std::vector<double> times = {};  // (T)
  // One matrix (T, channels) per draw, in the user's units, without observation noise. A draw whose
  // integration failed is lost: it is NaN at the times that the integration did not reach.
  MatrixStack draws = {};
  std::size_t diverged = 0;                  // the number of draws that ran away
  std::vector<std::size_t> unfinished = {};  // indices of draws that ran out of solver steps
  std::size_t stiff = 0;        // the number of draws whose step sizes were limited by stability
  MatrixStack states = {};      // one (T, D) per draw in the user's units, if requested
  ObservationNoise noise = {};  // the learnt likelihood of the channels
  // The extra standard deviations by which bands are widened (widening.h): of the channels
  // (T, channels) and, unless `states` is empty, of the states (T, D). Empty if bands are not
  // widened.
  Matrix widening = {}, state_widening = {};

  // Both return (T, channels). The mean is NaN where a draw is lost. Nobody knows on which side of
  // a band a lost draw would be: for a quantile below the median it counts as smaller than all
  // others, for one above the median as larger, so that bands become wider; for the median it is
  // left out. Quantiles are NaN where the quantile would be a lost draw, or more than kMostLost of
  // the draws are lost.
  Matrix Mean() const;
  Matrix Quantile(double p) const;  // interpolates linearly between the sorted draws
  // Returns the quantiles p of new observations, whose distribution is the average of the
  // likelihood over the draws. If there is noise, they are -infinity and infinity for p = 0 and 1.
  Matrix PredictiveQuantile(double p) const;
  // Returns the forecast of the states in place of the channels; states have no noise.
  Forecast OfStates() const;
};

// Counts the lost draws of one or several forecasts.
struct LostDraws {
  std::size_t draws = 0;  // all draws, lost or not
  std::size_t diverged = 0, unfinished = 0;
  std::size_t stiff = 0;  // draws whose step sizes were limited by stability, lost or not
  bool many = false;      // at some time of a forecast, more than kMostLost of its draws are lost
  bool all = false;       // at some time of a forecast, all its draws are lost

  void Add(const Forecast& forecast);
  void Add(const LostDraws& others);
  // Returns a sentence that recommends the method for stiff systems if stability limited the step
  // sizes of an explicit method, and otherwise an empty text.
  std::string StiffnessRemark() const;
  // Returns a sentence about the lost draws if `many` is true, and otherwise an empty text.
  std::string Warning() const;
};

// Forecasts a training trajectory from the posterior of its states. Times must not decrease; they
// may be before the start of the trajectory.
Forecast ForecastTrajectory(const Model& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options = {});

// Forecasts from known values of all channels at time `start`, which are mapped to the nearest
// state.
Forecast ForecastFrom(const Model& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options = {});

}  // namespace gpode
