// Unknown functions: what a model can learn as the field of an ODE.
//
// An unknown function makes a field from latent variables (latent.h) and parameters of its own, the
// hyperparameters, and converts gradients of the field into gradients of both. It does not know how
// the latent variables are distributed: that is up to the posterior family (posterior_family.h).
//
//   name      latent variables                 hyperparameters
//   process   whitened inducing values (D, M)  inducing_locations (M, D + U), lengthscales (D or 1,
//             of a sparse Gaussian process     D + U), variances (D or 1)
//             + J weights of a polynomial      polynomial_scales (D or 1, J), learnt by samplers
//             part of the kernel, (D, M + J)
//   network   P weights, each divided by its   none
//             prior standard deviation
//   equations parameters and, for each unknown  equation_units, which are not learnt, and those of
//             function, the latent variables    a process for each unknown function, with its name
//             of a process, (1, all together)   in front: "gp1.lengthscales"
//
// Thread safety: any thread may call const functions. While one thread calls another function of an
// UnknownFunction or a FunctionDraw, no other thread may use the same object; different threads may
// use different draws.
//
//   std::unique_ptr<UnknownFunction> function = MakeUnknownFunction("process", setting);
//   function->Set(values, pool);
//   std::unique_ptr<FunctionDraw> draw = function->MakeDraw();
//   draw->Sample(seed, step, 0);
//   draw->Set(z);                     // draw->field() is the function of these latent variables
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpode/coordinates.h"
#include "gpode/field.h"
#include "gpode/fit_options.h"
#include "gpode/gp.h"
#include "gpode/latent.h"
#include "gpode/parallel.h"
#include "gpode/parameters.h"
#include "gpode/posterior_family.h"

namespace gpode {

// The setting that an unknown function is made for.
struct FunctionSetting {
  FitOptions options;
  std::size_t dim = 0;     // D, the number of states
  std::size_t inputs = 0;  // U, the number of inputs
  // If true, a draw has a residual: variation that its latent variables do not determine, as a
  // process has between its inducing points. If false, as for point estimates, a draw is the mean
  // of the function given the latent variables.
  bool with_residual = true;
  // If true, a sampler draws the latent variables.
  bool is_sampled = false;
};

// The values at the start of training: hyperparameters, in the order of AddParameters, and latent
// variables.
struct FunctionStart {
  std::vector<double> hyperparameters;
  std::vector<double> latent;
};

// States in the user's units that a function with known equations uses in place of the smoothed
// ones, and the coordinates that it requests.
struct StateFrame {
  Matrix states;         // (n, D)
  Vector offset, scale;  // (D); NaN where the function requests nothing
};

// The place at which a function that is not linear in its latent variables was linearised. Its
// contents are known only to the function that made it.
class LinearisationPoint {
 public:
  virtual ~LinearisationPoint() = default;
};

// The mean and the variance of a field at n points, (n, D) each.
struct FieldMoments {
  Matrix mean, variance;
};

// One draw of an unknown function.
class FunctionDraw {
 public:
  virtual ~FunctionDraw() = default;

  // Draws the random numbers of the residual (in a process, frequencies and Fourier weights). They
  // are addressed as in random.h.
  virtual void Sample(std::uint64_t seed, std::uint64_t step, std::uint64_t sample) = 0;

  // Makes field() the function of these latent variables, with the hyperparameters that the
  // UnknownFunction has now.
  virtual void Set(std::span<const double> z) = 0;

  // The field's Pullback adds to parameter_count() raw sums, which UnknownFunction::Pullback turns
  // into gradients. The field stays valid until the next Set, even if the UnknownFunction is gone.
  virtual const Field& field() const = 0;
};

class UnknownFunction {
 public:
  virtual ~UnknownFunction() = default;

  virtual LatentPart latent() const = 0;
  // The standard deviation of the latent variables' posterior when training starts.
  virtual double start_deviation() const = 0;

