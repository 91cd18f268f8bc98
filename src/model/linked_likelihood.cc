#include "model/linked_likelihood.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gpode {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class LinkedLikelihood final : public Likelihood {
 public:
  LinkedLikelihood(const Likelihood& base, Link link)
      : base_(base), link_(link), name_(fmt::format("{} in {}", base.name(), NameOf(link))) {}

  std::string_view name() const override { return name_; }
  std::string_view parameter_name() const override { return base_.parameter_name(); }
  std::size_t parameters_per_channel() const override { return base_.parameters_per_channel(); }
  std::size_t learnt_parameters() const override { return base_.learnt_parameters(); }
  Link link() const override { return link_; }
  bool HasMassAt(double y) const override { return link_ == Link::kSqrt && y == 0; }
  std::string_view Demand(double y) const override {
    return IsAccepted(link_, y) ? "" : LinkDemand(link_);
  }

  double LogDensity(double y, double value, std::span<const double> p) const override {
    if (!IsAccepted(link_, y)) return -kInfinity;
    if (HasMassAt(y)) return std::log(Cdf(y, value, p));
    return base_.LogDensity(On(y), On(value), p) + std::log(LinkSlope(link_, y));
  }

  double LogDensityReverse(double y, double value, std::span<const double> p, double& bvalue,
                           std::span<double> bp) const override {
    double bbase = 0;
    const double density = base_.LogDensityReverse(On(y), On(value), p, bbase, bp);
    bvalue += bbase * LinkSlope(link_, value);
    return density + std::log(LinkSlope(link_, y));
  }

  double MissedLogDensity(double y, std::span<const double> p) const override {
    return base_.MissedLogDensity(On(y), p) + std::log(LinkSlope(link_, y));
  }

  double Cdf(double y, double value, std::span<const double> p) const override {
    return IsAccepted(link_, y) ? base_.Cdf(On(y), On(value), p) : 0;
  }
  double CdfBelow(double y, double value, std::span<const double> p) const override {
    return HasMassAt(y) ? 0 : Cdf(y, value, p);
  }
  double Quantile(double probability, double value, std::span<const double> p) const override {
    return Off(base_.Quantile(probability, On(value), p));
  }
  double Draw(const RandomStream& stream, std::uint64_t index, double value,
              std::span<const double> p) const override {
    return Off(base_.Draw(stream, index, On(value), p));
  }

  double Variance(std::span<const double> p) const override { return base_.Variance(p); }
  void SetVariance(double variance, std::span<double> p) const override {
    base_.SetVariance(variance, p);
  }
  void AddVariance(double variance, std::span<double> p) const override {
    base_.AddVariance(variance, p);
  }
  double Information(double value, std::span<const double> p) const override {
    const double slope = LinkSlope(link_, value);
    return slope * slope * base_.Information(On(value), p);
  }
  Working WorkingAt(double y, double value, std::span<const double> p) const override {
    const Working base = base_.WorkingAt(On(y), On(value), p);
    const double slope = LinkSlope(link_, value);
    return {base.residual / slope, base.information * slope * slope};
  }
  void Update(std::span<const double> gradient, double count, std::span<const double> start,
              std::span<double> log_p) const override {
    base_.Update(gradient, count, start, log_p);
  }

  double LogMixture(double y, std::span<const double> sorted, std::size_t draws,
                    std::span<const double> p) const override {
    if (!IsAccepted(link_, y) || sorted.empty()) return -kInfinity;
    const std::vector<double> values = AllOn(sorted);
    if (!HasMassAt(y)) {
      return base_.LogMixture(On(y), values, draws, p) + std::log(LinkSlope(link_, y));
    }
    const double kept = static_cast<double>(sorted.size()) / static_cast<double>(draws);
    return std::log(kept * base_.MixtureCdf(On(y), values, p));
  }
  double MixtureCdf(double y, std::span<const double> sorted,
                    std::span<const double> p) const override {
    return IsAccepted(link_, y) ? base_.MixtureCdf(On(y), AllOn(sorted), p) : 0;
  }
  double MixtureQuantile(double probability, std::span<const double> sorted,
                         std::span<const double> p) const override {
    return Off(base_.MixtureQuantile(probability, AllOn(sorted), p));
  }

 private:
  double On(double y) const { return ToLink(link_, y); }
  // A quantile may be infinite, which FromLink would limit.
  double Off(double value) const { return value == kInfinity ? value : FromLink(link_, value); }
  std::vector<double> AllOn(std::span<const double> values) const {
    std::vector<double> result;
    result.reserve(values.size());
    for (double v : values) result.push_back(On(v));
    return result;
  }

  const Likelihood& base_;
  Link link_;
  std::string name_;
};

}  // namespace

std::unique_ptr<const Likelihood> MakeLinkedLikelihood(const Likelihood& base, Link link) {
  return std::make_unique<LinkedLikelihood>(base, link);
}

}  // namespace gpode
