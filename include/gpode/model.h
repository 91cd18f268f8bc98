// A learnt model: the posterior of an unknown vector field, and of everything else that was
// unknown.
//
// GPODE (Hegde et al., UAI 2022) has a sparse Gaussian process prior on the field of an unknown
// ODE, learnt by maximising a bound on the evidence, either over whole trajectories (vanilla) or
// over short segments whose start states have posteriors of their own (shooting). The models that
// the paper compares it with make other choices (fit_options.h) and share everything else. The
// bounds are computed in src/model/bound.cc, the joint densities of the paper's equations 6 and 7
// in src/train/sampled_target.cc.
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   Model model = Fit(data, {.inducing = 16, .seed = 1});           // training.h
//   Forecast forecast = ForecastTrajectory(model, 0, times);        // forecast.h
//   Matrix lengthscales = model.parameters.AsMatrix("lengthscales");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpode/coordinates.h"
#include "gpode/fit_options.h"
#include "gpode/likelihood.h"
#include "gpode/link.h"
#include "gpode/observation.h"
#include "gpode/parameters.h"
#include "gpode/widening.h"

namespace gpode {

// Numbers that say whether the draws of a sampler can be trusted; see chain_diagnostics.h.
struct SamplerSummary {
  double worst_rhat = 0, least_bulk_ess = 0, least_tail_ess = 0;
  // For the posterior "joint": the Pareto shape k of the largest importance weights (importance.h).
  // Below 0.7, the draws can be trusted.
  double pareto_k = 0;
  std::size_t divergent = 0, at_max_depth = 0, failed_chains = 0, evaluations = 0;
};

// The draws of a model that was conditioned on new data (condition.h): S pairs of a field and the
// starts of the N trajectories. Draw i of a forecast is pair i modulo S, for any seed.
struct GivenDraws {
  std::uint64_t seed = 0;                  // the seed with which the fields were drawn
  std::vector<std::uint64_t> fields = {};  // (S): their numbers among the draws with that seed
  Matrix starts = {};                      // (S, N D), in the model's coordinates
  // (S, P D): the standard normals of the process noise on the P pieces of all trajectories. P is 0
  // if there is no process noise.
  Matrix force = {};

  bool empty() const { return fields.empty(); }
};

struct Model {
  FitOptions options;
  std::vector<std::string> channels;
  ObservationMap map;       // the map from the model's states to the user's channels
  Coordinates coordinates;  // converts between the model's and the user's units
  // The times, in the user's units, of the initial state and of the last observation of each
  // training trajectory.
  std::vector<double> start_times, end_times;
  // The names of the measured inputs, and their samples of each training trajectory; both are empty
  // if there are none.
  std::vector<std::string> inputs;
  std::vector<InputSamples> input_samples;
  std::string warning;  // a problem during training; empty if there was none

  // Everything that was learnt, by name: hyperparameters of the function, parameters of the
  // posterior of all latent variables, parameters of the likelihood. In a sampled model, these are
  // the means over the draws.
  NamedValues parameters;
  // The draws of a sampler, chain after chain. Each row holds the values of all parameters in one
  // draw. There are no rows if the model was trained.
  Matrix draws;
  SamplerSummary sampler;

  // The K shooting states, ordered by trajectory and time. K is 0 if the last phase of training
  // used the vanilla bound.
  std::vector<std::size_t> shooting_trajectory;  // (K)
  std::vector<double> shooting_times;            // (K), in the user's time

  // The number of equal pieces of time of each training trajectory on which the process noise is
  // constant. Empty if there is no process noise.
  std::vector<std::size_t> noise_pieces;

  // The extra width of bands that held-back data showed to be necessary; empty if no data were held
  // back. Forecasts, imputations and scores apply it.
  BandWidening widening;

  // The draws given new data; empty unless the model was conditioned. Model files do not hold it.
  GivenDraws given;

  std::size_t dim() const { return map.dim(); }
  // Returns the inputs of the system.
  InputRule input_rule() const { return options.InputsWith(inputs); }
  bool IsSampled() const { return draws.rows() > 0; }
  // Returns the likelihood of the channels in the user's units, with the learnt parameters.
  ObservationNoise noise() const;
  // Returns the links of the channels (link.h), empty if there are none, and the likelihood of the
  // channels on the scale of their links, where the map from states to channels is linear. Without
  // links, it is noise().
  std::vector<Link> links() const { return LinksOf(options.positive, channels); }
  ObservationNoise noise_on_link_scale() const;
  // Returns the states (n, D) that fit rows of channels (n, channels) best, as
  // ObservationMap::StatesOf. Both are in the user's units, and states of channels with a link on
  // its scale. Values that a link does not accept count as missing.
  Matrix ObservedStates(const Matrix& values) const;
};

// Throws an InputError unless all parts of the model have the shapes that its options imply, and
// values that are allowed.
void CheckModel(const Model& model);

}  // namespace gpode
