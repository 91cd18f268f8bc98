#include "model/process_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/kmeans.h"
#include "data/thin.h"
#include "field/polynomial.h"
#include "field/polynomial_whitening.h"
#include "gpode/error.h"
#include "gpode/gp.h"
#include "kernel/kernel_sum.h"
#include "model/initial_inducing_values.h"

namespace gpode {
namespace {

// Without scaling, an output's variance at the start is at least this share of the outputs' mean.
constexpr double kSmallestVariance = 1e-4;
// The largest number of states that k-means clusters, and of slopes that the start regresses on.
constexpr std::size_t kMostClustered = 20000, kMostSlopes = 1000;

Eigen::Index Index(std::size_t n) { return static_cast<Eigen::Index>(n); }

// Returns the variances (D or 1) of a process whose slopes are not scaled. A state that does not
// move in the data may still move elsewhere, so that its prior variance must not be zero.
Vector UnscaledVariances(const Matrix& slopes, std::size_t rows) {
  const Vector sizes =
      (slopes.colwise().squaredNorm() / static_cast<double>(slopes.rows())).cwiseSqrt();
  const Vector variances = sizes.cwiseAbs2();
  const double mean = variances.mean() > 0 ? variances.mean() : 1.0;
  if (Index(rows) == slopes.cols()) return variances.cwiseMax(kSmallestVariance * mean);
  return Vector::Constant(Index(rows), mean);
}

// Returns the latent variables z (D, M + J) for `white`, which is v (D, M), and `weights`, which is
// b (D, J) (field/polynomial_whitening.h).
Matrix WhitenedStart(const Kernel& kernel, double jitter, const GpParameters& start,
                     std::size_t degree, const Matrix& scales, const Matrix& white,
                     const Matrix& weights) {
  GpParameters shape = start;
  shape.inducing_mean.resize(white.rows(), 0);
  SparseGp gp(kernel, jitter);
  if (const FactorStatus status = gp.Set(shape); status != FactorStatus::kOk) {
    ThrowInput("Fit", "start", Message(status));
  }
  const Matrix terms = Polynomial::Terms(start.inducing_locations, degree);
  Matrix latent(white.rows(), white.cols() + weights.cols());
  latent << white, weights;
  for (Eigen::Index d = 0; d < white.rows(); ++d) {
    PolynomialWhitening whitening;
    const std::size_t row = gp.HyperRow(static_cast<std::size_t>(d));
    whitening.Set(gp.Factor(static_cast<std::size_t>(d)), terms,
                  scales.row(Index(row)).transpose());
    latent.row(d) = whitening.Inverse(latent.row(d).transpose()).transpose();
  }
  return latent;
}

}  // namespace

FunctionStart StartProcess(const FunctionSetting& setting, const Matrix& states,
                           const Matrix& slopes, const Vector& spread) {
  const FitOptions& options = setting.options;
  const KernelSum sum = GetKernelSum(options.kernel);
  const std::size_t rows = options.shared_hyperparameters ? 1 : setting.dim;
  // Without scaling, the priors of a sampled process are in the user's units, and do not depend on
  // the data.
  const bool has_fixed_units = setting.with_residual && setting.is_sampled && !options.scale;
  const Vector units = has_fixed_units ? Vector::Ones(spread.size()) : spread;
  GpParameters gp;
  gp.inducing_locations = KMeans(Thin(states, kMostClustered), options.inducing, options.seed);
  gp.lengthscales = (kStartLengthscale * units.transpose()).replicate(Index(rows), 1);
  gp.variances = Vector::Ones(Index(rows));
  if (!options.scale && !has_fixed_units) gp.variances = UnscaledVariances(slopes, rows);
  const Matrix at = Thin(states, kMostSlopes);
  Matrix left = Thin(slopes, kMostSlopes), scales, weights;
  if (sum.degree > 0) {
    scales = gp.variances.cwiseSqrt() * options.prior.linear *
             Polynomial::PriorDeviations(units, sum.degree, options.prior.lengthscale).transpose();
    weights = RegressedPolynomial(Polynomial::Terms(at, sum.degree), scales, gp.variances, left);
  }
  const Matrix white = RegressedInducingValues(*sum.stationary, at, left, options.jitter, gp);
  FunctionStart start;
  const auto append = [](const auto& from, std::vector<double>& to) {
    to.insert(to.end(), from.data(), from.data() + from.size());
  };
  append(gp.inducing_locations, start.hyperparameters);
  append(gp.lengthscales, start.hyperparameters);
  append(gp.variances, start.hyperparameters);
  append(scales, start.hyperparameters);
  if (sum.degree > 0) {
    append(WhitenedStart(*sum.stationary, options.jitter, gp, sum.degree, scales, white, weights),
           start.latent);
  } else {
    append(white, start.latent);
  }
  return start;
}

void CheckProcessSize(const FunctionSetting& setting) {
  constexpr double kMostCovariances = 1e8, kMostFrequencies = 4e8;
  const FitOptions& o = setting.options;
  const auto dim = static_cast<double>(setting.dim), inducing = static_cast<double>(o.inducing);
  if (dim * inducing * inducing > kMostCovariances) {
    ThrowInput("Fit", "inducing",
               fmt::format("is {} for {} states, must be at most {:.0f}", o.inducing, dim,
                           std::max(1.0, std::floor(std::sqrt(kMostCovariances / dim)))));
  }
  if (const KernelSum sum = GetKernelSum(o.kernel); sum.degree > 0) {
    const auto terms =
        static_cast<double>(Polynomial::CountTerms(setting.dim + setting.inputs, sum.degree));
    if (dim * (inducing + terms) * (inducing + terms) > kMostCovariances) {
      ThrowInput("Fit", "kernel",
                 fmt::format("\"{}\" has {:.0f} terms for {} states, must have fewer: choose a "
                             "lower degree, fewer inducing points or fewer states",
                             sum.Name(), terms, dim));
    }
  }
  const double features = static_cast<double>(o.features) * static_cast<double>(o.draws);
  if (dim * dim * features > kMostFrequencies) {
    ThrowInput("Fit", "features",
               fmt::format("times draws is {:.0f} for {} states, must be at most {:.0f}", features,
                           dim, std::max(1.0, std::floor(kMostFrequencies / dim / dim))));
  }
}

}  // namespace gpode
