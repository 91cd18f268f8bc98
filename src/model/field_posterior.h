// q(f) as the bounds see it: parameters in, drawn fields out, and the way back for gradients.
//
// Two families: sparse Gaussian processes (gp_posterior.h) and networks whose weights are
// independent normals (network_posterior.h). Either can be a point instead of a distribution: all
// of its noise is then zero, and its divergence is minus the logarithm of the prior's density up to
// a constant, which makes the bound the logarithm of a joint density.
//
// Thread safety: const functions may be called from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpode/field.h"
#include "gpode/gp.h"
#include "gpode/parallel.h"

namespace gpode {

// How the unknowns of a bound are described.
enum class Knowledge { kDistribution, kPoint };

class FieldPosterior {
 public:
  virtual ~FieldPosterior() = default;

  virtual std::size_t draws() const = 0;
  virtual const Field& draw(std::size_t s) const = 0;

  // The random numbers of draw s, addressed as in random.h. A network's are in eps_u alone.
  virtual void SampleNoise(std::uint64_t seed, std::uint64_t step, std::size_t s,
                           GpNormals& noise) const = 0;

  // Takes the constrained values of all parameters, and makes the draws of the noise.
  virtual FactorStatus Set(std::span<const double> values, std::span<const GpNormals> noise,
                           ThreadPool& pool) = 0;

  // KL[q(f) || p(f)].
  virtual double Divergence() const = 0;

  // bvalues += the gradient of  sum_s sums_s . draw_s - divergence,  where sums (S, stride) begin
  // with the raw sums that the fields' pullbacks added up.
  virtual void AddGradient(std::span<const GpNormals> noise, std::span<const double> sums,
                           std::size_t stride, std::span<double> bvalues, ThreadPool& pool) = 0;
};

}  // namespace gpode
