// The log density log p(y | x) of one observation, and scores of mixtures over draws. The
// likelihood term of the bounds, a sum over observations and a mean over draws, is in bound.cc. The
// map y = C x + b from states to channels, to which the noise is added, is in observation.cc.
#include "model/gaussian_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/quantile.h"
#include "model/natural.h"

namespace gpode {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// If an integration fails before an observation, the observation counts as if its residual were
// this many standard deviations.
constexpr double kMissedBy = 10.0;
// The variance never falls below this share of its value at the start of training.
constexpr double kSmallestShare = 1e-9;

double LogNormal(double residual, double variance) {
  return -0.5 * (std::log(2 * std::numbers::pi * variance) + residual * residual / variance);
}

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Returns E |X| for X ~ N(m, s^2).
double MeanAbsolute(double m, double s) {
  constexpr double kFar = 8.5;  // the ratio |m| / s above which X has the sign of m almost surely
  const double z = m / s;
  if (std::fabs(z) > kFar) return std::fabs(m);
  return m * std::erf(z / std::numbers::sqrt2) +
         s * std::sqrt(2 / std::numbers::pi) * std::exp(-0.5 * z * z);
}

class GaussianLikelihood final : public Likelihood {
 public:
  std::string_view name() const override { return "gaussian"; }
  std::string_view parameter_name() const override { return "noise_variance"; }
  std::size_t parameters_per_channel() const override { return 1; }
  bool is_gaussian() const override { return true; }

  double LogDensity(double y, double value, std::span<const double> p) const override {
    return LogNormal(y - value, p[0]);
  }

  double LogDensityReverse(double y, double value, std::span<const double> p, double& bvalue,
                           std::span<double> bp) const override {
    const double residual = y - value, scaled = residual / p[0];
    bvalue += scaled;
    bp[0] += 0.5 * (scaled * scaled - 1.0 / p[0]);
    return LogNormal(residual, p[0]);
  }

  double MissedLogDensity(double, std::span<const double> p) const override {
    return -0.5 * (std::log(2 * std::numbers::pi * p[0]) + kMissedBy * kMissedBy);
  }

  double Cdf(double y, double value, std::span<const double> p) const override {
    return NormalCdf((y - value) / std::sqrt(p[0]));
  }

  double Quantile(double probability, double value, std::span<const double> p) const override {
    return MixtureQuantile(probability, {&value, 1}, p);
  }

  double Draw(const RandomStream& stream, std::uint64_t index, double value,
              std::span<const double> p) const override {
    double normal = 0;
    stream.Normals({&normal, 1}, index);
    return value + std::sqrt(p[0]) * normal;
  }

  Working WorkingAt(double y, double value, std::span<const double> p) const override {
    return {y - value, 1 / p[0]};
  }
  double Variance(std::span<const double> p) const override { return p[0]; }
  void SetVariance(double variance, std::span<double> p) const override { p[0] = variance; }
  void AddVariance(double variance, std::span<double> p) const override { p[0] += variance; }

  void Update(std::span<const double> gradient, double count, std::span<const double> start,
              std::span<double> log_p) const override {
    if (!(count > 0)) return;
    // The gradient with respect to log variance is  count / 2 (E r^2 / variance - 1), where r are
    // the residuals.
    const double ratio = 1 + 2 * gradient[0] / count;
    log_p[0] = std::max(log_p[0] + NaturalLogStep(ratio), std::log(kSmallestShare * start[0]));
  }

  double LogMixture(double y, std::span<const double> sorted, std::size_t draws,
                    std::span<const double> p) const override {
    const double variance = p[0];
    double nearest = kInfinity;
    for (double v : sorted) nearest = std::min(nearest, (y - v) * (y - v));
    if (std::isinf(nearest)) return -kInfinity;
    double sum = 0;
    for (double v : sorted) sum += std::exp(-0.5 * ((y - v) * (y - v) - nearest) / variance);
    return -0.5 * (std::log(2 * std::numbers::pi * variance) + nearest / variance) +
           std::log(sum / static_cast<double>(draws));
  }

  double MixtureCdf(double y, std::span<const double> sorted,
                    std::span<const double> p) const override {
    const double deviation = std::sqrt(p[0]);
    double sum = 0;
    for (double v : sorted) sum += NormalCdf((y - v) / deviation);
    return sum / static_cast<double>(sorted.size());
  }

  double MixtureQuantile(double probability, std::span<const double> sorted,
                         std::span<const double> p) const override {
    const double deviation = std::sqrt(p[0]);
    if (!(deviation > 0)) return SortedQuantile(sorted, probability);
    if (probability <= 0) return -kInfinity;
    if (probability >= 1) return kInfinity;
    // The quantile is found by bisection. Beyond 38 standard deviations, a normal distribution has
    // less than 1e-300 of its mass.
    double low = sorted.front() - 38 * deviation, high = sorted.back() + 38 * deviation;
    const double precision = 1e-9 * deviation;
    while (high - low > precision) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      (MixtureCdf(middle, sorted, p) < probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  // Returns E|Y - y| - E|Y - Y'| / 2 for independent Y and Y' from the mixture.
  double MixtureCrps(double y, std::span<const double> x,
                     std::span<const double> p) const override {
    const double s = std::sqrt(p[0]), s2 = std::sqrt(2 * p[0]);
    double first = 0, pairs = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      first += MeanAbsolute(x[i] - y, s);
      for (std::size_t j = 0; j < i; ++j) pairs += MeanAbsolute(x[i] - x[j], s2);
    }
    const double n = static_cast<double>(x.size());
    return first / n - 0.5 * (2 * pairs + n * MeanAbsolute(0, s2)) / (n * n);
  }

  double RowReverse(std::span<const double> y, std::span<const double> values,
                    std::span<const double> variances, std::span<const double> weights,
                    std::span<double> bvalues, std::span<double> bvariances) const override {
    double sum = 0;
    for (std::size_t c = 0; c < y.size(); ++c) {
      if (std::isnan(y[c])) continue;
      const double variance = variances[c], weight = weights.empty() ? 1.0 : weights[c];
      const double residual = y[c] - values[c], scaled = residual / variance;
      sum += weight * LogNormal(residual, variance);
      bvariances[c] += 0.5 * weight * (scaled * scaled - 1.0 / variance);
      bvalues[c] += weight * scaled;
    }
    return sum;
  }
};

}  // namespace

std::unique_ptr<const Likelihood> MakeGaussianLikelihood() {
  return std::make_unique<GaussianLikelihood>();
}

}  // namespace gpode
