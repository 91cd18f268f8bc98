// Learning a vector field from data: the model, its options, training.
//
// GPODE (Hegde et al., UAI 2022): a sparse Gaussian process prior on the field of an unknown ODE,
// learnt by maximising a bound on the evidence; either over whole trajectories (vanilla) or over
// short segments whose start states have posteriors of their own (shooting).
//
// The models that the paper compares it with differ in what the field is and what is known of it,
// and share all the rest: data, coordinates, bounds, shooting, training, forecasts, files.
//
// Thread safety: Fit starts its own threads; a Model is a plain value.
//
//   Model model = Fit(data, {.inducing = 16, .seed = 1});
//   Forecast forecast = ForecastTrajectory(model, 0, times, {.draws = 128});
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpode/dataset.h"
#include "gpode/gp.h"
#include "gpode/observation.h"
#include "gpode/ode.h"

namespace gpode {

// The field is drawn from a Gaussian process or is a network (gpode/mlp.h), and known by
//   kGpode       a variational posterior
//   kNpode       the most probable Gaussian process, a point: npODE (Heinonen et al., ICML 2018)
//   kNeural      the network of least squares, a point: NeuralODE (Chen et al., NeurIPS 2018)
//   kNeuralVi    a network with independent normal weights, by the same bounds
//   kNeuralHmc   draws of a network's weights by the No-U-Turn sampler (nuts.h): Bayesian NeuralODE
//                (Dandekar et al., 2020)
//   kGpodeHmc    draws of inducing values and hyperparameters by that sampler; the field between
//                inducing points is the process's mean. To see what kGpode's posterior misses.
enum class ModelKind { kGpode, kNpode, kNeural, kNeuralVi, kNeuralHmc, kGpodeHmc };

constexpr bool IsNetwork(ModelKind kind) {
  return kind == ModelKind::kNeural || kind == ModelKind::kNeuralVi ||
         kind == ModelKind::kNeuralHmc;
}
constexpr bool IsPoint(ModelKind kind) {
  return kind == ModelKind::kNpode || kind == ModelKind::kNeural;
}
constexpr bool IsSampled(ModelKind kind) {
  return kind == ModelKind::kNeuralHmc || kind == ModelKind::kGpodeHmc;
}

enum class BoundKind { kVanilla, kShooting };
// How the tolerance of shooting is set, and its prior.
enum class ToleranceRule { kLowered, kFixed, kLearnt };
enum class TolerancePrior { kGaussian, kLaplace };
// How channels y show the states x:  y = x;  y = C x + b with principal components C, whose scores
// are the states;  y = C x + b with a given C, of fewer, as many or more channels than states.
enum class Observation { kIdentity, kPca, kMatrix };

struct NeuralOptions {
  std::vector<std::size_t> hidden = {32};  // widths of the hidden layers
  double prior_scale = 2.5;  // weights are N(0, prior_scale^2 / inputs), biases N(0, 1)
  // Of the divergence in the bound of kNeuralVi: less than one keeps the network in the fit where
  // few data would let the noise explain everything.
  double kl_weight = 1;
  double weight_decay = 0;  // how much the prior counts in least squares
  // Before anything else the network is fitted to the slopes of smoothed data by so many steps. 0:
  // random weights.
  std::size_t slope_steps = 1000;
};

// Of the No-U-Turn sampler, see NutsOptions.
struct SamplerOptions {
  std::size_t chains = 4, warm_up = 300, draws = 300;
  double target_acceptance = 0.8;
  std::size_t max_depth = 8;
};

struct FitOptions {
  ModelKind model = ModelKind::kGpode;
  BoundKind bound = BoundKind::kVanilla;
  Observation observation = Observation::kIdentity;
  std::size_t states = 0;  // D; 0: as many as the channels, or as the map has (needed with PCA)
  // kMatrix: C and b in the user's units; no offset: zero. kPca: components of other data (see
  // PrincipalComponents); no matrix: those of the training data.
  ObservationMap observation_map;
  // The noise's variances in the user's units, one for all channels or one for each, which are then
  // kept; none: they are learnt.
  std::vector<double> noise_variance;
  // The model's states and time are scaled to unit size. Without, they are the user's own, and so
  // are tolerances, jitter and the standard normal prior of initial states.
  bool scale = true;
  std::string kernel = "squared-exponential";
  bool shared_hyperparameters = false;
  std::size_t inducing = 16;
  std::size_t features = 256;
  FeaturePrecision precision = FeaturePrecision::kDouble;
  double jitter = 1e-6;

  std::size_t steps = 20000;  // in all phases together
  std::size_t draws = 1;      // functions drawn per step
  // Observation times per step, as whole segments (vanilla: trajectories), at least one of them; 0:
  // all. More data than this are learnt by minibatches.
  std::size_t batch = 1000;
  double learning_rate = 0.01;
  std::size_t warm_up = 100;
  // A phase that no longer improves the bound is ended early, its learning rate run down: after so
  // many windows of 250 steps without gain. 0: all steps are taken.
  std::size_t patience = 4;
  // A noise that adapts from the first step grows until it explains what the field has not learnt
  // yet. It starts from what a smoother leaves over, is held there for this share of all steps, and
  // follows the residuals from then on.
  double noise_hold = 0.75;
  // Observations whose residuals are correlated, in time or between channels, count as the fewer
  // independent ones that they are worth; otherwise the bands would be too narrow.
  bool discount = true;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has

