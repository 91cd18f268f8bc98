#include "start/check_input.h"

#include <fmt/format.h>

#include <cmath>

#include "core/memory.h"
#include "data/moments.h"
#include "gpode/calendar.h"
#include "gpode/error.h"
#include "gpode/likelihood.h"
#include "gpode/link.h"
#include "gpode/ode.h"
#include "gpode/options.h"
#include "gpode/posterior_family.h"
#include "gpode/unknown_function.h"
#include "model/model_parts.h"
#include "options/fit_options.h"

namespace gpode {
namespace {

std::span<const double> Entries(const auto& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

// The largest accepted size of data and times, and the inverse of the smallest. It is far below the
// largest double, so that squares of values, slopes and times do not overflow.
constexpr double kLargest = 1e100;

bool Usable(double size) { return size < kLargest && (size == 0 || size > 1 / kLargest); }

void CheckUnits(const Dataset& data) {
  for (std::size_t n = 0; n < data.trajectories.size(); ++n) {
    const Trajectory& t = data.trajectories[n];
    if (Usable(t.times.back() - t.start())) continue;
    ThrowInput("Fit", fmt::format("trajectory {}", n + 1),
               "lasts less than 1e-100 or more than 1e100: choose another unit of time");
  }
  const ChannelMoments moments = MomentsOf(data);
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    if (Usable(std::fabs(moments.mean[i])) && Usable(std::sqrt(moments.variance[i]))) continue;
    ThrowInput("Fit", fmt::format("channel '{}'", data.channels[c]),
               "has values below 1e-100 or above 1e100: choose another unit");
  }
}

void CheckGivenNoise(const std::vector<double>& variances, std::size_t channels) {
  if (variances.size() > 1) CheckSize("Fit", "noise_variance", variances.size(), channels);
}

void CheckProcessNoise(const Dataset& data, const FitOptions& o) {
  const std::vector<double> known = KnownProcessNoise(o);
  if (known.empty()) return;
  const std::size_t states = CountStates(o, data.channels.size());
  const bool is_possible =
      GetPosteriorFamily(o.posterior).samples_residual() &&
      !MakeUnknownFunction(
           o.function, {.options = o, .dim = states, .inputs = o.InputsWith(data.inputs).size()})
           ->has_symmetries();
  if (!is_possible) {
    ThrowInput(
        "Fit", "process_noise",
        "needs a Gaussian process or equations with the posterior joint or nuts; use none or "
        "learnt");
  }
  if (known.size() > 1) CheckSize("Fit", "process_noise", known.size(), states);
}

void CheckGivenMap(const ObservationMap& map, std::size_t states, std::size_t channels) {
  CheckSize("Fit", "observation_map.matrix's rows", map.channels(), channels);
  CheckFinite("Fit", "observation_map.matrix", Entries(map.matrix));
  if (map.matrix.isZero(0)) ThrowInput("Fit", "observation_map.matrix", "is all zero, must not be");
  if (map.offset.size() > 0) {
    CheckSize("Fit", "observation_map.offset", map.offset.size(), channels);
    CheckFinite("Fit", "observation_map.offset", Entries(map.offset));
  }
  if (states != 0) CheckSize("Fit", "observation_map.matrix's columns", map.dim(), states);
}

void CheckObservation(const Dataset& data, const FitOptions& o) {
  const std::size_t channels = data.channels.size();
  const bool given = o.observation_map.matrix.size() > 0;
  CheckGivenNoise(o.noise_variance, channels);
  CheckProcessNoise(data, o);
  if (o.observation == Observation::kIdentity) {
    if (given) ThrowInput("Fit", "observation_map", "is given, but observation is the identity");
    if (o.states == 0 || o.states == channels) return;
    ThrowInput("Fit", "states",
               fmt::format("is {}, must equal the number of channels, {}, unless PCA or a matrix "
                           "is asked for",
                           o.states, channels));
  }
  if (given) return CheckGivenMap(o.observation_map, o.states, channels);
  if (o.observation == Observation::kMatrix) {
    ThrowInput("Fit", "observation_map", "is empty, but observation asks for a matrix");
  }
  CheckAtLeast("Fit", "states", static_cast<std::ptrdiff_t>(o.states), 1);
  if (o.states > channels) {
    ThrowInput("Fit", "states",
               fmt::format("is {}, must not be more than the channels, {}", o.states, channels));
  }
}

// The table of options accepts 0 and 1, too, which are impossible: a sampler has to accept some
// proposals, and never accepts all.
void CheckAcceptance(double target) {
  if (target > 0 && target < 1) return;
  ThrowInput("Fit", "sampler.target_acceptance",
             fmt::format("is {:g}, must be between 0 and 1", target));
}

// Returns a lower bound on the bytes that a run needs, from its largest arrays: the Fourier
// features of the draws, covariances of the inducing values, and either the optimiser's numbers for
// every parameter or a sampler's draws and its matrices over the function's latent variables. The
// constants are the numbers of copies of these arrays, chosen lower than those measured.
double LeastMemory(const Dataset& data, const FitOptions& options) {
  constexpr double kCovariances = 4, kParameters = 20, kMatrices = 20, kFeatures = 4;
  constexpr std::size_t kCountable = 1'000'000;  // with more, numbers of parameters may overflow
  const std::size_t dim = CountStates(options, data.channels.size());
  const auto states = static_cast<double>(dim), inducing = static_cast<double>(options.inducing);
  double numbers = kFeatures * states * static_cast<double>(options.features) *
                   static_cast<double>(options.draws);
  if (options.inducing > kCountable) return sizeof(double) * states * inducing * inducing;
  const ModelParts parts(options, {.dim = dim,
                                   .inputs = options.InputsWith(data.inputs).size(),
                                   .channels = data.channels.size(),
                                   .trajectories = data.trajectories.size()});
  const LatentPart& function = parts.latent().parts()[ModelParts::kFunction];
  const auto latent = static_cast<double>(function.items * function.size);
  const auto parameters = static_cast<double>(parts.layout().value_size());
  numbers += kCovariances * latent * inducing;
  if (IsSampled(options)) {
    numbers += kMatrices * latent * latent + static_cast<double>(options.sampler.chains) *
                                                 static_cast<double>(options.sampler.draws) *
                                                 parameters;
  } else {
    numbers += kParameters * parameters;
  }
  return sizeof(double) * numbers;
}

// Throws if the run cannot fit in memory, and names the option that is to blame: the one whose
// default would save the most.
void CheckMemory(const Dataset& data, const FitOptions& options) {
  const double limit = internal::MemoryLimit(), needed = LeastMemory(data, options);
  if (!(needed > limit)) return;
  const FitOptions defaults;
  std::string_view worst = "inducing";
  double least = HUGE_VAL;
  const auto consider = [&](std::string_view name, auto reset) {
    FitOptions changed = options;
    reset(changed);
    const double rest = LeastMemory(data, changed);
    if (rest < least) least = rest, worst = name;
  };
  consider("inducing", [&](FitOptions& o) { o.inducing = defaults.inducing; });
  consider("features", [&](FitOptions& o) { o.features = defaults.features; });
  consider("draws", [&](FitOptions& o) { o.draws = defaults.draws; });
  consider("neural.hidden", [&](FitOptions& o) { o.neural = defaults.neural; });
  consider("sampler.draws", [&](FitOptions& o) { o.sampler = defaults.sampler; });
  constexpr double kGigabyte = 1e9;
  ThrowInput("Fit", worst,
             fmt::format("makes the run need at least {:.3g} GB of memory, must be smaller: there "
                         "are {:.3g} GB",
                         needed / kGigabyte, limit / kGigabyte));
}

// Checks that there is a likelihood for each channel, and that the values can be its observations.
void CheckLikelihood(const Dataset& data, const FitOptions& options) {
  const Likelihood& all = GetLikelihood(options.likelihood);
  if (all.channels() > 0) CheckSize("Fit", "likelihood", all.channels(), data.channels.size());
  for (std::size_t c = 0; c < data.channels.size(); ++c) {
    const Likelihood& own = all.ForChannel(c);
    for (const Trajectory& t : data.trajectories) {
      for (std::size_t i = 0; i < t.times.size(); ++i) {
        const double y = t.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c));
        if (std::isnan(y) || own.Demand(y).empty()) continue;
        ThrowInput("Fit", fmt::format("channel '{}'", data.channels[c]),
                   fmt::format("is {:g} at time {}, must be {} for the likelihood {}", y,
                               ShowTime(t.times[i], data.calendar), own.Demand(y), own.name()));
      }
    }
    if (!options.noise_variance.empty() && !own.is_gaussian()) {
      ThrowInput("Fit", "noise_variance",
                 fmt::format("is given, must not be with the likelihood {}", own.name()));
    }
  }
}

// Checks the links of positive channels. CheckUnits judges the data on the scale of the links, too.
void CheckPositive(const Dataset& data, const FitOptions& options) {
  const std::vector<Link> links = LinksOf(options.positive, data.channels);
  if (links.empty()) return;
  CheckLinkedLikelihoods(options.likelihood, links);
  CheckUnits(ToLinkScale(data, links));
}

}  // namespace

void CheckFitInput(const Dataset& data, const FitOptions& options) {
  CheckDataset(data);
  internal::CheckRanges(options, "Fit");
  CheckAcceptance(options.sampler.target_acceptance);
  CheckUnits(data);
  CheckObservation(data, options);
  CheckLikelihood(data, options);
  CheckPositive(data, options);
  CheckMemory(data, options);
  const Solver solver(options.solver);
}

}  // namespace gpode
