// The options of a fit: which model is learnt, and how.
//
// A model is a product of independent choices: an unknown function, a posterior, a likelihood, a
// bound. The paper's methods are rows of a table (options.h):
//
//   name        function  posterior
//   gpode       process   blocks     GPODE (Hegde et al., UAI 2022)
//   npode       process   point      npODE (Heinonen et al., ICML 2018)
//   neural      network   point      NeuralODE (Chen et al., NeurIPS 2018)
//   neural-vi   network   blocks     Bayesian NeuralODE by variational inference
//   neural-hmc  network   draws      Bayesian NeuralODE by NUTS (Dandekar et al., 2020)
//   gpode-hmc   process   draws      GPODE by NUTS: shows what the posterior of gpode misses
//
// Thread safety: plain values.
//
//   FitOptions options{.bound = BoundKind::kShooting, .inducing = 32, .seed = 1};
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpode/gp.h"
#include "gpode/observation.h"
#include "gpode/ode.h"

namespace gpode {

enum class BoundKind { kVanilla, kShooting };
// The rule by which the tolerance of shooting is set, and the prior of the gaps that it scales.
enum class ToleranceRule { kLowered, kFixed, kLearnt };
enum class TolerancePrior { kGaussian, kLaplace };
// The map from states x to channels y: y = x; y = C x + b with principal components C, whose scores
// are the states; or y = C x + b with a given C, of fewer, as many or more channels than states.
enum class Observation { kIdentity, kPca, kMatrix };

struct NeuralOptions {
  std::vector<std::size_t> hidden = {32};  // widths of the hidden layers
  double prior_scale = 2.5;  // weights are N(0, prior_scale^2 / inputs), biases N(0, 1)
  // The factor of the weights' divergence in the bound. Less than one keeps the network in the fit
  // where few data would let the noise explain everything.
  double kl_weight = 1;
  double weight_decay = 0;  // the factor of the weights' log prior in a point estimate
  // The steps by which the network is fitted to the slopes of smoothed data before anything else;
  // 0 starts from random weights.
  std::size_t slope_steps = 1000;
};

// Options of the No-U-Turn sampler, see NutsOptions.
struct SamplerOptions {
  std::size_t chains = 4, warm_up = 300, draws = 300;
  double target_acceptance = 0.8;
  std::size_t max_depth = 8;
};

// Priors of what is neither field nor state, which count where a posterior covers them: logarithms
// are normal. Lengthscales are in spreads of the states, variances in those of the slopes, noise in
// those of the channels. `linear`, which always counts, is the prior standard deviation of the
// weights of a kernel's polynomial part, for states and slopes of unit size.
struct PriorOptions {
  double lengthscale = 3, lengthscale_deviation = 1;
  double variance = 1, variance_deviation = 1;
  double noise = 0.1, noise_deviation = 1;  // standard deviation of the noise
  double linear = 1;
};

struct FitOptions {
  // The names of a model's choices: the unknown function (unknown_function.h), the family of the
  // posterior (posterior_family.h) and the likelihood (likelihood.h). The posteriors
  // "joint", "nuts" and "draws" are sampled (nuts.h), every other one is trained.
  std::string function = "process";
  std::string posterior = "blocks";
  std::string likelihood = "gaussian";
  BoundKind bound = BoundKind::kVanilla;
  Observation observation = Observation::kIdentity;
  std::size_t states = 0;  // D; 0: as many as the channels, or as the map has (needed with PCA)
  // With kMatrix, this holds C and b in the user's units; without an offset, b is zero. With kPca,
  // it holds the components of other data (see PrincipalComponents); without a matrix, those of the
  // training data are taken.
  ObservationMap observation_map;
  // Known variances of the observation noise in the user's units, one for all channels or one for
  // each, which are then kept. Without any, the noise is learnt.
  std::vector<double> noise_variance;
  // Scales the model's states and time to unit size. Without scaling they are the user's own, and
  // so are tolerances, jitter and the standard normal prior of initial states.
  bool scale = true;
  // The name of a kernel (kernel.h), alone or followed by "+ linear", "+ polynomial2" or
  // "+ polynomial3": a polynomial part, which continues beyond the data.
  std::string kernel = "squared-exponential";
  bool shared_hyperparameters = false;
  std::size_t inducing = 16;
  std::size_t features = 256;
  FeaturePrecision precision = FeaturePrecision::kDouble;
  double jitter = 1e-6;

  std::size_t steps = 20000;  // in all phases together
  std::size_t draws = 1;      // functions drawn per step
  // Observation times per step, as whole segments (vanilla: trajectories), at least one of them.
  // More data than this are learnt by minibatches; 0 takes all of them in every step.
  std::size_t batch = 1000;
  double learning_rate = 0.01;
  std::size_t warm_up = 100;
  // The last phase ends early, with its learning rate run down, after this many windows of 250
  // steps in a row without a better bound; 0 takes all steps.
  std::size_t patience = 4;
  // The noise starts from what a smoother leaves over, is held there for this share of all steps,
  // and follows the residuals from then on. A noise that adapts from the first step would grow
  // until it explains what the field has not learnt yet.
  double noise_hold = 0.75;
  // Gives observations with correlated residuals, in time or between channels, the weight of the
  // fewer independent ones that they are worth. Without it, their bands would be too narrow.
  bool discount = true;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has

  // Options of shooting: the number of observation gaps per segment, and the tolerance, which is
  // lowered from loose to tight over the first part of the steps, fixed (tight), or learnt from the
  // gaps (starting from loose).
  std::size_t segment = 1;
  ToleranceRule tolerance = ToleranceRule::kLowered;
  TolerancePrior tolerance_prior = TolerancePrior::kGaussian;
  double loose_tolerance = 0.1;
  double tight_tolerance = 0.01;
  double tightening = 0.7;  // share of the phase's steps
  // The share of the steps that shoot before the vanilla bound ("approach"), and the share of the
  // steps after shooting that integrate whole trajectories, with a lower learning rate ("polish").
  // Whole trajectories are hard to fit from afar, and shooting alone underestimates the
  // uncertainty. Only processes with a spread shoot before the vanilla bound.
  double approach = 0.5;
  double polish = 0.3;
  double last_rate = 0.3;  // the last phase's share of the learning rate
  // Shooting continues in place of the polish if there are more observation times than polish_most,
  // which make the polish unnecessary, or if whole trajectories would lose more than polish_loss
  // log likelihood per observation, as in chaos.
  std::size_t polish_most = 250;
  double polish_loss = 50;
  // Early stopping: with validation data, the last phase ends after this many checks (one every 50
  // steps) without a better forecast of them, and the best parameters are kept. 0 disables it.
  std::size_t validation_patience = 40;

  NeuralOptions neural;
  SamplerOptions sampler;
  PriorOptions prior;
  SolverOptions solver;
};

}  // namespace gpode
