// The prior of the lengthscales and variances of a sparse Gaussian process,
//
//   log lengthscale ~ N(log centre, deviation^2),   log variance ~ N(log centre, deviation^2),
//
// whose centres follow from the values at the start of training. It is the prior of point estimates
// and of samplers; posteriors that are trained by a bound have none (process_function.h). The prior
// of the inducing values and the divergence KL[q(U) || p(U)] are in posterior_families.cc and
// gaussian.cc.
//
// Thread safety: any thread may call const functions.
//
//   ProcessPrior prior(lengthscales, variances);
//   double cost = prior.Cost(parameters, 1, blengthscales, bvariances);
#pragma once

#include <span>

#include "gpode/fit_options.h"
#include "gpode/gp.h"

namespace gpode {

class ProcessPrior {
 public:
  ProcessPrior() = default;
  // The prior of a point estimate, from the lengthscales (rows, inputs) and variances (rows) at the
  // start. Lengthscales are expected to be longer than that.
  ProcessPrior(const Matrix& lengthscales, const Vector& variances);
  // The prior of a sampled process, whose centres and deviations come from the options.
  ProcessPrior(const Matrix& lengthscales, const Vector& variances, const PriorOptions& options);

  // Returns minus the log density of the prior, up to a constant. Unless the spans are empty, adds
  // b times the gradient to them.
  double Cost(const GpParameters& gp, double b, std::span<double> blengthscales,
              std::span<double> bvariances) const;

  // Limits lengthscales and variances so that their logarithms differ from those of the centres by
  // at most the prior standard deviations in `options`.
  void Moderate(const PriorOptions& options, std::span<double> lengthscales,
                std::span<double> variances) const;

 private:
  Matrix lengthscale_centres_;  // (rows, inputs)
  Vector variance_centres_;     // (rows)
  double lengthscale_deviation_ = 1, variance_deviation_ = 1;
};

}  // namespace gpode
