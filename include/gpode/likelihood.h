// Likelihoods: the distribution of an observation of a channel, given the channel's value.
//
//   name               distribution of y given the value v              learnt parameter of a channel
//   gaussian           normal, mean v                                   its variance
//   student-t          Student's t with 2 degrees of freedom around v   its squared scale
//   poisson            Poisson with the rate v                          none
//   negative-binomial  mean v, variance v + a v^2                       the dispersion a
//   lognormal          log y is normal around log v                     the variance of log y
//
// Rates and medians must be positive. The value v is therefore replaced by w log(1 + exp(v / w)),
// which is positive everywhere and about equal to v if v is much larger than w. The width w is 0.1
// for counts, and a tenth of the channel's typical deviation for lognormal.
//
// Channels may have different likelihoods: "poisson,gaussian" names one for each channel.
//
// A likelihood is a log density with its derivatives, a predictive distribution (cdf, quantile,
// draw; also for the mixture over the draws of a forecast), and an update of its own parameters
// during training. All parameters are positive numbers in the user's units; every channel has the
// same number of them: parameters (channels, parameters_per_channel()).
//
// Thread safety: any thread may call these functions; likelihoods do not change.
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

#include "gpode/link.h"
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
  // The number of a channel's parameters that are learnt, which come first.
  virtual std::size_t learnt_parameters() const { return parameters_per_channel(); }

  // The likelihood of one channel: this one, unless channels have different likelihoods.
  virtual const Likelihood& ForChannel(std::size_t /*channel*/) const { return *this; }
  // The number of channels with likelihoods of their own, or zero if one serves all channels.
  virtual std::size_t channels() const { return 0; }

  // The functions below refer to one channel, whose parameters are p.

  // Both functions return log p(y | value). The second also adds the derivative with respect to the
  // value to bvalue, and the derivatives with respect to the parameters to bp.
  virtual double LogDensity(double y, double value, std::span<const double> p) const = 0;
  virtual double LogDensityReverse(double y, double value, std::span<const double> p,
                                   double& bvalue, std::span<double> bp) const = 0;
  // Returns the log density to use for an observation at a time that the integration of a draw did
  // not reach. It must be lower than that of any ordinary misfit, so that a draw gains nothing by
  // failing.
  virtual double MissedLogDensity(double y, std::span<const double> p) const = 0;

  // Tells whether observations are normal around the value, with the variance Variance(p).
  virtual bool is_gaussian() const { return false; }
  // Tells whether observations are whole numbers.
  virtual bool is_discrete() const { return false; }
  // Tells whether an observation is exactly y with a positive probability.
  virtual bool HasMassAt(double /*y*/) const { return is_discrete(); }
  // Returns the scale (link.h) on which observations scatter alike at all values, and on which
  // bands are widened.
  virtual Link link() const { return Link::kIdentity; }
  // Returns what observations must be, such as "a whole number of at least zero", if y cannot be an
  // observation, and otherwise an empty text.
  virtual std::string_view Demand(double /*y*/) const { return {}; }

  virtual double Cdf(double y, double value, std::span<const double> p) const = 0;
  // Returns the probability of an observation less than y, which differs from Cdf for whole
  // numbers.
  virtual double CdfBelow(double y, double value, std::span<const double> p) const {
    return Cdf(y, value, p);
  }
  virtual double Quantile(double probability, double value, std::span<const double> p) const = 0;
  // Returns a random observation, computed from number `index` of the stream.
  virtual double Draw(const RandomStream& stream, std::uint64_t index, double value,
                      std::span<const double> p) const = 0;
  // Variance returns the typical variance of an observation around its value. Deviation returns its
  // square root, which reports show. SetVariance sets the parameters so that Variance returns
  // `variance`.
  virtual double Variance(std::span<const double> p) const = 0;
  double Deviation(std::span<const double> p) const { return std::sqrt(Variance(p)); }
  // Returns the deviation of an observation around this value, in the user's units. With a link,
  // Variance refers to its scale.
  double DeviationAt(double value, std::span<const double> p) const {
    return link() == Link::kIdentity ? Deviation(p) : Deviation(p) / LinkSlope(link(), value);
  }
  virtual void SetVariance(double variance, std::span<double> p) const = 0;
  // Returns the Fisher information of the value, the expectation of minus the second derivative of
  // log p(y | value). The default is that of a Gaussian.
  virtual double Information(double /*value*/, std::span<const double> p) const {
    return 1 / Variance(p);
  }
  // The Gaussian observation y* that replaces y in a Gauss-Newton step (iteratively reweighted
  // least squares): its residual y* - value and its precision, one over its variance.
  struct Working {
    double residual, information;
  };
  // Returns the working response at y. By default, its log density has the slope of log p(y |
  // value), and its precision is the Fisher information.
  virtual Working WorkingAt(double y, double value, std::span<const double> p) const;

  // Changes the parameters so that the variance of an observation grows by `variance`, if they can
  // express that. The default does nothing.
  virtual void AddVariance(double /*variance*/, std::span<double> /*p*/) const {}

  // Takes one training step for log_p, the logarithms of a channel's parameters. `gradient` is the
  // gradient of the bound with respect to log_p, `count` the (weighted) number of the channel's
  // observations in the bound, and `start` the parameters at the start of training.
  virtual void Update(std::span<const double> gradient, double count, std::span<const double> start,
                      std::span<double> log_p) const = 0;

  // The functions below refer to the mixture (1/S) sum_s p(y | value_s) over the S draws of a
  // forecast. `sorted` holds the values in increasing order, without those of draws that failed
  // before this time. The defaults call the functions above; a likelihood may override them with
  // closed forms.

  // Returns log (1/draws) sum_s p(y | value_s), in which lost draws count as zero.
  virtual double LogMixture(double y, std::span<const double> sorted, std::size_t draws,
                            std::span<const double> p) const;
  virtual double MixtureCdf(double y, std::span<const double> sorted,
                            std::span<const double> p) const;
  double MixtureCdfBelow(double y, std::span<const double> sorted, std::span<const double> p) const;
  // Returns -infinity and infinity for the probabilities 0 and 1, unless there is no noise.
  virtual double MixtureQuantile(double probability, std::span<const double> sorted,
                                 std::span<const double> p) const;
  // Returns the continuous ranked probability score of the mixture.
  virtual double MixtureCrps(double y, std::span<const double> sorted,
                             std::span<const double> p) const;

  // RowReverse returns the log density of one row of observations y (channels), given the channels'
  // values: the sum over the channels of log p(y | value) times the channel's weight (one if there
  // are no weights). It adds the derivatives of this sum to bvalues (channels) and bparameters. A
  // NaN in y is a missing value. RowMissed returns the same sum with MissedLogDensity in place of
  // log p(y | value).
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

