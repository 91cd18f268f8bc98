// The functions that all likelihoods share, and their registry. See gpode/likelihood.h. The paper's
// Gaussian likelihood is in gaussian_likelihood.cc.
#include "gpode/likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/registry.h"
#include "model/gaussian_likelihood.h"

namespace gpode {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double WeightOf(std::span<const double> weights, std::size_t channel) {
  return weights.empty() ? 1.0 : weights[channel];
}

Registry<Likelihood>& Likelihoods() {
  static Registry<Likelihood>& registry = *[] {
    auto* own = new Registry<Likelihood>("likelihood", "GetLikelihood", "RegisterLikelihood");
    own->Add(MakeGaussianLikelihood());
    return own;
  }();
  return registry;
}

}  // namespace

double Likelihood::LogMixture(double y, std::span<const double> sorted, std::size_t draws,
                              std::span<const double> p) const {
  double largest = -kInfinity;
  for (double v : sorted) largest = std::max(largest, LogDensity(y, v, p));
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (double v : sorted) sum += std::exp(LogDensity(y, v, p) - largest);
  return largest + std::log(sum / static_cast<double>(draws));
}

double Likelihood::MixtureCdf(double y, std::span<const double> sorted,
                              std::span<const double> p) const {
  double sum = 0;
  for (double v : sorted) sum += Cdf(y, v, p);
  return sum / static_cast<double>(sorted.size());
}

// Finds the quantile by bisection. The quantile of a mixture lies between the smallest and the
// largest quantile of its parts.
double Likelihood::MixtureQuantile(double probability, std::span<const double> sorted,
                                   std::span<const double> p) const {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  double low = kInfinity, high = -kInfinity;
  for (double v : sorted) {
    const double q = Quantile(probability, v, p);
    low = std::min(low, q);
    high = std::max(high, q);
  }
  constexpr int kMostHalvings = 200;
  for (int i = 0; i < kMostHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (MixtureCdf(middle, sorted, p) < probability ? low : high) = middle;
  }
  return high;
}

// CRPS = 2 int_0^1 (1[y < Q(q)] - q) (Q(q) - y) dq  with the quantile function Q of the mixture
// (Gneiting and Raftery, 2007), by the midpoint rule.
double Likelihood::MixtureCrps(double y, std::span<const double> sorted,
                               std::span<const double> p) const {
  constexpr int kNodes = 200;
  double sum = 0;
  for (int i = 0; i < kNodes; ++i) {
    const double level = (i + 0.5) / kNodes;
    const double quantile = MixtureQuantile(level, sorted, p);
    sum += 2 * ((y < quantile ? 1.0 : 0.0) - level) * (quantile - y);
  }
  return sum / kNodes;
}

double Likelihood::RowReverse(std::span<const double> y, std::span<const double> values,
                              std::span<const double> parameters, std::span<const double> weights,
                              std::span<double> bvalues, std::span<double> bparameters) const {
  double sum = 0;
  std::vector<double> bp(parameters_per_channel());
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (std::isnan(y[c])) continue;
    const double weight = WeightOf(weights, c);
    double bvalue = 0;
    std::ranges::fill(bp, 0.0);
    sum += weight * LogDensityReverse(y[c], values[c], OfChannel(c, parameters), bvalue, bp);
    bvalues[c] += weight * bvalue;
    const std::span<double> to = OfChannel(c, bparameters);
    for (std::size_t i = 0; i < bp.size(); ++i) to[i] += weight * bp[i];
  }
  return sum;
}

double Likelihood::RowMissed(std::span<const double> y, std::span<const double> parameters,
                             std::span<const double> weights) const {
  double sum = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    if (std::isnan(y[c])) continue;
    sum += WeightOf(weights, c) * MissedLogDensity(y[c], OfChannel(c, parameters));
  }
  return sum;
}

std::size_t ObservationNoise::channels() const {
  const std::size_t each = likelihood->parameters_per_channel();
  return each == 0 ? 0 : static_cast<std::size_t>(parameters.size()) / each;
}

ObservationNoise GaussianNoise(const Vector& variances) {
  return {&GetLikelihood("gaussian"), variances};
}

const Likelihood& GetLikelihood(std::string_view name) { return Likelihoods().Get(name); }

std::vector<std::string> LikelihoodNames() { return Likelihoods().Names(); }

void RegisterLikelihood(std::unique_ptr<const Likelihood> likelihood) {
  Likelihoods().Add(std::move(likelihood));
}

}  // namespace gpode
