#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gpode/fit_quality.h"
#include "gpode/posterior_family.h"
#include "gpode/summary.h"
#include "io/files.h"

namespace gpode {
namespace {

// Limits of R-hat: the first two are for long chains, the last two for the short chains of the
// joint posterior, which have too few draws for the usual limit. Beyond kApart, chains have stayed
// where they began.
constexpr double kConverged = 1.01, kNearlyConverged = 1.1, kMixed = 1.5, kApart = 2;
constexpr double kExplained = 0.5;

bool HasEnoughHeld(const BandWidening& widening) {
  return std::ranges::any_of(widening.values, [](std::size_t n) { return n >= kFewestHeld; });
}

// Returns the words for the assumption about the system on which the verdict rests.
std::string_view Assumption(const Model& model) {
  return model.noise_pieces.empty() ? "as far as the system is an ODE of these states"
                                    : "as far as the system is an ODE of these states with white "
                                      "process noise";
}

std::string VerdictOfShortChains(const Model& model) {
  const SamplerSummary& sampler = model.sampler;
  if (sampler.worst_rhat < kMixed) {
    return fmt::format("can be trusted {}: short chains of draws agree, R-hat {:.2f}",
                       Assumption(model), sampler.worst_rhat);
  }
  return fmt::format(
      "{}: short chains of draws differ, R-hat {:.2f}; --holdout 0.2 checks "
      "them, --posterior nuts is slower and surer",
      sampler.worst_rhat < kApart ? "approximate" : "to be taken with care", sampler.worst_rhat);
}

std::string VerdictOfChains(const Model& model) {
  const SamplerSummary& sampler = model.sampler;
  if (sampler.failed_chains == 0 && sampler.worst_rhat < kConverged) {
    return fmt::format("can be trusted {}: chains agree, R-hat {:.3f}", Assumption(model),
                       sampler.worst_rhat);
  }
  return fmt::format(
      "{}: chains differ, R-hat {:.3f}, should be below 1.01; more --sampler-draws "
      "may help",
      sampler.worst_rhat < kNearlyConverged ? "approximate" : "to be taken with care",
      sampler.worst_rhat);
}

// Returns true if the joint posterior would take hours.
bool IsTooLargeForJoint(const TrainedModel& trained) {
  constexpr std::size_t kMostTimes = 600, kMostStates = 6;
  std::size_t times = 0;
  for (const Trajectory& t : trained.data.trajectories) times += t.times.size();
  return times > kMostTimes || trained.model.dim() > kMostStates;
}

}  // namespace

std::string BandVerdict(const TrainedModel& trained, const FitQuality& quality) {
  const Model& model = trained.model;
  for (const ChannelFit& fit : quality.channels) {
    const double explained = fit.Explained();
    if (explained >= kExplained) continue;
    return fmt::format("say little about {}, of which the model explains {:.0f} %",
                       internal::Quote(fit.name),
                       fit.values > 0 ? 100 * std::max(0.0, explained) : 0);
  }
  if (model.widening.IsJudged() && HasEnoughHeld(model.widening)) return DescribeWidening(model);
  const PosteriorFamily& family = GetPosteriorFamily(model.options.posterior);
  if (family.is_linearised()) return VerdictOfShortChains(model);
  if (family.is_sampled()) return VerdictOfChains(model);
  if (family.MakesPointEstimates()) {
    return "of the noise alone: a point estimate has no posterior; --holdout 0.2 adds what it "
           "misses";
  }
  constexpr const char* kNarrow =
      "often too narrow with this posterior; --holdout 0.2 checks and widens them";
  if (IsTooLargeForJoint(trained)) return kNarrow;
  return fmt::format("{}, --posterior joint is slower and better calibrated", kNarrow);
}

}  // namespace gpode
