// Neural ODEs: a network (mlp.h) as the unknown field, learnt from data. The methods that the paper
// compares GPODE with.
//
//   dx/dt = f(x; w),   y_i = C x(t_i) + b + noise,   noise_c ~ N(0, noise_variance_c)
//
//   kLeastSquares  w and the initial states by least squares; one answer without doubt
//   kMeanField     q(w, x0, noise) a normal without correlations, by maximising the evidence bound
//   kNuts          draws from p(w, x0, noise | y) by the No-U-Turn sampler (nuts.h)
//   R. T. Q. Chen et al. (2018), Neural ordinary differential equations.
//   R. Dandekar et al. (2020), Bayesian neural ordinary differential equations.
//
// Priors of the Bayesian ones, in the model's coordinates, where states and slopes are of unit
// size:
//   weights  N(0, prior_scale^2 / inputs),  biases N(0, 1),  initial states N(0, I),
//   log noise_variance  N(log(variance of the channel / 100), 2^2).
//
// A learnt model is a set of draws of everything unknown; forecasts follow them. Weights of a
// network can be exchanged without changing the field, so chains are compared (R-hat) by what can
// be known: the initial states, the noise, and the states at the times of the data.
//
// Thread safety: FitNeural and forecasts start their own threads, and give the same bits for any
// number; a NeuralModel is a plain value.
//
//   NeuralModel model = FitNeural(data, {.inference = NeuralInference::kNuts});
//   Forecast forecast = ForecastTrajectory(model, 0, times, {.draws = 200});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/diagnostics.h"
#include "gpode/forecast.h"
#include "gpode/model.h"
#include "gpode/nuts.h"

namespace gpode {

enum class NeuralInference { kLeastSquares, kMeanField, kNuts };

struct NeuralOptions {
  NeuralInference inference = NeuralInference::kLeastSquares;
  std::vector<std::size_t> hidden = {32};  // widths of the hidden layers

  // As in FitOptions.
  Observation observation = Observation::kIdentity;
  std::size_t states = 0;
  ObservationMap observation_map = {};
  std::vector<double> noise_variance = {};
  bool scale = true;
  SolverOptions solver = {};
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has

  // Of Adam: for kLeastSquares, and for where the other two start from.
  std::size_t steps = 3000;
  double learning_rate = 0.01;
  // Least squares and mean field keep the weights that were best on validation data, and stop after
  // so many checks (one every 50 steps) without gain. Without a validation set, the last share of
  // every trajectory is left out of the training; 0: none, and all steps are taken.
  double validation_share = 0;
  // Least squares: steps on the slopes of smoothed data before those on trajectories. Random
  // weights (0) are the paper's way; a network that starts near the right field is fitted more
  // closely, noise included.
  std::size_t slope_steps = 0;
  // Least squares: how much the prior of weights counts beside squared errors in noise deviations.
  double weight_decay = 0;
  std::size_t patience = 20;

  double prior_scale = 1.5;
  std::size_t mean_field_steps = 10000;
  // Of the divergence in the bound. With few data the bound without correlations is highest where
  // the noise explains everything; less than one keeps the network in the fit.
  double kl_weight = 1;
  std::size_t mean_field_draws = 256;  // draws from q that the model keeps
  // Chains start from networks that were trained from different weights, unless starts are given. A
  // dense mass matrix that is not given is the curvature of the density there (Gauss-Newton), and
  // is not adapted. Seed and threads are the ones above.
  NutsOptions nuts = {.mass_matrix = MassMatrix::kDense};
};

struct NeuralModel {
  NeuralOptions options;
  std::vector<std::string> channels;
  ObservationMap map;                // from the model's coordinates to the user's channels
  Vector state_scale, state_offset;  // (D): the user's state is scale z + offset, z the model's
  double time_scale = 1;             // the user's time per unit of the model's
  std::vector<double> start_times, end_times;  // of the training trajectories
  std::string warning;                         // what went wrong; empty: nothing

  // S draws, one for least squares.
  Matrix weights;         // (S, parameters of the network), see mlp.h
  Matrix x0;              // (S, trajectories D)
  Matrix noise_variance;  // (S, channels), in the user's units

  // The root mean squared error on validation data, in noise deviations; NaN without these.
  double score = 0;
  SamplerReport report = {};  // of NUTS

  std::size_t dim() const { return map.dim(); }
  Vector MeanNoise() const;  // (channels)
};

// Throws an InputError for data or options that cannot be used. `validation` has the channels of
// the data; its trajectories are followed from their first observation. NUTS does not use it.
NeuralModel FitNeural(const Dataset& data, const NeuralOptions& options,
                      const Dataset& validation = {});

// As for a GPODE model. At most as many draws as the model has, evenly chosen; `from` is the
// initial state always.
Forecast ForecastTrajectory(const NeuralModel& model, std::size_t trajectory,
                            std::span<const double> times, const ForecastOptions& options = {});
Forecast ForecastFrom(const NeuralModel& model, std::span<const double> values, double start,
                      std::span<const double> times, const ForecastOptions& options = {});

// The field at the rows of states (n, D) in the user's units: mean and variance over the draws.
struct FieldMoments {
  Matrix mean, variance;  // (n, D)
};
FieldMoments MomentsOfField(const NeuralModel& model, const Matrix& states);

}  // namespace gpode
