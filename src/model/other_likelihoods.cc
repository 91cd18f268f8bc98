#include "model/other_likelihoods.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gpode/error.h"
#include "model/natural.h"
#include "model/soft_floor.h"

namespace gpode {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMissedBy = 10.0;       // see gaussian_likelihood.cc
constexpr double kSmallestShare = 1e-9;  // see gaussian_likelihood.cc

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Returns the quantile z with NormalCdf(z) = probability, by Newton's method from a rough start.
double NormalQuantile(double probability) {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  double low = -39, high = 39;
  while (high - low > 1e-14 * std::max(1.0, std::fabs(low))) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (NormalCdf(middle) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Student's t distribution with two degrees of freedom, located at the value, with a learnt scale
// s. The parameter is s^2. In a least squares fit, a residual of r scales has the weight 3 / (2 +
// r^2), so that outliers hardly count. The estimate of the scale tolerates a share of up to one
// third of outliers; with nu degrees of freedom, that share is 1 / (nu + 1).
//   K. L. Lange, R. J. A. Little, J. M. G. Taylor (1989), Robust statistical modeling using the t
//   distribution, JASA 84.
class StudentTLikelihood final : public Likelihood {
 public:
  std::string_view name() const override { return "student-t"; }
  std::string_view parameter_name() const override { return "squared_scale"; }
  std::size_t parameters_per_channel() const override { return 1; }

  double LogDensity(double y, double value, std::span<const double> p) const override {
    const double square = (y - value) * (y - value) / p[0];
    return -1.5 * std::numbers::ln2 - 0.5 * std::log(p[0]) - 1.5 * std::log1p(0.5 * square);
  }

  double LogDensityReverse(double y, double value, std::span<const double> p, double& bvalue,
                           std::span<double> bp) const override {
    const double residual = y - value, weight = Weight(residual, p);
    bvalue += weight * residual / p[0];
    bp[0] += 0.5 * (weight * residual * residual / p[0] - 1) / p[0];
    return LogDensity(y, value, p);
  }

  double MissedLogDensity(double, std::span<const double> p) const override {
    return LogDensity(0, kMissedBy * std::sqrt(p[0]), p) - 0.5 * kMissedBy * kMissedBy;
  }

  double Cdf(double y, double value, std::span<const double> p) const override {
    const double t = (y - value) / std::sqrt(p[0]);
    if (std::isinf(t)) return t > 0 ? 1 : 0;
    // The tail beyond |t| is (1 - u) / 2 with u = |t| / sqrt(2 + t^2), without cancellation.
    const double square = 2 + t * t, u = std::fabs(t) / std::sqrt(square);
    const double tail = 1 / (square * (1 + u));
    return t > 0 ? 1 - tail : tail;
  }

  double Quantile(double probability, double value, std::span<const double> p) const override {
    if (probability <= 0) return -kInfinity;
    if (probability >= 1) return kInfinity;
    const double t = (2 * probability - 1) / std::sqrt(2 * probability * (1 - probability));
    return value + t * std::sqrt(p[0]);
  }

  double Draw(const RandomStream& stream, std::uint64_t index, double value,
              std::span<const double> p) const override {
    double uniform = 0;
    stream.Uniforms({&uniform, 1}, index);
    return Quantile(std::max(uniform, 1e-17), value, p);
  }

  double Information(double, std::span<const double> p) const override { return 3 / (5 * p[0]); }
  // The curvature of the log density would be negative for outliers, and the Fisher information is
  // the same for all residuals. The precision is therefore the weight of the residual in
  // iteratively reweighted least squares.
  Working WorkingAt(double y, double value, std::span<const double> p) const override {
    return {y - value, Weight(y - value, p) / p[0]};
  }
  // The distribution has no variance. The function returns the variance of normal residuals that
  // would give the same estimate of the scale.
  double Variance(std::span<const double> p) const override { return p[0] / kOfNormal; }
  void SetVariance(double variance, std::span<double> p) const override {
    p[0] = kOfNormal * variance;
  }
  void AddVariance(double variance, std::span<double> p) const override {
    p[0] += kOfNormal * variance;
  }

  void Update(std::span<const double> gradient, double count, std::span<const double> start,
              std::span<double> log_p) const override {
    if (!(count > 0)) return;
    // The Fisher information of log s^2 is 1/5 per observation; for a Gaussian, it is 1/2.
    const double next = log_p[0] + NaturalLogStep(1 + 5 * gradient[0] / count);
    log_p[0] = std::max(next, std::log(kSmallestShare * start[0]));
  }

 private:
  // The squared scale that is estimated from normal residuals of variance one.
  static constexpr double kOfNormal = 0.54;

  static double Weight(double residual, std::span<const double> p) {
    return 3 / (2 + residual * residual / p[0]);
  }
};

// The logarithm of y is normal with the mean log m and the variance p[0]. The median m is the value
// with a soft floor. p[1] is the square of a typical deviation in the user's units; it sets the
// width of the floor and is not learnt.
class LognormalLikelihood final : public Likelihood, public FlooredLikelihood {
 public:
  double Floored(double value, std::span<const double> p) const override {
    return MedianOf(value, p).rate;
  }
  std::string_view name() const override { return "lognormal"; }
  std::string_view parameter_name() const override { return "log_variance_and_variance"; }
  std::size_t parameters_per_channel() const override { return 2; }
  std::size_t learnt_parameters() const override { return 1; }
  std::string_view Demand(double y) const override { return y > 0 ? "" : "more than zero"; }

  double LogDensity(double y, double value, std::span<const double> p) const override {
    const double residual = std::log(y) - std::log(MedianOf(value, p).rate);
    return -0.5 * (std::log(2 * std::numbers::pi * p[0]) + residual * residual / p[0]) -
           std::log(y);
  }

  double LogDensityReverse(double y, double value, std::span<const double> p, double& bvalue,
                           std::span<double> bp) const override {
    const auto [median, slope] = MedianOf(value, p);
    const double residual = std::log(y) - std::log(median), scaled = residual / p[0];
    bvalue += scaled * slope / median;
    bp[0] += 0.5 * (scaled * scaled - 1 / p[0]);
    return -0.5 * (std::log(2 * std::numbers::pi * p[0]) + residual * scaled) - std::log(y);
  }

  double MissedLogDensity(double y, std::span<const double> p) const override {
    return -0.5 * (std::log(2 * std::numbers::pi * p[0]) + kMissedBy * kMissedBy) - std::log(y);
  }

  double Cdf(double y, double value, std::span<const double> p) const override {
    if (!(y > 0)) return 0;
    return NormalCdf((std::log(y) - std::log(MedianOf(value, p).rate)) / std::sqrt(p[0]));
  }

  double Quantile(double probability, double value, std::span<const double> p) const override {
    if (probability <= 0) return 0;
    return MedianOf(value, p).rate * std::exp(std::sqrt(p[0]) * NormalQuantile(probability));
  }

  double Draw(const RandomStream& stream, std::uint64_t index, double value,
              std::span<const double> p) const override {
    double normal = 0;
    stream.Normals({&normal, 1}, index);
    return MedianOf(value, p).rate * std::exp(std::sqrt(p[0]) * normal);
  }

  double Information(double value, std::span<const double> p) const override {
    const auto [median, slope] = MedianOf(value, p);
    return slope * slope / (median * median * p[0]);
  }
  double Variance(std::span<const double> p) const override { return p[1]; }
  void SetVariance(double variance, std::span<double> p) const override {
    constexpr double kStart = 0.04;
    p[0] = kStart;
    p[1] = variance;
  }

  void Update(std::span<const double> gradient, double count, std::span<const double> start,
              std::span<double> log_p) const override {
    if (!(count > 0)) return;
    const double next = log_p[0] + NaturalLogStep(1 + 2 * gradient[0] / count);
    log_p[0] = std::max(next, std::log(kSmallestShare * start[0]));
  }

 private:
  // The width of the floor is a tenth of the typical deviation.
  static SoftFloor MedianOf(double value, std::span<const double> p) {
    return FloorAt(value, 0.1 * std::sqrt(p[1]));
  }
};

class MixedLikelihood final : public Likelihood {
 public:
  explicit MixedLikelihood(std::vector<const Likelihood*> kinds) : kinds_(std::move(kinds)) {
    for (const Likelihood* kind : kinds_) {
      name_ += (name_.empty() ? "" : ",") + std::string(kind->name());
      each_ = std::max(each_, kind->parameters_per_channel());
    }
  }

  std::string_view name() const override { return name_; }
  std::string_view parameter_name() const override { return "likelihood_parameters"; }
  // Channels with fewer parameters are padded with ones, which are not used.
  std::size_t parameters_per_channel() const override { return each_; }
  std::size_t channels() const override { return kinds_.size(); }
  const Likelihood& ForChannel(std::size_t channel) const override {
    GPODE_CHECK(channel < kinds_.size());
    return *kinds_[channel];
  }

  // These functions refer to one channel, so callers must use ForChannel instead.
  double LogDensity(double, double, std::span<const double>) const override { return Fail(); }
  double LogDensityReverse(double, double, std::span<const double>, double&,
                           std::span<double>) const override {
    return Fail();
  }
  double MissedLogDensity(double, std::span<const double>) const override { return Fail(); }
  double Cdf(double, double, std::span<const double>) const override { return Fail(); }
  double Quantile(double, double, std::span<const double>) const override { return Fail(); }
  double Draw(const RandomStream&, std::uint64_t, double, std::span<const double>) const override {
    return Fail();
  }
  double Variance(std::span<const double>) const override { return Fail(); }
  void SetVariance(double, std::span<double>) const override { Fail(); }
  void Update(std::span<const double>, double, std::span<const double>,
              std::span<double>) const override {
    Fail();
  }

 private:
  static double Fail() {
    GPODE_CHECK(false);
    return 0;
  }

  std::vector<const Likelihood*> kinds_;
  std::string name_;
  std::size_t each_ = 0;
};

}  // namespace

std::unique_ptr<const Likelihood> MakeStudentTLikelihood() {
  return std::make_unique<StudentTLikelihood>();
}

std::unique_ptr<const Likelihood> MakeLognormalLikelihood() {
  return std::make_unique<LognormalLikelihood>();
}

std::unique_ptr<const Likelihood> MakeMixedLikelihood(std::vector<const Likelihood*> kinds) {
  return std::make_unique<MixedLikelihood>(std::move(kinds));
}

}  // namespace gpode
