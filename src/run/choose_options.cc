// Chooses the parts of a model that suit the data.
#include "run/choose_options.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "gpode/options.h"
#include "gpode/posterior_family.h"
#include "gpode/training.h"

namespace gpode {
namespace {

// Shooting is chosen if a trajectory has at least this number of times.
constexpr std::size_t kLongSeries = 100;
// The joint posterior is chosen if all trajectories together have at most kMostTimes times, and
// there are at most kMostStates states. Its running time grows with both; docs/results.md has
// running times of both posteriors.
constexpr std::size_t kMostTimes = 200, kMostStates = 6;
// The kernel and the number of Fourier features with which sampled posteriors of a process were
// calibrated (docs/results.md).
constexpr const char* kSampledKernel = "squared-exponential + linear";
constexpr std::size_t kSampledFeatures = 64;
// For shooting, a series of a driven system is cut into at most this number of segments. Segments
// that span only a gap or two would be explained by their own start states instead of the inputs.
constexpr std::size_t kMostDrivenSegments = 100;
// With more steps on whole trajectories, the trained posterior becomes more certain than its errors
// justify (docs/inputs.md).
constexpr std::size_t kDrivenSteps = 8000;
// A number of times that no series has.
constexpr std::size_t kEndless = 1'000'000'000;

// Options that only trained posteriors use. Whoever sets one of them wants such a posterior.
constexpr std::array<std::string_view, 20> kOfTraining = {
    "bound",           "steps",           "draws",       "batch",       "learning_rate",
    "warm_up",         "patience",        "noise_hold",  "segment",     "tolerance",
    "tolerance_prior", "loose_tolerance", "tightening",  "approach",    "polish",
    "tight_tolerance", "last_rate",       "polish_most", "polish_loss", "validation_patience"};

// Chooses the training of a system with inputs. If they are measured, what counts is how a whole
// series follows from them, so that training ends with whole trajectories, however long they are.
// The linear part of the kernel is the response to inputs that were not seen.
void ChooseForInputs(const Dataset& data, const std::function<bool(std::string_view)>& is_given,
                     FitOptions* options) {
  if (!is_given("kernel")) options->kernel = kSampledKernel;
  if (data.inputs.empty()) return;
  std::size_t longest = 0;
  for (const Trajectory& t : data.trajectories) longest = std::max(longest, t.times.size());
  if (!is_given("segment")) {
    options->segment = std::max<std::size_t>(1, longest / kMostDrivenSegments);
  }
  if (!is_given("steps")) options->steps = std::min(options->steps, kDrivenSteps);
  if (!is_given("polish_most")) options->polish_most = std::max(options->polish_most, kEndless);
}

}  // namespace

namespace internal {

std::size_t CountTimes(const Dataset& data) {
  std::size_t times = 0;
  for (const Trajectory& t : data.trajectories) times += t.times.size();
  return times;
}

std::size_t CountStates(const Dataset& data, const FitOptions& options) {
  return gpode::CountStates(options, data.channels.size());
}

bool HasTrainingOption(const std::vector<std::string>& given) {
  return std::ranges::any_of(given, [](const std::string& name) {
    return std::ranges::find(kOfTraining, name) != kOfTraining.end();
  });
}

}  // namespace internal

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
  if (options.function != "process" && options.function != "equations") return options;
  if (!is_given("posterior") && !internal::HasTrainingOption(given) &&
      internal::CountTimes(data) <= kMostTimes &&
      internal::CountStates(data, options) <= kMostStates) {
    options.posterior = "joint";
  }
  // With process noise, a population that is zero would not stay zero. No population is zero if all
  // channels are learnt by their logarithm.
  const std::vector<Link> links = LinksOf(options.positive, data.channels);
  const bool all_log = !links.empty() && std::ranges::count(links, Link::kLog) == std::ssize(links);
  if (options.form == "growth" && !all_log && !is_given("process_noise")) {
    options.process_noise = "none";
  }
  if (options.InputsWith(data.inputs).size() > 0) ChooseForInputs(data, is_given, &options);
  if (!GetPosteriorFamily(options.posterior).is_sampled()) return options;
  if (!is_given("kernel")) options.kernel = kSampledKernel;
  if (!is_given("features")) options.features = kSampledFeatures;
  return options;
}

}  // namespace gpode