// Returns the likelihood with this name. A list of names with commas between them stands for one
// likelihood per channel. Throws an InputError that lists the known names if a name is unknown.
const Likelihood& GetLikelihood(std::string_view name);
std::vector<std::string> LikelihoodNames();
// Converts a user's text to a name for GetLikelihood. The text is one name for all channels, a list
// with one name for each channel, or "channel=name,..." for some of the channels, where the others
// are Gaussian. Throws an InputError if the text does not fit the channels.
std::string ResolveLikelihood(std::string_view text, const std::vector<std::string>& channels);
// Registers a likelihood under its name, which must be new.
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
  // Returns the likelihood of one channel.
  const Likelihood& For(std::size_t channel) const { return likelihood->ForChannel(channel); }
  double Deviation(std::size_t channel) const { return For(channel).Deviation(Of(channel)); }
  double DeviationAt(std::size_t channel, double value) const {
    return For(channel).DeviationAt(value, Of(channel));
  }
};

// Returns the name of the likelihood in the user's units of channels with these links, whose
// likelihood on the scale of the links has the name `likelihood`. The parameters are the same.
std::string LinkedLikelihoodName(std::string_view likelihood, const std::vector<Link>& links);

// Throws an InputError if the likelihood of a channel with a link is not one of those that can be
// used on the scale of a link, gaussian and student-t.
void CheckLinkedLikelihoods(std::string_view likelihood, const std::vector<Link>& links);

// Returns Gaussian noise with these variances (channels).
ObservationNoise GaussianNoise(const Vector& variances);

}  // namespace gpode
