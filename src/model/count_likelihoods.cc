#include "model/count_likelihoods.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special.h"
#include "model/natural.h"
#include "model/soft_floor.h"

namespace gpode {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The width of the soft floor of the rate, in counts.
constexpr double kFloorWidth = 0.1;
// An observation that a solution does not reach counts as if it were this many standard deviations
// away from its rate.
constexpr double kMissedBy = 10.0;
// The dispersion of the negative binomial distribution at the start of training, and its limits.
constexpr double kStartDispersion = 0.1, kLeastDispersion = 1e-5, kLargestDispersion = 100;

SoftFloor RateOf(double value) { return FloorAt(value, kFloorWidth); }

// The base class of both distributions, with quantiles and scores of whole numbers.
class CountLikelihood : public Likelihood, public FlooredLikelihood {
 public:
  double Floored(double value, std::span<const double>) const override {
    return RateOf(value).rate;
  }
  bool is_discrete() const override { return true; }
  std::string_view Demand(double y) const override {
    return y >= 0 && y == std::floor(y) ? "" : "a count: a whole number, zero or more";
  }

  double CdfBelow(double y, double value, std::span<const double> p) const override {
    return Cdf(std::ceil(y) - 1, value, p);
  }

  double Quantile(double probability, double value, std::span<const double> p) const override {
    return MixtureQuantile(probability, {&value, 1}, p);
  }

  double Draw(const RandomStream& stream, std::uint64_t index, double value,
              std::span<const double> p) const override {
    double uniform = 0;
    stream.Uniforms({&uniform, 1}, index);
    return Quantile(uniform, value, p);
  }

  // Returns the smallest count whose cumulative probability is at least `probability`.
  double MixtureQuantile(double probability, std::span<const double> sorted,
                         std::span<const double> p) const override {
    if (probability >= 1) return kInfinity;
    // The upper end of the bisection is doubled until its cumulative probability is large enough.
    double low = -1, high = std::ceil(RateOf(sorted.back()).rate) + 1;
    constexpr double kMost = 1e15;
    while (MixtureCdf(high, sorted, p) < probability && high < kMost) high = 2 * high + 1;
    while (high - low > 1) {
      const double middle = std::floor(0.5 * (low + high));
      (MixtureCdf(middle, sorted, p) < probability ? low : high) = middle;
    }
    return high;
  }

  // Returns the sum over counts k of (F(k) - 1[k >= y])^2. Far from the observation and from the
  // mixture, the terms vanish.
  double MixtureCrps(double y, std::span<const double> sorted,
                     std::span<const double> p) const override {
    constexpr double kTail = 1e-6;
    constexpr double kMostTerms = 2000;
    const double first = std::max(0.0, std::min(y, MixtureQuantile(kTail, sorted, p)) - 1);
    const double last = std::max(y, MixtureQuantile(1 - kTail, sorted, p)) + 1;
    const double step = std::max(1.0, std::ceil((last - first) / kMostTerms));
    double sum = 0;
    for (double k = first; k <= last; k += step) {
      const double off = MixtureCdf(k, sorted, p) - (k >= y ? 1.0 : 0.0);
      sum += step * off * off;
    }
    return sum;
  }
};

class PoissonLikelihood final : public CountLikelihood {
 public:
  std::string_view name() const override { return "poisson"; }
  std::string_view parameter_name() const override { return "typical_variance"; }
  std::size_t parameters_per_channel() const override { return 1; }
  std::size_t learnt_parameters() const override { return 0; }

  double LogDensity(double y, double value, std::span<const double>) const override {
    const double rate = RateOf(value).rate;
    return y * std::log(rate) - rate - LogGamma(y + 1);
  }

  double LogDensityReverse(double y, double value, std::span<const double>, double& bvalue,
                           std::span<double>) const override {
    const auto [rate, slope] = RateOf(value);
    bvalue += (y / rate - 1) * slope;
    return y * std::log(rate) - rate - LogGamma(y + 1);
  }

