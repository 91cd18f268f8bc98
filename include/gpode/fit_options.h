// The options of a fit: which model is learnt, and how.
//
// A model is a combination of independent choices: an unknown function, a posterior, a likelihood
// and a bound. The methods that the paper compares, and two more, have names (options.h):
//
//   name        function  posterior
//   gpode       process   blocks     GPODE (Hegde et al., UAI 2022)
//   npode       process   point      npODE (Heinonen et al., ICML 2018)
//   neural      network   point      NeuralODE (Chen et al., NeurIPS 2018)
//   neural-vi   network   blocks     Bayesian NeuralODE by variational inference
//   neural-hmc  network   draws      Bayesian NeuralODE by NUTS (Dandekar et al., 2020)
//   gpode-hmc   process   draws      GPODE by NUTS: shows what the posterior of gpode misses
//
// Thread safety: plain data; threads may share it as long as none of them changes it.
//
//   FitOptions options{.bound = BoundKind::kShooting, .inducing = 32, .seed = 1};
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpode/gp.h"
#include "gpode/inputs.h"
#include "gpode/observation.h"
#include "gpode/ode.h"

namespace gpode {

enum class BoundKind { kVanilla, kShooting };
// A gap is the difference xi between a shooting state and the end of the segment before it (paper,
// section 3.4). The tolerance sigma_xi is the scale of its prior, which is Gaussian in the paper.
// It is lowered during training, fixed as in the paper, or learnt.
enum class ToleranceRule { kLowered, kFixed, kLearnt };
enum class TolerancePrior { kGaussian, kLaplace };
// The map from states x to channels y. kIdentity: y = x. kPca: y = C x + b, where the states are
// the scores of principal components C. kMatrix: y = C x + b with a given C; there may be more or
// fewer channels than states.
enum class Observation { kIdentity, kPca, kMatrix };

struct NeuralOptions {
  std::vector<std::size_t> hidden = {32};  // widths of the hidden layers
  double prior_scale = 2.5;  // weights are N(0, prior_scale^2 / inputs), biases N(0, 1)
  // The factor of KL[q(weights) || p(weights)] in the bound. With few data, a factor of one can let
  // the posterior fall back to the prior, so that the noise explains everything; a smaller factor
  // prevents that.
  double kl_weight = 1;
  double weight_decay = 0;  // the factor of the weights' log prior in a point estimate
  // The number of steps that fit the network to the slopes of smoothed data before training starts.
  // With 0, training starts from random weights.
  std::size_t slope_steps = 1000;
};

// Options of the No-U-Turn sampler, see NutsOptions.
struct SamplerOptions {
  std::size_t chains = 4, warm_up = 300, draws = 300;
  double target_acceptance = 0.8;
  std::size_t max_depth = 8;
};

// The log-normal priors of lengthscales, signal variances and noise: the median of a quantity, and
// the standard deviation of its logarithm (NAME_deviation). The units are the standard deviations
// of the states (lengthscales) and of the channels (noise), and the variances of the slopes
// (variances). The posteriors "joint" and "nuts" use all three priors, "draws" uses that of the
// noise. A kernel's polynomial part (src/field/polynomial.h) always uses `linear`, the prior
// standard deviation of its linear weights for states and slopes of unit size, and `lengthscale` as
// its l. If FitOptions::scale is false, sampled posteriors take all of these in the user's units.
struct PriorOptions {
  double lengthscale = 3, lengthscale_deviation = 1;
  double variance = 1, variance_deviation = 1;
  double noise = 0.1, noise_deviation = 1;  // `noise` is a standard deviation, not a variance
  double linear = 1;
  // The weight of fields whose solutions leave the range of the data soon after it; others have
  // weight 1 (train/bounded_draws.h).
  double leaving = 0.1;
  // The process noise: the standard deviation per square root of the model's time.
  double process_noise = 0.1, process_noise_deviation = 1;
};

struct FitOptions {
  // The names of the unknown function (unknown_function.h), of the posterior's family
  // (posterior_family.h) and of the likelihood (likelihood.h). The posteriors "joint", "nuts" and
  // "draws" are made by a sampler; the parameters of all others are trained.
  std::string function = "process";
  std::string posterior = "blocks";
  std::string likelihood = "gaussian";
  // The links of positive channels (link.h), whose forecasts cannot be negative: "none", "all",
  // the name of a link, or a list of channels. Train resolves the text for the data's channels.
  std::string positive = "none";
  // Known equations with unknown parts, as text (docs/known-equations.md). If it is not empty, the
  // function is "equations". CompleteEquations (fit_input.h) adds the names of channels and inputs.
  std::string equations;
  // A common form of equations, whose text CompleteEquations writes: "growth", "second-order",
  // "hamiltonian", "coupled-hamiltonian", "gradient", "divergence-free" or "none". `damping` is the
  // rate of a linear loss in the form second-order and both Hamiltonian ones: "none", "learnt", or
  // a number per unit of time.
  std::string form = "none";
  std::string damping = "none";
  BoundKind bound = BoundKind::kVanilla;
  Observation observation = Observation::kIdentity;
  // The dimension D of the state. With 0 it is the number of columns of C, or of channels if
  // there is no C. PCA of the training data needs a number.
  std::size_t states = 0;
  // C and b of the map from states to channels, in the user's units; an empty b is zero. With kPca
  // this may hold the principal components of other data (see PrincipalComponents); if it is empty,
  // those of the training data are computed.
  ObservationMap observation_map;
  // The inputs of the system in addition to columns of the data: the phases of clocks with these
  // periods, in the unit of the data's times, and the time itself (inputs.h). `hold` is the value
  // of measured inputs between their samples.
  std::vector<double> period;
  bool time_input = false;
  InputHold hold = InputHold::kPrevious;
  // Known variances of the observation noise in the user's units: one for all channels, or one for
  // each. They are not trained. If this is empty, the noise is learnt.
  std::vector<double> noise_variance;
  // Process noise, a random force on the states (src/data/noise_pieces.h), in the posteriors
  // "joint" and "nuts". "none": the system is an ODE. "learnt": the noise is learnt, if the data
  // show that there is any. Numbers are known standard deviations per square root of time in the
  // user's units: one for all states, or one for each, with commas between them.
  std::string process_noise = "learnt";
  // If true, the model's states and time are scaled to unit size. Otherwise they are in the user's
  // units, and tolerances, jitter and the standard normal prior of initial states refer to these.
  bool scale = true;
  // The name of a kernel (kernel.h), alone or followed by a polynomial part: "+ linear",
  // "+ polynomial2" or "+ polynomial3". Beyond the data, where a stationary kernel returns to the
  // prior mean of zero, the polynomial continues.
  std::string kernel = "squared-exponential";
  bool shared_hyperparameters = false;
  std::size_t inducing = 16;
  std::size_t features = 256;
  FeaturePrecision precision = FeaturePrecision::kDouble;
  double jitter = 1e-6;

