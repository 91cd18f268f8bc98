// Chooses the parts of a model that suit the data.
#include <algorithm>
#include <array>
#include <string_view>

#include "gpode/options.h"
#include "gpode/posterior_family.h"
#include "gpode/training.h"

namespace gpode {
namespace {

// Shooting is chosen if a trajectory has at least so many times.
constexpr std::size_t kLongSeries = 100;
// The joint posterior is chosen for at most so many times in all trajectories together, and at most
// so many states. Its running time grows with both; docs/results.md has running times of both
// posteriors.
constexpr std::size_t kMostTimes = 200, kMostStates = 6;
// The kernel and the number of Fourier features with which sampled posteriors of a process were
// calibrated (docs/results.md).
constexpr const char* kSampledKernel = "squared-exponential + linear";
constexpr std::size_t kSampledFeatures = 64;

// Options that only trained posteriors use. Whoever sets one of them wants such a posterior.
constexpr std::array<std::string_view, 20> kOfTraining = {
    "bound",           "steps",           "draws",       "batch",       "learning_rate",
    "warm_up",         "patience",        "noise_hold",  "segment",     "tolerance",
    "tolerance_prior", "loose_tolerance", "tightening",  "approach",    "polish",
    "tight_tolerance", "last_rate",       "polish_most", "polish_loss", "validation_patience"};

bool HasSmallSize(const Dataset& data, const FitOptions& options) {
  std::size_t times = 0;
  for (const Trajectory& t : data.trajectories) times += t.times.size();
  const std::size_t states = options.states > 0                  ? options.states
                             : options.observation_map.dim() > 0 ? options.observation_map.dim()
                                                                 : data.channels.size();
  return times <= kMostTimes && states <= kMostStates;
}

}  // namespace

FitOptions ChooseOptions(const Dataset& data, FitOptions options,
                         const std::vector<std::string>& given) {
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(given, name) != given.end();
  };
  if (!is_given("bound")) {
    const bool is_long = std::ranges::any_of(
        data.trajectories, [](const Trajectory& t) { return t.times.size() >= kLongSeries; });
    options.bound = is_long ? BoundKind::kShooting : BoundKind::kVanilla;
  }
  if (options.function != "process") return options;
  if (!is_given("posterior") && std::ranges::none_of(kOfTraining, is_given) &&
      HasSmallSize(data, options)) {
    options.posterior = "joint";
  }
  if (!GetPosteriorFamily(options.posterior).is_sampled()) return options;
  if (!is_given("kernel")) options.kernel = kSampledKernel;
  if (!is_given("features")) options.features = kSampledFeatures;
  return options;
}

}  // namespace gpode
