// Unknown functions: what a model can learn as the field of an ODE.
//
// An unknown function turns latent variables (latent.h) and parameters of its own, the
// hyperparameters, into a field that a solver can follow, and takes gradients back. It knows
// nothing of how the latent variables are distributed: that is the business of the posterior family
// (posterior_family.h).
//
//   name      latent variables                 hyperparameters
//   process   whitened inducing values (D, M)  inducing_locations (M, D + U), lengthscales (D or 1,
//             of a sparse Gaussian process     D + U), variances (D or 1)
//             + J weights of a polynomial      polynomial_scales (D or 1, J), which are not learnt
//             part of the kernel, (D, M + J)
//   network   weights (P), in prior units      none
//
// Thread safety: an UnknownFunction and a FunctionDraw belong to one evaluation at a time; const
// functions may be called from any thread, different draws may be used by different threads.
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
  std::size_t dim = 0;     // D, of the state
  std::size_t inputs = 0;  // U, of the inputs
  // Says whether a draw varies beyond its latent variables, as a process does between its inducing
  // points. A point estimate is the mean function instead.
  bool with_residual = true;
  // Says whether a sampler draws the latent variables.
  bool is_sampled = false;
};

// The start of training: values of the hyperparameters, in the order of AddParameters, and of the
// latent variables.
struct FunctionStart {
  std::vector<double> hyperparameters;
  std::vector<double> latent;
};

// The mean and the variance of a field at n points, (n, D) each.
struct FieldMoments {
  Matrix mean, variance;
};

// One draw of an unknown function.
class FunctionDraw {
 public:
  virtual ~FunctionDraw() = default;

  // Takes the random numbers that the draw has beside the latent variables, addressed as in
  // random.h.
  virtual void Sample(std::uint64_t seed, std::uint64_t step, std::uint64_t sample) = 0;

  // Makes field() the function of these latent variables, with the present hyperparameters.
  virtual void Set(std::span<const double> z) = 0;

  // Its pullback adds to parameter_count() raw sums, which UnknownFunction::Pullback understands.
  // Stays valid without the UnknownFunction until the next Set.
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
  // Adds the variables of the residual, if a sampler draws them: standard normal a priori.
  virtual void AddResidual(ParameterLayout& /*layout*/) {}
  // Their block, where AddResidual added one.
  virtual std::optional<std::size_t> ResidualBlock() const { return std::nullopt; }
  // The blocks of hyperparameters that a sampler draws along with the latent variables.
  virtual std::vector<std::size_t> SampledBlocks() const { return {}; }

  // The start for a field whose slopes (n, D) at states (n, D) are about known. `spread` (D) is the
  // size of the states.
  virtual FunctionStart Start(const Matrix& states, const Matrix& slopes,
                              const Vector& spread) const = 0;
  // Takes the start of the present run, which priors of hyperparameters may refer to.
  virtual void SetStart(const FunctionStart& /*start*/) {}

  // Moves hyperparameters that are improbable a priori to one standard deviation from the centre.
  virtual void Moderate(std::span<double> /*values*/) const {}

  // Takes the hyperparameters from the constrained values of all parameters.
  virtual FactorStatus Set(std::span<const double> values, ThreadPool& pool) = 0;

  // A draw that refers to this function.
  virtual std::unique_ptr<FunctionDraw> MakeDraw() const = 0;

  // Reverse of Set and of FunctionDraw::Set for S draws. `sums` (S, stride) begin with the raw sums
  // that the pullbacks of the draws' fields added up. Writes the cotangents of the latent variables
  // to bz (S, stride_z), and adds those of the hyperparameters to bvalues.
  virtual void Pullback(std::span<const std::unique_ptr<FunctionDraw>> draws,
                        std::span<const double> sums, std::size_t stride, std::span<double> bz,
                        std::size_t stride_z, std::span<double> bvalues, ThreadPool& pool) = 0;

  // If the function without its residual is linear in the latent variables, returns the matrices
  // (n, latent size of an item), one for each output, that lead from the latent variables of its
  // item to its values at points (n, D), with the present hyperparameters; none otherwise.
  virtual std::vector<Matrix> Basis(const Matrix& /*points*/) const { return {}; }
  // Reverse of Basis, which must have returned `basis`: adds the cotangents of the hyperparameters
  // to bvalues.
  virtual void BasisPullback(const Matrix& /*points*/, std::span<const Matrix> /*basis*/,
                             std::span<const Matrix> /*bbasis*/, std::span<double> /*bvalues*/) {}

  // Minus the log density of the hyperparameters' prior, up to a constant; unless bvalues is empty,
  // also its reverse for the cotangent b. It counts where the posterior is a point estimate.
  virtual double HyperparameterCost(double /*b*/, std::span<double> /*bvalues*/) const { return 0; }

  // Tells whether different latent variables give the same function, as exchanging the hidden units
  // of a network does. Chains of a sampler then start from fits of their own.
  virtual bool has_symmetries() const { return false; }
  // Tells whether the prior holds the field back where there are no data. Otherwise short segments
  // follow the noise from one state to the next, and training starts with whole trajectories.
  virtual bool is_regular() const { return true; }

  // The exact moments of the field at points (n, D + U) for Gaussian latent variables, where there
  // is a closed form.
  virtual std::optional<FieldMoments> Moments(const Matrix& /*points*/,
                                              const GaussianItems& /*latent*/) const {
    return std::nullopt;
  }
  // The geometric mean of the lengthscales, or NaN where there are none.
  virtual double MeanLengthscale(std::span<const double> values) const;

  // Facts about the function for people, such as ("inducing points", "16"), and a summary in a few
  // words, such as "16 inducing points".
  virtual std::vector<std::pair<std::string, std::string>> Facts() const { return {}; }
  virtual std::string Summary() const { return ""; }
};

using UnknownFunctionMaker =
    std::function<std::unique_ptr<UnknownFunction>(const FunctionSetting& setting)>;

// Throws an InputError that lists the known names.
std::unique_ptr<UnknownFunction> MakeUnknownFunction(std::string_view name,
                                                     const FunctionSetting& setting);
std::vector<std::string> UnknownFunctionNames();
// Makes a kind of function known by its name, which must be new.
void RegisterUnknownFunction(std::string name, UnknownFunctionMaker maker);

}  // namespace gpode