  std::size_t steps = 20000;  // number of steps in all phases together
  std::size_t draws = 1;      // functions drawn per step
  // The number of observation times in a minibatch. Larger data sets are learnt by minibatches of
  // whole segments (vanilla bound: whole trajectories) with about this many times, but at least one
  // segment. With 0, every step uses all data.
  std::size_t batch = 1000;
  double learning_rate = 0.01;
  std::size_t warm_up = 100;  // steps over which the learning rate grows from zero
  // If, in the last phase, the bound has not improved for this many windows of 250 steps in a row,
  // the learning rate falls to zero and the phase ends early. With 0, all steps are taken.
  std::size_t patience = 4;
  // The noise variance starts at the residual variance of a smoother, is held fixed for this share
  // of all steps, and is learnt from then on. If it were learnt from the first step, it would grow
  // until it explained what the field has not learnt yet.
  double noise_hold = 0.75;
  // If true, observations whose residuals are correlated, in time or between channels, get smaller
  // weights: together they count as the effective number of independent observations. With full
  // weights they would pass for more evidence than they are, and bands would be too narrow.
  bool discount = true;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: as many as the machine has

  // Options of shooting. A segment spans this many intervals between observations. The tolerance is
  // lowered from loose to tight over the first part of a phase, fixed at tight, or learnt from the
  // gaps xi, starting from loose.
  std::size_t segment = 1;
  ToleranceRule tolerance = ToleranceRule::kLowered;
  TolerancePrior tolerance_prior = TolerancePrior::kGaussian;
  double loose_tolerance = 0.1;
  double tight_tolerance = 0.01;
  double tightening = 0.7;  // share of the phase's steps over which the tolerance is lowered
  // Training has two phases: shooting, then whole trajectories with a lower learning rate. Whole
  // trajectories are hard to fit from a bad start, and shooting alone underestimates the
  // uncertainty. `approach` is the share of the steps that shoot if the bound is vanilla (only for
  // Gaussian processes that are not point estimates; others do not shoot). `polish` is the share of
  // the steps on whole trajectories if the bound is shooting.
  double approach = 0.5;
  double polish = 0.3;
  double last_rate = 0.3;  // learning rate of the second phase, as a share of learning_rate
  // With the shooting bound, the second phase is skipped, and shooting continues, in two cases:
  // there are more observation times than polish_most, so that the polish is unnecessary; or
  // integrating whole trajectories would lower the log likelihood by more than polish_loss per
  // observation, as in chaos.
  std::size_t polish_most = 250;
  double polish_loss = 50;
  // Early stopping: if there are validation data, their forecast is scored every 50 steps of the
  // last phase and at its end, and the parameters with the best score become the model. The phase
  // ends after this many scores in a row without a new best one; with 0 it takes all its steps.
  std::size_t validation_patience = 40;

  NeuralOptions neural;
  SamplerOptions sampler;
  PriorOptions prior;
  SolverOptions solver;

  // Returns the inputs of a system whose measured inputs have these names.
  InputRule InputsWith(const std::vector<std::string>& names) const {
    return {.names = names, .hold = hold, .periods = period, .has_time = time_input};
  }
};

}  // namespace gpode
