// Conditions a model on new data: observations of trajectories that it has not seen, or longer
// versions of trajectories that it has seen. The field is not trained again; only the start of each
// new trajectory, its hidden states and its process noise are inferred.
//
// For a field f drawn from the posterior, the start x0 (standard normal a priori in the model's
// coordinates) and the normals w of the process noise have the posterior
//
//   p(x0, w | y, f)  proportional to  p(y | x0, w, f) p(x0) p(w)
//
// A Gauss-Newton method finds its mode for each field, and the normal distribution q with the
// curvature at the mode gives one draw of (x0, w). The pair of field and start has the weight
//
//   p(y | x0, w, f) p(x0) p(w) / q(x0, w)
//
// so that fields that cannot follow the new data count less. The conditioned model keeps draws that
// are resampled with Pareto smoothed weights (importance.h). If rows of a new trajectory were also
// training data, the weight is divided by the evidence of these rows, so that they do not count
// twice.
//
// The result is a model whose trajectories are the new ones. Forecasts, imputations, scores and
// reports accept it like any other model, but it cannot be saved.
//
// Thread safety: Condition starts its own threads, and gives the same bits for any number of them.
//
//   Conditioned now = Condition(trained.model, given, trained.data);
//   Forecast later = Posterior(now.model).Trajectory(0, times);
#pragma once

#include <cstdint>
#include <string>

#include "gpode/dataset.h"
#include "gpode/model.h"

namespace gpode {

struct ConditionOptions {
  std::size_t draws = 128;  // the draws that the conditioned model keeps
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has
  // If true, the last value of the measured inputs is kept after their last sample.
  bool hold_inputs = false;
};

struct Conditioned {
  Model model;
  std::size_t fields = 0;  // number of fields that were tried
  std::size_t failed = 0;  // number of fields whose solutions did not reach the data
  double shape = 0;        // the Pareto shape k of the weights
  double effective = 0;    // the effective number of fields, given the weights
  double misfit = 0;  // mean of (residual / noise)^2 over the new values; about one for a good fit
  std::size_t values = 0;  // the number of observed values

  // Returns one line for people, such as "conditioned on 50 values: 512 fields worth 61, Pareto k
  // 0.42, mean squared residual 1.1 times the noise variance".
  std::string Describe() const;
  // Returns a sentence about why the result cannot be trusted, or an empty text if it can.
  std::string Warning() const;
};

// Conditions a model on `given`, which must have the model's channels and, if the system has
// measured inputs, their samples from the start of each trajectory to its last observation. `seen`
// are the training data; if they are empty, all of `given` counts as new. Throws an InputError if
// the data do not fit the model, or if no solution reaches the last observation.
Conditioned Condition(const Model& model, const Dataset& given, const Dataset& seen = {},
                      const ConditionOptions& options = {});

}  // namespace gpode
