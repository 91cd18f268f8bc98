// The parts of a model (unknown function, posterior, likelihood), which its options choose by name,
// and the layout of its latent variables and parameters.
//
//   latent variables   function | x0 | state | force  (gpode/latent.h)
//   parameters         hyperparameters of the function, parameters of the posterior of each part,
//                      parameters of the likelihood, process noise; their names are part of the
//                      model file's format
//
// Training, sampling, prediction and the checks of model files all work on these parts, and make
// draws in the same way.
//
// Thread safety: the function and FindParameters belong to one thread at a time; the rest may be
// used by any thread.
//
//   ModelParts parts(options, {.dim = 2, .channels = 2, .trajectories = 1});
//   std::vector<double> values = StartValues(parts, start, cut);  // train/start_values.h
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/segments.h"
#include "gpode/likelihood.h"
#include "gpode/parameters.h"
#include "gpode/posterior_family.h"
#include "gpode/unknown_function.h"

namespace gpode {

struct ModelShape {
  std::size_t dim = 0;
  std::size_t inputs = 0;
  std::size_t channels = 0;
  std::size_t trajectories = 0;     // number of trajectories, each with an initial state x0
  std::size_t shooting_states = 0;  // number in all trajectories together; 0 for the vanilla bound
  // The number of pieces of process noise (data/noise_pieces.h) in all trajectories together; 0 if
  // there is no process noise.
  std::size_t noise_pieces = 0;
};

// A range of parameters that one step of the optimiser changes.
struct TouchedParameters {
  static constexpr std::size_t kNoState = static_cast<std::size_t>(-1);

  ParameterRange range;
  // The number of the state that the first item of the range belongs to; the next items belong to
  // the next states. Initial states are numbered first, then shooting states. kNoState if the
  // parameters do not belong to states one by one.
  std::size_t first_state = kNoState;
};

class ModelParts {
 public:
  // The indices of the parts of the latent variables: the function's, initial states, shooting
  // states, and the normals of the process noise. The last part exists only if there are pieces.
  static constexpr std::size_t kFunction = 0, kInitial = 1, kShooting = 2, kForce = 3;

  ModelParts(const FitOptions& options, const ModelShape& shape);

  const ModelShape& shape() const { return shape_; }
  UnknownFunction& function() const { return *function_; }
  const LatentPosterior& posterior() const { return *posterior_; }
  const Likelihood& likelihood() const { return *likelihood_; }
  const LatentLayout& latent() const { return latent_; }
  const ParameterLayout& layout() const { return layout_; }
  std::size_t likelihood_block() const { return likelihood_block_; }
  bool HasProcessNoise() const { return shape_.noise_pieces > 0; }
  // The block with the standard deviation of the process noise of each state, per square root of
  // the model's time. It exists only if HasProcessNoise().
  std::size_t process_noise_block() const { return process_noise_block_; }
  // Tells whether every initial and shooting state has parameters of its own, which no other state
  // and no other part of the latent variables shares. Threads can then work on different states.
  bool StatesHaveOwnParameters() const { return by_state_[kInitial] && by_state_[kShooting]; }
  // Returns how many blocks of the layout, the first ones, are hyperparameters of the function.
  std::size_t hyperparameter_blocks() const { return hyperparameter_blocks_; }

  template <typename T>
  std::span<T> LikelihoodParameters(std::span<T> values) const {
    return layout_.Values(likelihood_block_, values);
  }

  // Finds the latent variables that segments depend on: all of the function's and those of the
  // states at which the segments start or end, which are `touched`.
  void FindLatentRanges(const TouchedStates& touched, std::vector<LatentRange>& ranges) const;
  // Finds the parameters that the same segments depend on: all but those of states that are not
  // touched.
  void FindParameters(const TouchedStates& touched, std::vector<TouchedParameters>& ranges) const;

  // Copies the hyperparameters of a start to their places in the constrained values of all
  // parameters.
  void WriteHyperparameters(const FunctionStart& start, std::span<double> values) const;

  // Converts between posterior families: returns the constrained values at which the posterior of
  // this model's latent variables has mean `z` and these standard deviations, and all other
  // parameters have the values of the same name and size in `from`.
  std::vector<double> ValuesAt(std::span<const double> z, std::span<const double> deviation,
                               const NamedValues& from) const;
  // Returns the posterior mean of the latent variables.
  std::vector<double> LatentMean(std::span<const double> values) const;

 private:
  ModelShape shape_;
  std::unique_ptr<UnknownFunction> function_;
  const Likelihood* likelihood_;
  LatentLayout latent_;
  ParameterLayout layout_;
  std::unique_ptr<LatentPosterior> posterior_;
  std::size_t hyperparameter_blocks_ = 0;
  std::size_t likelihood_block_ = 0;
  std::size_t process_noise_block_ = 0;
  std::vector<std::size_t> common_blocks_;  // blocks whose parameters belong to no single state
  bool by_state_[3] = {};  // true for a part in which each state has its own parameters
  mutable std::vector<ParameterRange> scratch_;  // memory that FindParameters reuses
};

// Copies blocks from one flat vector to the other, if both layouts have a block of that name and
// size.
void CopyBlocks(const ParameterLayout& from, std::span<const double> from_flat,
                const ParameterLayout& to, std::span<double> to_flat);

}  // namespace gpode
