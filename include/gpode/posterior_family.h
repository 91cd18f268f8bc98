// Families of posteriors over the latent variables of a model.
//
// A family computes latent variables z = g(parameters, normals) from its parameters and standard
// normals, the gradient of the parameters from that of z, and its divergence from the prior. It
// knows nothing about fields, data or solvers: the unknown function (unknown_function.h) gives z
// its meaning.
//
//   name     z                                     parameters of a part
//   blocks   mean + chol normals, item by item     NAME_mean (items, size), NAME_chol (items, size,
//                                                  size); items of one variable have NAME_deviation
//   normals  mean + deviation normals              NAME_mean, NAME_deviation (items, size)
//   point    mean: an estimate without spread      NAME_mean
//   draws    as point; each draw of a sampler is   NAME_mean
//            one such z
//   nuts     as draws; the sampler also draws the  NAME_mean
//            residual of the function between
//            inducing points
//   joint    as nuts; many short chains start      NAME_mean
//            from weighted draws of a linearised
//            model
//
// `blocks` is the posterior of the paper (sections 3.2 and 3.5): one Gaussian for the inducing
// values of each output, one for each state.
//
// Thread safety: families and posteriors do not change. Any thread may call their const functions,
// with output spans or ranges of items (and parameters) that no other thread uses at the same time.
//
//   std::unique_ptr<LatentPosterior> posterior = GetPosteriorFamily("blocks").Make(latent, layout);
//   posterior->Draw(values, normals, ranges, z);
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/field.h"
#include "gpode/latent.h"
#include "gpode/parameters.h"

namespace gpode {

// Independent Gaussians of the items of a part.
struct GaussianItems {
  Matrix mean;               // (items, size)
  std::vector<Matrix> chol;  // (items) of (size, size), lower triangular
};

// The posterior of one model: a family that knows where its parameters are among those of the
// model. `values` are the constrained values (parameters.h) of all parameters of the model,
// `bvalues` their cotangents (field.h).
class LatentPosterior {
 public:
  virtual ~LatentPosterior() = default;

  // A point estimate has no spread and no normals. The bound then is the logarithm of a joint
  // density, and the divergence minus the logarithm of the prior's density, both up to a constant.
  virtual bool is_point_estimate() const { return false; }

  // Sets the parameters so that z has this mean and these standard deviations, one of each for
  // every latent variable.
  virtual void Initialise(std::span<const double> mean, std::span<const double> deviation,
                          std::span<double> values) const = 0;

  // Computes z = g(values, normals) for the items of `ranges`; the other entries of z do not
  // change.
  virtual void Draw(std::span<const double> values, std::span<const double> normals,
                    std::span<const LatentRange> ranges, std::span<double> z) const = 0;

  // Reverses Draw: bvalues += (dz/dvalues)^T bz.
  virtual void DrawReverse(std::span<const double> values, std::span<const double> normals,
                           std::span<const LatentRange> ranges, std::span<const double> bz,
                           std::span<double> bvalues) const = 0;

  // Returns KL[q || p] of the items of a range, times the part's divergence weight. Unless bvalues
  // is empty, adds b times the gradient of the returned number to bvalues.
  virtual double Divergence(std::span<const double> values, const LatentRange& range, double b,
                            std::span<double> bvalues) const = 0;

  // Appends to `parameters` the ranges of parameters on which the items of a latent range depend.
  // If a range of parameters has as many items as the latent range, its items belong to the latent
  // items in the same order.
  virtual void AddParameterRanges(const LatentRange& range,
                                  std::vector<ParameterRange>& parameters) const = 0;

  // Returns the marginal posteriors of a part's items if they are Gaussian, and nothing otherwise.
  virtual std::optional<GaussianItems> Marginals(std::size_t /*part*/,
                                                 std::span<const double> /*values*/) const {
    return std::nullopt;
  }
};

class PosteriorFamily {
 public:
  virtual ~PosteriorFamily() = default;

  virtual std::string_view name() const = 0;
  // Tells whether a sampler makes the posterior. The posterior is then a set of draws, each with
  // parameters of this family, instead of one set of trained parameters.
  virtual bool is_sampled() const { return false; }
  // Tells whether a sampler also draws the residual of the unknown function: the variation that the
  // latent variables do not determine, such as that of a process between its inducing points. If
  // not, each draw is the mean of the function given the latent variables.
  virtual bool samples_residual() const { return false; }
  // Tells whether the sampler runs many short chains that start from draws of a linearised model,
  // instead of a few long chains.
  virtual bool is_linearised() const { return false; }
  // Tells whether the posteriors of this family are point estimates (LatentPosterior).
  bool MakesPointEstimates() const;
  // Adds the parameters of all parts to `parameters`, and returns the posterior that they describe.
  virtual std::unique_ptr<LatentPosterior> Make(const LatentLayout& latent,
                                                ParameterLayout& parameters) const = 0;
};

// Returns the family with this name. Throws an InputError that lists the known names if there is no
// such family.
const PosteriorFamily& GetPosteriorFamily(std::string_view name);
std::vector<std::string> PosteriorFamilyNames();
// Registers a family under its name, which must be new.
void RegisterPosteriorFamily(std::unique_ptr<const PosteriorFamily> family);

}  // namespace gpode
