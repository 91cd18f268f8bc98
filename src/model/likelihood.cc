// The functions that all likelihoods share, and their registry. See gpode/likelihood.h. The paper's
// Gaussian likelihood is in gaussian_likelihood.cc.
#include "gpode/likelihood.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>

#include "core/registry.h"
#include "core/split.h"
#include "gpode/error.h"
#include "model/count_likelihoods.h"
#include "model/gaussian_likelihood.h"
#include "model/linked_likelihood.h"
#include "model/other_likelihoods.h"

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
    own->Add(MakeStudentTLikelihood());
    own->Add(MakePoissonLikelihood());
    own->Add(MakeNegativeBinomialLikelihood());
    own->Add(MakeLognormalLikelihood());
    return own;
  }();
  return registry;
}

// The likelihoods of positive channels. They have a registry of their own, since they follow from
// the option `positive` and cannot be chosen by name.
const Likelihood* FindLinked(std::string_view name) {
  static const auto& all = *[] {
    auto* own = new std::vector<std::unique_ptr<const Likelihood>>;
    for (const char* base : {"gaussian", "student-t"}) {
      for (Link link : {Link::kLog, Link::kSqrt}) {
        own->push_back(MakeLinkedLikelihood(Likelihoods().Get(base), link));
      }
    }
    return own;
  }();
  for (const auto& likelihood : all) {
    if (likelihood->name() == name) return likelihood.get();
  }
  return nullptr;
}

const Likelihood& GetOne(std::string_view name) {
  const Likelihood* linked = FindLinked(name);
  return linked != nullptr ? *linked : Likelihoods().Get(name);
}

// Returns one name if the likelihoods of all channels are the same, and otherwise a list.
std::string JoinKinds(const std::vector<std::string>& kinds) {
  const bool same = std::ranges::all_of(kinds, [&](const std::string& k) { return k == kinds[0]; });
  return same ? kinds[0] : fmt::format("{}", fmt::join(kinds, ","));
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

double Likelihood::MixtureCdfBelow(double y, std::span<const double> sorted,
                                   std::span<const double> p) const {
  if (!HasMassAt(y)) return MixtureCdf(y, sorted, p);
  double sum = 0;
  for (double v : sorted) sum += CdfBelow(y, v, p);
  return sum / static_cast<double>(sorted.size());
}

Likelihood::Working Likelihood::WorkingAt(double y, double value, std::span<const double> p) const {
  double slope = 0;
  std::vector<double> bp(p.size());
  LogDensityReverse(y, value, p, slope, bp);
  const double information = Information(value, p);
  return {slope / information, information};
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
    sum += weight *
           ForChannel(c).LogDensityReverse(y[c], values[c], OfChannel(c, parameters), bvalue, bp);
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
    sum += WeightOf(weights, c) * ForChannel(c).MissedLogDensity(y[c], OfChannel(c, parameters));
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

// A combination of likelihoods is created when it is first requested, and kept from then on.
const Likelihood& GetLikelihood(std::string_view name) {
  if (name.find(',') == std::string_view::npos) return GetOne(name);
  static std::mutex mutex;
  static auto& made = *new std::map<std::string, std::unique_ptr<const Likelihood>, std::less<>>;
  const std::scoped_lock lock(mutex);
  if (const auto found = made.find(name); found != made.end()) return *found->second;
  std::vector<const Likelihood*> kinds;
  for (const std::string& kind : SplitAtCommas(name)) kinds.push_back(&GetOne(kind));
  return *made.emplace(name, MakeMixedLikelihood(std::move(kinds))).first->second;
}

std::string ResolveLikelihood(std::string_view text, const std::vector<std::string>& channels) {
  constexpr char kWhere[] = "Fit";
  std::vector<std::string> kinds = SplitAtCommas(text);
  if (text.find('=') != std::string_view::npos) {
    std::vector<std::string> all(channels.size(), "gaussian");
    for (const std::string& word : kinds) {
      const std::size_t at = word.rfind('=');
      const auto channel = std::ranges::find(channels, word.substr(0, at));
      if (at == std::string::npos || channel == channels.end()) {
        ThrowInput(kWhere, "likelihood",
                   fmt::format("is '{}', must name channels of the data: {}", text,
                               fmt::join(channels, ", ")));
      }
      all[static_cast<std::size_t>(channel - channels.begin())] = word.substr(at + 1);
    }
    kinds = all;
  }
  for (const std::string& kind : kinds) Likelihoods().Get(kind);
  if (kinds.size() != 1 && kinds.size() != channels.size()) {
    ThrowInput(kWhere, "likelihood",
               fmt::format("is '{}', must be one, or one for each of the {} channels", text,
                           channels.size()));
  }
  return JoinKinds(kinds);
}

void CheckLinkedLikelihoods(std::string_view likelihood, const std::vector<Link>& links) {
  const Likelihood& all = GetLikelihood(likelihood);
  for (std::size_t c = 0; c < links.size(); ++c) {
    const std::string_view name = all.ForChannel(c).name();
    if (links[c] == Link::kIdentity || name == "gaussian" || name == "student-t") continue;
    ThrowInput(
        "Fit", "positive",
        fmt::format("cannot be combined with the likelihood {}, whose observations are never "
                    "negative; use gaussian, which with a log link is log-normal, or "
                    "student-t",
                    name));
  }
}

std::string LinkedLikelihoodName(std::string_view likelihood, const std::vector<Link>& links) {
  if (links.empty()) return std::string(likelihood);
  const Likelihood& all = GetLikelihood(likelihood);
  std::vector<std::string> kinds;
  for (std::size_t c = 0; c < links.size(); ++c) {
    kinds.emplace_back(all.ForChannel(c).name());
    if (links[c] != Link::kIdentity) kinds.back() += fmt::format(" in {}", NameOf(links[c]));
  }
  return JoinKinds(kinds);
}

std::vector<std::string> LikelihoodNames() { return Likelihoods().Names(); }

void RegisterLikelihood(std::unique_ptr<const Likelihood> likelihood) {
  Likelihoods().Add(std::move(likelihood));
}

}  // namespace gpode
