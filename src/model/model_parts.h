// The parts that the options of a model choose, and the layout of its parameters.
//
//   latent variables   function | x0 | state         (gpode/latent.h)
//   parameters         hyperparameters of the function, parameters of the posterior of each part,
//                      parameters of the likelihood; their names are part of the model file's
//                      format
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
  std::size_t trajectories = 0;     // each with an initial state x0
  std::size_t shooting_states = 0;  // in all trajectories together; none for the vanilla bound
};

// Parameters that one step of an optimiser touches.
struct TouchedParameters {
  static constexpr std::size_t kNoState = static_cast<std::size_t>(-1);

  ParameterRange range;
  // The first of the states that the items of the range belong to, counting initial states and then
  // shooting states; kNoState if they belong to none.
  std::size_t first_state = kNoState;
};

class ModelParts {
 public:
  // The parts of the latent variables.
  static constexpr std::size_t kFunction = 0, kInitial = 1, kShooting = 2;

  ModelParts(const FitOptions& options, const ModelShape& shape);

  const ModelShape& shape() const { return shape_; }
  UnknownFunction& function() const { return *function_; }
  const LatentPosterior& posterior() const { return *posterior_; }
  const Likelihood& likelihood() const { return *likelihood_; }
  const LatentLayout& latent() const { return latent_; }
  const ParameterLayout& layout() const { return layout_; }
  std::size_t likelihood_block() const { return likelihood_block_; }
  // The first blocks of the layout are the hyperparameters of the function.
  std::size_t hyperparameter_blocks() const { return hyperparameter_blocks_; }

  template <typename T>
  std::span<T> LikelihoodParameters(std::span<T> values) const {
    return layout_.Values(likelihood_block_, values);
  }

  // Finds the latent variables that segments touch: the function's and those of the touched states.
  void FindLatentRanges(const TouchedStates& touched, std::vector<LatentRange>& ranges) const;
  // Finds the parameters that the same segments touch: all but those of the other states.
  void FindParameters(const TouchedStates& touched, std::vector<TouchedParameters>& ranges) const;

  // Writes the hyperparameters of a start.
  void WriteHyperparameters(const FunctionStart& start, std::span<double> values) const;

  // Converts between posterior families: returns the constrained values at which this model's
  // latent variables are `z`, with this spread, and its other parameters are those of the same name
  // and size in `from`.
  std::vector<double> ValuesAt(std::span<const double> z, std::span<const double> deviation,
                               const NamedValues& from) const;
  // Returns the mean of the latent variables.
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
  std::vector<std::size_t> common_blocks_;  // those that belong to no single state
  bool by_state_[3] = {};                   // whether a part's parameters belong to single states
  mutable std::vector<ParameterRange> scratch_;  // of FindParameters
};

// Copies the blocks that both layouts have with the same name and size from one flat vector to the
// other.
void CopyBlocks(const ParameterLayout& from, std::span<const double> from_flat,
                const ParameterLayout& to, std::span<double> to_flat);

}  // namespace gpode