  // Adds the hyperparameters to the parameters of a model, and remembers where they are.
  virtual void AddParameters(ParameterLayout& layout) = 0;
  // Adds the variables of the residual to the parameters of a model, if a sampler draws them. They
  // are standard normal a priori.
  virtual void AddResidual(ParameterLayout& /*layout*/) {}
  // The index of the block that AddResidual added, if it did.
  virtual std::optional<std::size_t> ResidualBlock() const { return std::nullopt; }
  // The blocks of hyperparameters that a sampler draws along with the latent variables.
  virtual std::vector<std::size_t> SampledBlocks() const { return {}; }

  // A group of hyperparameters that a sampler draws together. The logarithm of each member is the
  // logarithm of its centre plus `deviation` times a variable that all members share and that is
  // standard normal a priori.
  struct SampledGroup {
    std::size_t block = 0;
    std::vector<std::size_t> members;
    std::vector<double> centres;
    double deviation = 1;
  };
  // Returns the groups of hyperparameters that a sampler draws beside SampledBlocks. SetStart must
  // have been called.
  virtual std::vector<SampledGroup> SampledGroups() const { return {}; }

  // Takes the model's coordinates before Start is called. Functions in the user's units need them.
  virtual void SetCoordinates(const Coordinates& /*coordinates*/) {}
  // Returns guesses of the states at n points, from smoothed states and inputs (n, D + U) and
  // slopes (n, D) in the user's units. Only the first `seen` states are observed. Returns nothing
  // if the function knows nothing about its states.
  virtual std::optional<StateFrame> FrameStates(const Matrix& /*points*/, const Matrix& /*slopes*/,
                                                std::size_t /*seen*/) const {
    return std::nullopt;
  }

  // Returns start values with which the field is about `slopes` (n, D) at `states` (n, D). `spread`
  // (D) is the typical size of each state.
  virtual FunctionStart Start(const Matrix& states, const Matrix& slopes,
                              const Vector& spread) const = 0;
  // Takes the start values of this training run, because priors of hyperparameters may depend on
  // them.
  virtual void SetStart(const FunctionStart& /*start*/) {}

  // Limits each hyperparameter to one prior standard deviation from the centre of its prior, on a
  // logarithmic scale.
  virtual void Moderate(std::span<double> /*values*/) const {}

  // Takes the hyperparameters from the constrained values of all parameters.
  virtual FactorStatus Set(std::span<const double> values, ThreadPool& pool) = 0;

  // Returns a draw that refers to this function.
  virtual std::unique_ptr<FunctionDraw> MakeDraw() const = 0;

  // Reverses Set and FunctionDraw::Set for S draws. Each row of `sums` (S, stride) begins with the
  // raw sums that the Pullback of the draw's field has added up. Writes the cotangents (field.h) of
  // the latent variables to bz (S, stride_z), and adds those of the hyperparameters to bvalues.
  virtual void Pullback(std::span<const std::unique_ptr<FunctionDraw>> draws,
                        std::span<const double> sums, std::size_t stride, std::span<double> bz,
                        std::size_t stride_z, std::span<double> bvalues, ThreadPool& pool) = 0;
  // Does the same, but may leave out the cotangents of the hyperparameters, which take most of the
  // time in some functions.
  virtual void PullbackToLatent(std::span<const std::unique_ptr<FunctionDraw>> draws,
                                std::span<const double> sums, std::size_t stride,
                                std::span<double> bz, std::size_t stride_z,
                                std::span<double> bvalues, ThreadPool& pool) {
    Pullback(draws, sums, stride, bz, stride_z, bvalues, pool);
  }