  // Shooting: observation gaps per segment, and the tolerance: lowered from loose to tight over the
  // first part of the steps, fixed (tight), or learnt from the gaps (from loose).
  std::size_t segment = 1;
  ToleranceRule tolerance = ToleranceRule::kLowered;
  TolerancePrior tolerance_prior = TolerancePrior::kGaussian;
  double loose_tolerance = 0.1;
  double tight_tolerance = 0.01;
  double tightening = 0.7;  // share of the phase's steps
  // Whole trajectories are hard to fit from afar, and shooting alone is too sure of itself: so both
  // bounds shoot first and end on whole trajectories, with a lower learning rate. These are the
  // shares of the steps: of shooting before the vanilla bound, and of the vanilla bound after
  // shooting ("polish"). Only GPODE shoots before the vanilla bound.
  double approach = 0.5;
  double polish = 0.3;
  double last_rate = 0.3;  // the last phase's share of the learning rate
  // Shooting goes on instead of the polish where it is not needed, with more observation times than
  // this, and where it would do harm: if whole trajectories lose more than this log likelihood per
  // observation against segments when they take over, as in chaos.
  std::size_t polish_most = 250;
  double polish_loss = 50;
  // With validation data: training ends after so many checks, one every 50 steps of the last phase,
  // without a better forecast of them; the best one is the model. 0: all steps are taken.
  std::size_t validation_patience = 40;

  NeuralOptions neural;
  SamplerOptions sampler;
  SolverOptions solver;
};

// One step of a training run.
struct Progress {
  std::size_t step = 0;   // counted over all phases
  std::size_t steps = 0;  // of all phases
  BoundKind phase = BoundKind::kVanilla;
  double bound = 0;
  double loglik = 0, constraint = 0, kl_u = 0;
  // Of shooting, in the model's states of unit size: the tolerance, and the root mean square of the
  // gaps between segments (Laplace: their mean size); as large as the tolerance where none are.
  double tolerance = 0, gap = 0;
  double noise = 0;        // mean over channels of the noise's standard deviation
  double lengthscale = 0;  // geometric mean, in the model's states of unit size
  std::size_t diverged = 0;
  std::size_t evaluations = 0;  // of the drawn fields
  std::size_t skipped = 0;      // steps so far that had no usable gradient
};

// Independent normals of a network's weights (P); deviations of zero for a point.
struct NetworkParameters {
  Vector mean, deviation;
};

// S draws of everything unknown, chain after chain.
struct PosteriorDraws {
  // Of a network: its weights (S, P). Of a process: (S, D M + rows (D + 1)): whitened inducing
  // values, lengthscales, variances, row by row.
  Matrix field;
  Matrix x0;              // (S, trajectories D)
  Matrix noise_variance;  // (S, channels)
  std::size_t count() const { return static_cast<std::size_t>(field.rows()); }
};

// Whether the draws are to be trusted, see gpode/diagnostics.h.
struct SamplerSummary {
  double worst_rhat = 0, least_bulk_ess = 0, least_tail_ess = 0;
  std::size_t divergent = 0, at_max_depth = 0, failed_chains = 0, evaluations = 0;
};

struct Model {
  FitOptions options;
  std::vector<std::string> channels;
  ObservationMap map;                // from the model's coordinates to the user's channels
  Vector state_scale, state_offset;  // (D): the user's state is scale z + offset, z the model's
  double time_scale = 1;             // the user's time per unit of the model's
  // Of the training trajectories, in the user's time: the initial state, the last observation.
  std::vector<double> start_times, end_times;
  std::string warning;  // what went wrong in training; empty: nothing

  GpParameters gp;              // of a process; a point has factors of zero
  NetworkParameters network;    // of a network
  PosteriorDraws draws;         // of the sampler; the others are then their means and covariances
  SamplerSummary sampler;       // the same
  Vector noise_variance;        // (channels), in the user's units
  Matrix x0_mean;               // (trajectories, D)
  std::vector<Matrix> x0_chol;  // (trajectories) of (D, D)

  // The K shooting states, ordered by trajectory and time; none when the last phase of training was
  // on the vanilla bound.
  std::vector<std::size_t> shooting_trajectory;  // (K)
  std::vector<double> shooting_times;            // (K), in the user's time
  Matrix shooting_mean;                          // (K, D)
  Matrix shooting_chol;                          // (K, D D): the rows of each factor in one

  std::size_t dim() const { return map.dim(); }
};

// Trains on all trajectories. `report` is called every hundred steps and after the last; returning
// false ends the training there.
Model Fit(const Dataset& data, const FitOptions& options,
          const std::function<bool(const Progress&)>& report = {});

}  // namespace gpode
