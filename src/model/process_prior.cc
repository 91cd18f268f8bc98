// See process_prior.h; the divergence KL[q(U) || p(U)] is computed in gaussian.cc and
// posterior_families.cc.
#include "model/process_prior.h"

#include <algorithm>
#include <cmath>

#include "model/process_start.h"

namespace gpode {
namespace {

// The standard deviations of a point estimate's log lengthscales and log variances, and the factor
// by which its lengthscales are expected to be longer than at the start.
constexpr double kLengthscaleDeviation = 0.5, kVarianceDeviation = 1.0, kSmooth = 4;

// Minus the log density of log value ~ N(log centre, deviation^2), up to a constant, and its
// derivative with respect to the value.
struct LogNormalCost {
  double cost, slope;
};
LogNormalCost CostOf(double value, double centre, double deviation) {
  const double away = std::log(value / centre) / deviation;
  return {0.5 * away * away, away / (deviation * value)};
}

}  // namespace

ProcessPrior::ProcessPrior(const Matrix& lengthscales, const Vector& variances)
    : lengthscale_centres_(kSmooth * lengthscales),
      variance_centres_(variances),
      lengthscale_deviation_(kLengthscaleDeviation),
      variance_deviation_(kVarianceDeviation) {}

ProcessPrior::ProcessPrior(const Matrix& lengthscales, const Vector& variances,
                           const PriorOptions& options)
    : lengthscale_centres_(options.lengthscale / kStartLengthscale * lengthscales),
      variance_centres_(variances * options.variance),
      lengthscale_deviation_(options.lengthscale_deviation),
      variance_deviation_(options.variance_deviation) {}

double ProcessPrior::Cost(const GpParameters& gp, double b, std::span<double> blengthscales,
                          std::span<double> bvariances) const {
  double sum = 0;
  const auto visit = [&](const LogNormalCost& prior, std::span<double> bvalues, std::size_t i) {
    sum += prior.cost;
    if (!bvalues.empty()) bvalues[i] += b * prior.slope;
  };
  for (Eigen::Index row = 0; row < gp.variances.size(); ++row) {
    for (Eigen::Index k = 0; k < gp.lengthscales.cols(); ++k) {
      visit(CostOf(gp.lengthscales(row, k), lengthscale_centres_(row, k), lengthscale_deviation_),
            blengthscales, static_cast<std::size_t>(row * gp.lengthscales.cols() + k));
    }
    visit(CostOf(gp.variances[row], variance_centres_[row], variance_deviation_), bvariances,
          static_cast<std::size_t>(row));
  }
  return sum;
}

void ProcessPrior::Moderate(const PriorOptions& options, std::span<double> lengthscales,
                            std::span<double> variances) const {
  const auto clip = [](double& value, double centre, double deviation) {
    value = std::clamp(value, centre * std::exp(-deviation), centre * std::exp(deviation));
  };
  for (std::size_t i = 0; i < lengthscales.size(); ++i) {
    clip(lengthscales[i], lengthscale_centres_.data()[i], options.lengthscale_deviation);
  }
  for (std::size_t i = 0; i < variances.size(); ++i) {
    clip(variances[i], variance_centres_.data()[i], options.variance_deviation);
  }
}

}  // namespace gpode