  // If the function without its residual is linear in the latent variables, returns one matrix
  // (n, latent variables of an item) for each output: the values of that output at points (n, D)
  // are the matrix times the latent variables of the output's item, for the current
  // hyperparameters. Returns nothing if the function is not linear.
  virtual std::vector<Matrix> Basis(const Matrix& /*points*/) const { return {}; }
  // Reverses Basis, which must have returned `basis`: adds the cotangents of the hyperparameters to
  // bvalues.
  virtual void BasisPullback(const Matrix& /*points*/, std::span<const Matrix> /*basis*/,
                             std::span<const Matrix> /*bbasis*/, std::span<double> /*bvalues*/) {}

  // The next four functions replace Basis if the function is not linear in its latent variables.
  // Linearise linearises the function around the latent variables z at points (n, D + U), with the
  // current hyperparameters, and returns the place, or null if that is not possible. Near that
  // place, the value of output d at point p is about entry d n + p of B z + c. LinearBasis returns
  // B (D n, latent variables) and LinearOffset returns c (D n), both for the current
  // hyperparameters; c includes the residual if `with_residual` is true. LinearPullback reverses
  // both: it adds the cotangents of the hyperparameters to bvalues. An empty boffset means that the
  // residual was left out.
  virtual std::shared_ptr<const LinearisationPoint> Linearise(const Matrix& /*points*/,
                                                              std::span<const double> /*z*/) const {
    return nullptr;
  }
  virtual Matrix LinearBasis(const LinearisationPoint& /*at*/) const { return {}; }
  virtual Vector LinearOffset(const LinearisationPoint& /*at*/, bool /*with_residual*/) const {
    return {};
  }
  virtual void LinearPullback(const LinearisationPoint& /*at*/, const Matrix& /*bbasis*/,
                              const Vector& /*boffset*/, std::span<double> /*bvalues*/) {}

  // Returns minus the log density of the hyperparameters' prior, up to a constant. Unless bvalues
  // is empty, adds b times the gradient of the returned number to bvalues. Only point estimates and
  // sampled posteriors use this prior.
  virtual double HyperparameterCost(double /*b*/, std::span<double> /*bvalues*/) const { return 0; }

  // Tells whether different latent variables can give the same function, as when hidden units of a
  // network are exchanged. Each chain of a sampler then starts from a fit of its own.
  virtual bool has_symmetries() const { return false; }
  // Tells whether the prior keeps the field from following noise. Without such a prior, a field
  // trained on short segments follows the noise from one shooting state to the next, so training
  // starts with whole trajectories.
  virtual bool is_regular() const { return true; }

  // Returns the exact moments of the field at points (n, D + U) for Gaussian latent variables, or
  // nothing if there is no closed form.
  virtual std::optional<FieldMoments> Moments(const Matrix& /*points*/,
                                              const GaussianItems& /*latent*/) const {
    return std::nullopt;
  }
  // Returns the geometric mean of the lengthscales, or NaN if there are none.
  virtual double MeanLengthscale(std::span<const double> values) const;

  // Quantities returns numbers that are functions of the latent variables z, such as the parameters
  // of known equations in the user's units. QuantityNames returns their names.
  virtual std::vector<std::string> QuantityNames() const { return {}; }
  virtual std::vector<double> Quantities(std::span<const double> /*z*/) const { return {}; }

  // Facts returns facts about the function for people, such as ("inducing points", "16"). Summary
  // returns a few words, such as "16 inducing points".
  virtual std::vector<std::pair<std::string, std::string>> Facts() const { return {}; }
  virtual std::string Summary() const { return ""; }
};

using UnknownFunctionMaker =
    std::function<std::unique_ptr<UnknownFunction>(const FunctionSetting& setting)>;

// Throws an InputError that lists the known names if `name` is not one of them.
std::unique_ptr<UnknownFunction> MakeUnknownFunction(std::string_view name,
                                                     const FunctionSetting& setting);
std::vector<std::string> UnknownFunctionNames();
// Registers a kind of function under a name, which must be new.
void RegisterUnknownFunction(std::string name, UnknownFunctionMaker maker);

}  // namespace gpode
