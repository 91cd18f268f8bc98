// The table of FitOptions: names, members, ranges and descriptions. Configuration files, model
// files, the command line and all checks use it; a new option is a member of FitOptions and a line
// here.
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
// Counts that determine memory have an upper limit, so that no file can exhaust the memory.
inline constexpr OptionRange kCount{1, 1e6};
inline constexpr OptionRange kCountOrNone{0, 1e6};
inline constexpr OptionRange kSteps{1, 1e15};
inline constexpr OptionRange kThreads{0, 4096};

// Calls visit(name, member, range, help) for every option.
template <typename Options, typename Visit>
void ForOptions(Options& o, Visit&& visit) {
  visit("function", o.function, kAny, "what the field is: process, network");
  visit("posterior", o.posterior, kAny,
        "how the field is known: blocks, normals, point, draws (by a sampler)");
  visit("likelihood", o.likelihood, kAny, "how observations scatter: gaussian");
  visit("bound", o.bound, kAny, "whole trajectories (vanilla) or short segments (shooting)");
  visit("observation", o.observation, kAny,
        "channels are states (identity) or mix them (pca, matrix)");
  visit("states", o.states, kCountOrNone, "dimension of the state; 0: as many as channels");
  visit("observation_map.matrix", o.observation_map.matrix, kAny,
        "rows of C in y = C x + b (observation pca or matrix)");
  visit("observation_map.offset", o.observation_map.offset, kAny, "b in y = C x + b");
  visit("noise_variance", o.noise_variance, kPositive,
        "known noise, one for all channels or one each; none: learnt");
  visit("scale", o.scale, kAny, "scale states and time to unit size");
  visit("kernel", o.kernel, kAny, "covariance function of the field");
  visit("shared_hyperparameters", o.shared_hyperparameters, kAny,
        "one kernel for all outputs of the field");
  visit("inducing", o.inducing, kCount, "inducing points");
  visit("features", o.features, kCount, "Fourier features of a draw");
  visit("precision", o.precision, kAny, "of the Fourier features: double or float");
  visit("jitter", o.jitter, kNonNegative, "added to the diagonal of kernel matrices");
  visit("steps", o.steps, kSteps, "training steps in all phases together");
  visit("draws", o.draws, kCount, "functions drawn per step");
  visit("batch", o.batch, kAny, "observation times per step; 0: all of them");
  visit("learning_rate", o.learning_rate, kPositive, "of Adam, after the warm-up");
  visit("warm_up", o.warm_up, kAny, "steps over which the learning rate grows");
  visit("patience", o.patience, kAny, "windows of 250 steps without gain that end a run; 0: never");
  visit("noise_hold", o.noise_hold, kShare, "share of the steps during which the noise is held");
  visit("discount", o.discount, kAny, "correlated residuals count as fewer observations");
  visit("seed", o.seed, kAny, "of all random numbers");
  visit("threads", o.threads, kThreads, "0: as many as the machine has");
  visit("segment", o.segment, kSteps, "observation gaps per shooting segment");
  visit("tolerance", o.tolerance, kAny, "of shooting: lowered, fixed or learnt");
  visit("tolerance_prior", o.tolerance_prior, kAny, "gaussian or laplace");
  visit("loose_tolerance", o.loose_tolerance, kPositive, "of shooting, at the start");
  visit("tight_tolerance", o.tight_tolerance, kPositive, "of shooting, at the end");
  visit("tightening", o.tightening, kPositive, "share of a phase that the tolerance shrinks for");
  visit("approach", o.approach, kShare,
        "share of the steps of GPODE that shoot before whole trajectories");
  visit("polish", o.polish, kShare, "share of the steps on whole trajectories after shooting");
  visit("last_rate", o.last_rate, kPositive, "the last phase's share of the learning rate");
  visit("polish_most", o.polish_most, kAny,
        "shooting goes on where there are more observation times than this");
  visit("polish_loss", o.polish_loss, kNonNegative,
        "shooting goes on where whole trajectories would lose more per observation");
  visit("validation_patience", o.validation_patience, kAny,
        "checks of validation data without gain that end a run; 0: never");
  visit("neural.hidden", o.neural.hidden, OptionRange{1, 1024}, "widths of hidden layers");
  visit("neural.prior_scale", o.neural.prior_scale, kPositive, "of weights, times sqrt(inputs)");
  visit("neural.kl_weight", o.neural.kl_weight, kPositive, "factor of the weights' divergence");
  visit("neural.weight_decay", o.neural.weight_decay, kNonNegative,
        "factor of the weights' prior in a point estimate");
  visit("neural.slope_steps", o.neural.slope_steps, kAny,
        "steps on slopes of smoothed data before all others");
  visit("sampler.chains", o.sampler.chains, OptionRange{1, 1000}, "of the No-U-Turn sampler");
  visit("sampler.warm_up", o.sampler.warm_up, kCount, "iterations of a chain that are not kept");
  visit("sampler.draws", o.sampler.draws, kCount, "of a chain");
  visit("sampler.target_acceptance", o.sampler.target_acceptance, kShare,
        "mean acceptance that the step size is adapted to");
  visit("sampler.max_depth", o.sampler.max_depth, OptionRange{1, 20},
        "doublings of a trajectory at most");
  visit("solver.method", o.solver.method, kAny, "Runge-Kutta method");
  visit("solver.rtol", o.solver.rtol, kNonNegative, "relative tolerance of a solver's step");
  visit("solver.atol", o.solver.atol, kNonNegative, "absolute tolerance of a solver's step");
  visit("solver.fixed_step", o.solver.fixed_step, kNonNegative, "above 0: steps of this size");
  visit("solver.max_step", o.solver.max_step, OptionRange{.least = 0, .above = true},
        "longest step");
  visit("solver.max_steps", o.solver.max_steps, kCount, "most steps of one integration");
}

// The treatment of names that are not in the table. In a configuration file they are typing errors;
// in a model file they are options of a later version.
enum class UnknownOptions { kRefuse, kIgnore };

// Returns `base` with the options that the text sets.
FitOptions ReadOptions(std::string_view text, std::string_view source, const FitOptions& base,
                       UnknownOptions unknown);

// Throws an InputError "WHERE: NAME is VALUE, must be ..." for the first option out of its range.
void CheckRanges(const FitOptions& options, std::string_view where);

}  // namespace gpode::internal
