// The table of all options: name, member of FitOptions, range and description. Configuration files,
// model files, the command line and all checks use this table. To add an option, add a member to
// FitOptions and a line here.
#pragma once

#include <limits>
#include <string_view>

#include "gpode/options.h"

namespace gpode::internal {

// The range of numbers that an option accepts.
struct OptionRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // if true, `least` itself is not accepted
};

inline constexpr double kLargest = std::numeric_limits<double>::max();
inline constexpr OptionRange kAny{};
inline constexpr OptionRange kPositive{0, kLargest, true};
inline constexpr OptionRange kNonNegative{0, kLargest};
inline constexpr OptionRange kShare{0, 1};
// The counts below determine how much memory is allocated. Upper limits keep a malformed file from
// exhausting the memory.
inline constexpr OptionRange kCount{1, 1e6};
inline constexpr OptionRange kCountOrNone{0, 1e6};
inline constexpr OptionRange kSteps{1, 1e15};
inline constexpr OptionRange kThreads{0, 4096};

// Calls visit(name, member, range, help) for every option.
template <typename Options, typename Visit>
void ForOptions(Options& o, Visit&& visit) {
  visit("function", o.function, kAny,
        "unknown function that the field is: process, network, equations");
  visit("posterior", o.posterior, kAny,
        "family of the posterior: blocks, normals, point, or sampled: joint, nuts, draws");
  visit("likelihood", o.likelihood, kAny,
        "distribution of observations: gaussian, student-t, poisson, negative-binomial or "
        "lognormal; one, one per channel, or channel=NAME,...");
  visit(
      "positive", o.positive, kAny,
      "channels that cannot be negative: none, all (log), log, sqrt, or channel,channel=sqrt,...");
  visit("bound", o.bound, kAny, "whole trajectories (vanilla) or short segments (shooting)");
  visit("observation", o.observation, kAny,
        "channels are states (identity) or mixtures of them (pca, matrix)");
  visit("states", o.states, kCountOrNone, "dimension of the state; 0: as many as channels");
  visit("observation_map.matrix", o.observation_map.matrix, kAny,
        "rows of C in y = C x + b (observation pca or matrix)");
  visit("observation_map.offset", o.observation_map.offset, kAny, "b in y = C x + b");
  visit("period", o.period, kPositive,
        "periods of a clock that drives the system, such as 24; none: no clock");
  visit("time_input", o.time_input, kAny, "the time itself drives the system");
  visit("hold", o.hold, kAny, "measured inputs between samples: previous or linear");
  visit("noise_variance", o.noise_variance, kPositive,
        "known noise variance, one for all channels or one each; none: learnt");
  visit("process_noise", o.process_noise, kAny,
        "random force on the states (joint, nuts): none, learnt, or known standard deviations per "
        "square root of time, one for all states or one each");
  visit("equations", o.equations, kAny, "known equations with unknown parts, as text");
  visit("form", o.form, kAny,
        "form of the equations: none, growth, second-order, hamiltonian, coupled-hamiltonian, "
        "gradient, divergence-free");
  visit("damping", o.damping, kAny,
        "linear loss in the forms second-order and hamiltonian: none, learnt, or a number");
  visit("scale", o.scale, kAny, "scale states and time to unit size");
  visit("kernel", o.kernel, kAny,
        "covariance function of the field, alone or with + linear, + polynomial2 or + polynomial3");
  visit("shared_hyperparameters", o.shared_hyperparameters, kAny,
        "one kernel for all outputs of the field");
  visit("inducing", o.inducing, kCount, "inducing points");
  visit("features", o.features, kCount, "Fourier features of a draw");
  visit("precision", o.precision, kAny, "precision of the Fourier features: double or float");
  visit("jitter", o.jitter, kNonNegative, "added to the diagonal of kernel matrices");
  visit("steps", o.steps, kSteps, "training steps in all phases together");
  visit("draws", o.draws, kCount, "functions drawn per step");
  visit("batch", o.batch, kAny, "observation times per step; 0: all of them");
  visit("learning_rate", o.learning_rate, kPositive, "learning rate of Adam after the warm-up");
  visit("warm_up", o.warm_up, kAny, "steps over which the learning rate grows");
  visit("patience", o.patience, kAny,
        "windows of 250 steps without gain after which a phase ends; 0: never");
  visit("noise_hold", o.noise_hold, kShare, "share of the steps during which the noise is fixed");
  visit("discount", o.discount, kAny, "correlated residuals count as fewer observations");
  visit("seed", o.seed, kAny, "seed of all random numbers");
  visit("threads", o.threads, kThreads, "number of threads; 0: as many as the machine has");
  visit("segment", o.segment, kSteps, "observation gaps per shooting segment");
  visit("tolerance", o.tolerance, kAny,
        "schedule of the shooting tolerance: lowered, fixed or learnt");
  visit("tolerance_prior", o.tolerance_prior, kAny,
        "prior of the gaps between segments: gaussian or laplace");
  visit("loose_tolerance", o.loose_tolerance, kPositive, "shooting tolerance at the start");
  visit("tight_tolerance", o.tight_tolerance, kPositive, "shooting tolerance at the end");
  visit("tightening", o.tightening, kPositive,
        "share of a phase during which the tolerance shrinks");
  visit("approach", o.approach, kShare,
        "share of the steps on segments before whole trajectories (GPODE only)");
  visit("polish", o.polish, kShare, "share of the steps on whole trajectories after shooting");
  visit("last_rate", o.last_rate, kPositive,
        "learning rate of the last phase, as a share of learning_rate");
  visit("polish_most", o.polish_most, kAny,
        "no steps on whole trajectories if there are more observation times");
  visit("polish_loss", o.polish_loss, kNonNegative,
        "no steps on whole trajectories if they lose more log likelihood per observation");
  visit("validation_patience", o.validation_patience, kAny,
        "checks on validation data without gain after which a run ends; 0: never");
  visit("neural.hidden", o.neural.hidden, OptionRange{1, 1024}, "widths of hidden layers");
  visit("neural.prior_scale", o.neural.prior_scale, kPositive,
        "standard deviation of the prior of weights, times sqrt(inputs)");
  visit("neural.kl_weight", o.neural.kl_weight, kPositive,
        "weight of the KL divergence of a network's weights");
  visit("neural.weight_decay", o.neural.weight_decay, kNonNegative,
        "weight of the prior in a point estimate of a network");
  visit("neural.slope_steps", o.neural.slope_steps, kAny,
        "initial steps on slopes of smoothed data");
  visit("sampler.chains", o.sampler.chains, OptionRange{1, 1000},
        "chains of the No-U-Turn sampler");
  visit("sampler.warm_up", o.sampler.warm_up, kCount,
        "warm-up iterations of a chain, which are not kept (not of joint)");
  visit("sampler.draws", o.sampler.draws, kCount,
        "draws of a chain; joint has half as many in all, but at least 256");
  visit("sampler.target_acceptance", o.sampler.target_acceptance, kShare,
        "mean acceptance to which the step size is adapted");
  visit("sampler.max_depth", o.sampler.max_depth, OptionRange{1, 20},
        "largest number of doublings of a trajectory");
  visit("prior.lengthscale", o.prior.lengthscale, kPositive,
        "median of lengthscales a priori, in spreads of the states (joint, nuts)");
  visit("prior.lengthscale_deviation", o.prior.lengthscale_deviation, kPositive,
        "standard deviation of their logarithms");
  visit("prior.variance", o.prior.variance, kPositive,
        "median of the field's variances a priori, in those of the slopes");
  visit("prior.variance_deviation", o.prior.variance_deviation, kPositive,
        "standard deviation of their logarithms");
  visit("prior.noise", o.prior.noise, kPositive,
        "median of the noise a priori, in spreads of the channels");
  visit("prior.noise_deviation", o.prior.noise_deviation, kPositive,
        "standard deviation of its logarithm");
  visit("prior.linear", o.prior.linear, kPositive,
        "standard deviation of the weights of a kernel's linear or polynomial part a priori");
  visit("prior.leaving", o.prior.leaving, kShare,
        "weight, a priori, of fields whose solutions leave the range of the data soon after it; 1: "
        "no restriction (joint, nuts)");
  visit("prior.process_noise", o.prior.process_noise, kPositive,
        "median of the process noise a priori, per square root of the model's time");
  visit("prior.process_noise_deviation", o.prior.process_noise_deviation, kPositive,
        "standard deviation of its logarithm");
  visit("solver.method", o.solver.method, kAny, "integration method; esdirk4 is for stiff systems");
  visit("solver.rtol", o.solver.rtol, kNonNegative, "relative tolerance of a solver step");
  visit("solver.atol", o.solver.atol, kNonNegative, "absolute tolerance of a solver step");
  visit("solver.fixed_step", o.solver.fixed_step, kNonNegative, "fixed step size if positive");
  visit("solver.max_step", o.solver.max_step, OptionRange{.least = 0, .above = true},
        "largest step size");
  visit("solver.max_steps", o.solver.max_steps, kCount,
        "largest number of steps of one integration");
}

// The treatment of option names that are not in the table. In a configuration file they are typing
// errors, which are refused; in a model file they are options of a later version, which are
// ignored.
enum class UnknownOptions { kRefuse, kIgnore };

// Returns `base` with the options that the text sets. `source` is the file's name in messages.
FitOptions ReadOptions(std::string_view text, std::string_view source, const FitOptions& base,
                       UnknownOptions unknown);

// Throws an InputError "WHERE: NAME is VALUE, must be ..." for the first option that is out of
// range.
void CheckRanges(const FitOptions& options, std::string_view where);

}  // namespace gpode::internal
