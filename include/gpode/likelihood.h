// Likelihoods: how an observation of a channel scatters around the channel's value.
//
//   name      density of y given the value v           parameters of a channel
//   gaussian  N(y | v, noise_variance)                 noise_variance
//
// A likelihood is a log density with its reverse, a predictive distribution (cdf, quantile, draw;
// also of the mixture over the draws of a forecast), and an update of its own parameters during
// training. All parameters are positive numbers, equally many for each channel: parameters
// (channels, parameters_per_channel()), in the user's units.
//
// Thread safety: likelihoods do not change; everything may be called from any thread.
//
//   const Likelihood& likelihood = GetLikelihood("gaussian");
//   double density = likelihood.LogDensity(y, value, {&variance, 1});
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/matrix.h"
#include "gpode/random.h"

namespace gpode {

class Likelihood {
 public:
  virtual ~Likelihood() = default;

  virtual std::string_view name() const = 0;
  // The name of the block of parameters, which is part of the model file's format.
  virtual std::string_view parameter_name() const = 0;
  virtual std::size_t parameters_per_channel() const = 0;

  // The functions below are for one channel with its own parameters p.

  // Return log p(y | value). The second form is its reverse for the cotangent one: it adds to
  // bvalue and bp.
  virtual double LogDensity(double y, double value, std::span<const double> p) const = 0;
  virtual double LogDensityReverse(double y, double value, std::span<const double> p,
                                   double& bvalue, std::span<double> bp) const = 0;
  // Returns the log density that counts for an observation which the integration did not reach. A
  // failed draw must not look better than one that is merely wrong.
  virtual double MissedLogDensity(double y, std::span<const double> p) const = 0;

  virtual double Cdf(double y, double value, std::span<const double> p) const = 0;
  virtual double Quantile(double probability, double value, std::span<const double> p) const = 0;
  // Returns observation number `index` of a stream of random numbers.
  virtual double Draw(const RandomStream& stream, std::uint64_t index, double value,
                      std::span<const double> p) const = 0;
  // Returns the typical variance of an observation around its value, whose square root people are
  // shown. SetVariance sets the parameters that have a given one.
  virtual double Variance(std::span<const double> p) const = 0;
  double Deviation(std::span<const double> p) const { return std::sqrt(Variance(p)); }
  virtual void SetVariance(double variance, std::span<double> p) const = 0;

  // Adds `variance` to the variance of an observation, as far as the likelihood can.
  virtual void AddVariance(double /*variance*/, std::span<double> /*p*/) const {}

  // Takes one step of training for the logarithms of a channel's parameters, given the gradient of
  // the bound with respect to them and the (weighted) number of observations that it comes from.
  // `start` holds the parameters that training started from.
  virtual void Update(std::span<const double> gradient, double count, std::span<const double> start,
                      std::span<double> log_p) const = 0;

  // The functions below are for the mixture (1/S) sum_s p(y | value_s) over the S draws of a
  // forecast; `sorted` holds the values of those draws that reached the time, increasing. They are
  // written in terms of the functions above, and may be overridden by closed forms.

  // Returns log (1/draws) sum_s p(y | value_s); draws without a value have density zero.
  virtual double LogMixture(double y, std::span<const double> sorted, std::size_t draws,
                            std::span<const double> p) const;
  virtual double MixtureCdf(double y, std::span<const double> sorted,
                            std::span<const double> p) const;
  // Returns -infinity and infinity for the probabilities 0 and 1.
  virtual double MixtureQuantile(double probability, std::span<const double> sorted,
                                 std::span<const double> p) const;
  // Returns the continuous ranked probability score of the mixture.
  virtual double MixtureCrps(double y, std::span<const double> sorted,
                             std::span<const double> p) const;

  // Returns the log density of one row of observations y (channels) at the channels' values, each
  // times its weight (no weights: one), and adds its reverse to bvalues (channels) and bparameters.
  // NaN is a missing value.
  virtual double RowReverse(std::span<const double> y, std::span<const double> values,
                            std::span<const double> parameters, std::span<const double> weights,
                            std::span<double> bvalues, std::span<double> bparameters) const;
  double RowMissed(std::span<const double> y, std::span<const double> parameters,
                   std::span<const double> weights) const;

  // Returns the parameters of one channel.
  template <typename T>
  std::span<T> OfChannel(std::size_t channel, std::span<T> parameters) const {
    const std::size_t k = parameters_per_channel();
    return parameters.subspan(channel * k, k);
  }
};

// Returns the likelihood with this name. Throws an InputError that lists the known names.
const Likelihood& GetLikelihood(std::string_view name);
std::vector<std::string> LikelihoodNames();
// Makes a likelihood known by its name, which must be new.
void RegisterLikelihood(std::unique_ptr<const Likelihood> likelihood);

// A likelihood with the parameters of all channels.
struct ObservationNoise {
  const Likelihood* likelihood = nullptr;
  Vector parameters;  // (channels parameters_per_channel)

  std::span<const double> Of(std::size_t channel) const {
    return likelihood->OfChannel(
        channel, std::span(parameters.data(), static_cast<std::size_t>(parameters.size())));
  }
  std::span<double> Of(std::size_t channel) {
    return likelihood->OfChannel(
        channel, std::span(parameters.data(), static_cast<std::size_t>(parameters.size())));
  }
  std::size_t channels() const;
  double Deviation(std::size_t channel) const { return likelihood->Deviation(Of(channel)); }
};

// Returns Gaussian noise with these variances (channels).
ObservationNoise GaussianNoise(const Vector& variances);

}  // namespace gpode
