// Comparison of the fields of two models, and forecasts in which a state is pushed.
//
// CompareFields draws both fields at common states and summarises the difference A - B over pairs
// of draws. The local false sign rate of a value is the probability that the difference has the
// other sign than its mean, for a normal distribution with the mean and standard deviation of the
// draws. The values that "differ" are the largest set whose mean local false sign rate is at most a
// given rate.
//   Stephens: False discovery rates: a new deal (2017).
// The probability that the fields differ nowhere comes from a simultaneous band: it is the share of
// draws whose largest standardised deviation from the mean, over all states and components, is at
// least as large as the deviation of zero from the mean.
//
// Only states near the data of both models are compared.
//
// ForecastPushed answers what-if questions: at given times, states change by given amounts.
//
// Thread safety: the functions start their own threads, and results have the same bits for any
// number of them.
//
//   FieldDifference difference = CompareFields(a, data_a, b, data_b);
//   const Push push{.time = 3, .change = Vector{{0.5, 0}}};
//   Forecast pushed = ForecastPushed(posterior, 0, times, {push});
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpode/fixed_points.h"
#include "gpode/forecast.h"
#include "gpode/posterior.h"

namespace gpode {

struct CompareOptions {
  std::size_t draws = 256;
  std::uint64_t seed = 1;
  std::size_t threads = 0;           // 0: as many as the machine has
  std::size_t side = 25;             // points along each axis, up to two states
  std::optional<StateBox> box = {};  // by default where the ranges of both models' data overlap
  double level = 0.9;                // probability of the bands
  double rate = 0.05;                // false discovery rate
};

struct FieldDifference {
  std::vector<std::string> states = {};  // names (D)
  StateBox box = {};
  std::size_t side = 0;            // points along each axis, 0 if the points are not a grid
  Matrix points = {};              // (n, D); the last state varies fastest in a grid
  std::vector<bool> inside = {};   // (n): near the data of both models
  Matrix mean = {};                // (n, D): the difference A - B
  Matrix lower = {}, upper = {};   // (n, D): the band of the difference
  Matrix false_sign = {};          // (n, D): local false sign rates
  std::vector<bool> differs = {};  // (n D): true if the fields differ there; false outside
  double share = 0;                // the share of the compared values that differ
  double chance = 1;               // the probability that the fields differ nowhere, as above
  double rate = 0.05, level = 0.9;
};

// Compares the fields of two models. Throws an InputError unless both models have the same states
// and no inputs, and their data have a common region.
FieldDifference CompareFields(const Posterior& a, const Dataset& data_a, const Posterior& b,
                              const Dataset& data_b, const CompareOptions& options = {});

// A sudden change of the states at a time.
struct Push {
  double time = 0;
  Vector change = {};  // (D)
};

// Forecasts a training trajectory as Posterior::Trajectory does, with the given pushes, which are
// in the order of time. The forecast at the time of a push is the state after the push. Throws an
// InputError if a push comes before the trajectory's start, or if the model has process noise.
Forecast ForecastPushed(const Posterior& posterior, std::size_t trajectory,
                        std::span<const double> times, const std::vector<Push>& pushes,
                        const ForecastOptions& options = {});

}  // namespace gpode