  double MissedLogDensity(double y, std::span<const double>) const override {
    return LogDensity(y, std::max(0.0, y - kMissedBy * std::sqrt(y + 1)), {}) -
           0.5 * kMissedBy * kMissedBy;
  }

  double Cdf(double y, double value, std::span<const double>) const override {
    return y < 0 ? 0 : UpperGamma(std::floor(y) + 1, RateOf(value).rate);
  }

  double Information(double value, std::span<const double>) const override {
    const auto [rate, slope] = RateOf(value);
    return slope * slope / rate;
  }

  double Variance(std::span<const double> p) const override { return p[0]; }
  void SetVariance(double variance, std::span<double> p) const override { p[0] = variance; }
  void Update(std::span<const double>, double, std::span<const double>,
              std::span<double>) const override {}
};

// The mean is the rate m, the variance m + a m^2 with the dispersion a. With r = 1 / a,
//   log p(y) = log Gamma(y + r) - log Gamma(r) - log y! + r log(r / (r + m)) + y log(m / (r + m))
class NegativeBinomialLikelihood final : public CountLikelihood {
 public:
  std::string_view name() const override { return "negative-binomial"; }
  std::string_view parameter_name() const override { return "dispersion_and_variance"; }
  std::size_t parameters_per_channel() const override { return 2; }
  std::size_t learnt_parameters() const override { return 1; }

  double LogDensity(double y, double value, std::span<const double> p) const override {
    double bvalue = 0;
    double bp[2] = {};
    return LogDensityReverse(y, value, p, bvalue, bp);
  }

  double LogDensityReverse(double y, double value, std::span<const double> p, double& bvalue,
                           std::span<double> bp) const override {
    const auto [m, slope] = RateOf(value);
    const double r = 1 / p[0], sum = r + m;
    bvalue += slope * (y - m) * r / (m * sum);
    const double by_r = Digamma(y + r) - Digamma(r) - std::log1p(m * p[0]) + (m - y) / sum;
    bp[0] -= by_r * r * r;
    return LogGamma(y + r) - LogGamma(r) - LogGamma(y + 1) - r * std::log1p(m * p[0]) +
           y * std::log(m / sum);
  }

  double MissedLogDensity(double y, std::span<const double> p) const override {
    const double deviation = std::sqrt(y + 1 + p[0] * y * y);
    return LogDensity(y, std::max(0.0, y - kMissedBy * deviation), p) - 0.5 * kMissedBy * kMissedBy;
  }

  double Cdf(double y, double value, std::span<const double> p) const override {
    if (y < 0) return 0;
    const double r = 1 / p[0];
    return IncompleteBeta(r, std::floor(y) + 1, r / (r + RateOf(value).rate));
  }

  double Information(double value, std::span<const double> p) const override {
    const auto [m, slope] = RateOf(value);
    return slope * slope / (m + p[0] * m * m);
  }

  double Variance(std::span<const double> p) const override { return p[1]; }
  void SetVariance(double variance, std::span<double> p) const override {
    p[0] = kStartDispersion;
    p[1] = variance;
  }

  // The step is kGain gradient / count, limited by NaturalLogStep. The gradient rarely exceeds
  // count / 2 in absolute value.
  void Update(std::span<const double> gradient, double count, std::span<const double>,
              std::span<double> log_p) const override {
    if (!(count > 0)) return;
    constexpr double kGain = 8;
    const double next = log_p[0] + NaturalLogStep(1 + kGain * gradient[0] / count);
    log_p[0] = std::clamp(next, std::log(kLeastDispersion), std::log(kLargestDispersion));
  }
};

}  // namespace

std::unique_ptr<const Likelihood> MakePoissonLikelihood() {
  return std::make_unique<PoissonLikelihood>();
}

std::unique_ptr<const Likelihood> MakeNegativeBinomialLikelihood() {
  return std::make_unique<NegativeBinomialLikelihood>();
}

}  // namespace gpode
