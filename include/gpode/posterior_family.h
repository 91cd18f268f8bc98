// Families of posteriors over the latent variables of a model.
//
// A family turns parameters and standard normals into latent variables, z = g(parameters, normals),
// and back for gradients; it knows its divergence from the prior. It knows nothing of fields, data
// or solvers: what z means is the business of the unknown function (unknown_function.h).
//
//   name     z                                     parameters of a part
//   blocks   mean + chol normals, item by item     NAME_mean (items, size), NAME_chol (items, size,
//                                                  size); items of one variable have NAME_deviation
//   normals  mean + deviation normals              NAME_mean, NAME_deviation (items, size)
//   point    mean: an estimate without spread      NAME_mean
//   draws    as point; each draw of a sampler is   NAME_mean
//            such an estimate
//   joint    as nuts; draws of all that is unknown NAME_mean
//            by a linearised model, weighted
//   nuts     as draws, with the residual of the    NAME_mean
//            function between inducing points
//
// `blocks` is the posterior of the paper (sections 3.2 and 3.5): one Gaussian for the inducing
// values of each output, one for each state.
//
// Thread safety: families and posteriors are immutable; any thread may call const functions if it
// passes its own output spans.
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

// The posterior of one model: a family with the places of its parameters. `values` are the
// constrained values of all parameters of the model, `bvalues` their cotangents.
class LatentPosterior {
 public:
  virtual ~LatentPosterior() = default;

  // A point estimate has no spread and no normals. The bound then is the logarithm of a joint
  // density, and the divergence minus the logarithm of the prior's density, both up to a constant.
  virtual bool is_point_estimate() const { return false; }

  // Sets the parameters so that z has this mean and these standard deviations, (latent size) each.
  virtual void Initialise(std::span<const double> mean, std::span<const double> deviation,
                          std::span<double> values) const = 0;

  // Computes z = g(values, normals) for the items of `ranges`; the other entries of z are left
  // alone.
  virtual void Draw(std::span<const double> values, std::span<const double> normals,
                    std::span<const LatentRange> ranges, std::span<double> z) const = 0;

  // Reverses Draw: bvalues += (dz/dvalues)^T bz.
  virtual void DrawReverse(std::span<const double> values, std::span<const double> normals,
                           std::span<const LatentRange> ranges, std::span<const double> bz,
                           std::span<double> bvalues) const = 0;

  // Returns KL[q || p] of the items of a range, times the part's divergence weight. Unless bvalues
  // is empty, adds the reverse for the cotangent b to it.
  virtual double Divergence(std::span<const double> values, const LatentRange& range, double b,
                            std::span<double> bvalues) const = 0;

  // Appends the parameters on which the items of a range depend. Where a range of parameters has as
  // many items as the latent range, they belong together one by one.
  virtual void AddParameterRanges(const LatentRange& range,
                                  std::vector<ParameterRange>& parameters) const = 0;

  // Returns the marginal posterior of a part's items where it is Gaussian, and nothing otherwise.
  virtual std::optional<GaussianItems> Marginals(std::size_t /*part*/,
                                                 std::span<const double> /*values*/) const {
    return std::nullopt;
  }
};

class PosteriorFamily {
 public:
  virtual ~PosteriorFamily() = default;

  virtual std::string_view name() const = 0;
  // Tells whether the posterior is a set of draws by a sampler (nuts.h), each of which has
  // parameters of this family, rather than trained parameters.
  virtual bool is_sampled() const { return false; }
  // Tells whether the draws of a sampler have all that an unknown function varies by, as a process
  // does between its inducing points, rather than its mean given the latent variables.
  virtual bool samples_residual() const { return false; }
  // Tells whether draws come from a linearised model and are weighted by the right one, instead of
  // from a Markov chain.
  virtual bool is_linearised() const { return false; }
  // Adds the parameters of all parts to `parameters`, and returns the posterior that they describe.
  virtual std::unique_ptr<LatentPosterior> Make(const LatentLayout& latent,
                                                ParameterLayout& parameters) const = 0;
};

// Returns the family with this name. Throws an InputError that lists the known names.
const PosteriorFamily& GetPosteriorFamily(std::string_view name);
std::vector<std::string> PosteriorFamilyNames();
// Makes a family known by its name, which must be new.
void RegisterPosteriorFamily(std::unique_ptr<const PosteriorFamily> family);

}  // namespace gpode
