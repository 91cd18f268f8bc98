// Chooses a model by trial fits. The choice by the size of the data is in choose_options.cc.
//
// Trial fits only guard against models that fail on the data. They do not rank the models, because
// errors on a few held-back rows depend mostly on chance: always taking the first model of a fixed
// order gave better forecasts than taking the one with the smallest error (docs/models.md).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gpode/compare_models.h"
#include "run/choose_options.h"

namespace gpode {
namespace {

// Trial fits choose the model if there are more than kFewestTimes times and at most kMostValues
// values of states. With fewer times, too few of them can be held back; with more values, trial
// fits take too long.
constexpr std::size_t kFewestTimes = 100, kMostValues = 3000;
// The largest numbers of times and states for which the joint posterior is tried.
constexpr std::size_t kMostJointTimes = 600, kMostJointStates = 6;
// The search ends if the mean squared error is at most this multiple of the noise variance, since
// no forecast could be much better.
constexpr double kNoiseLimit = 1.25;

std::string Describe(const ModelComparison& comparison) {
  std::vector<std::string> all;
  for (const ModelScore& score : comparison.ranking) {
    if (score.is_simple) continue;
    all.push_back(score.failure.empty() ? fmt::format("{} {:.3g}", score.name, score.error)
                                        : fmt::format("{} failed", score.name));
  }
  return fmt::format("{}; best simple forecast {:.3g}", fmt::join(all, ", "),
                     comparison.SimpleError());
}

// Returns the reason to choose a model with this score, or an empty text if it is not good enough.
std::string ReasonToTake(const ModelScore& score, double simple_error) {
  if (!score.failure.empty()) return {};
  if (score.error_over_noise <= kNoiseLimit) return "as well as the noise permits";
  return score.error < simple_error ? "better than the simple forecasts" : "";
}

}  // namespace

std::vector<CandidateModel> ModelsToTry(const Dataset& data, const FitOptions& chosen,
                                        const std::vector<std::string>& given) {
  const std::size_t times = internal::CountTimes(data);
  const std::size_t states = internal::CountStates(data, chosen);
  if (chosen.function != "process" || internal::HasTrainingOption(given) ||
      std::ranges::find(given, "posterior") != given.end() ||
      chosen.InputsWith(data.inputs).size() > 0 || times <= kFewestTimes ||
      times * states > kMostValues) {
    return {};
  }
  std::vector<std::string> names;
  if (times <= kMostJointTimes && states <= kMostJointStates) names.emplace_back("joint");
  const bool is_long = chosen.bound == BoundKind::kShooting;
  names.emplace_back(is_long ? "shooting" : "gpode");
  names.emplace_back(is_long ? "gpode" : "shooting");
  // The candidates start from options without the choices that ChooseOptions has made.
  FitOptions base = chosen;
  const FitOptions defaults;
  const auto keep = [&](std::string_view name) {
    return std::ranges::find(given, name) != given.end();
  };
  base.posterior = defaults.posterior;
  if (!keep("kernel")) base.kernel = defaults.kernel;
  if (!keep("features")) base.features = defaults.features;
  return MakeCandidates(names, data, base, given);
}

ModelChoice ChooseModel(const Dataset& data, const FitOptions& chosen,
                        const std::vector<std::string>& given, const CompareControl& control) {
  const std::vector<CandidateModel> candidates = ModelsToTry(data, chosen, given);
  if (candidates.empty()) return {.options = chosen};
  CompareControl own = control;
  const double simple = CompareModels(data, {}, control).SimpleError();
  std::string found, why;
  own.scored = [&](const ModelScore& score) {
    why = ReasonToTake(score, simple);
    if (!why.empty()) found = score.name;
    return (!control.scored || control.scored(score)) && found.empty();
  };
  ModelChoice choice{.options = chosen, .comparison = CompareModels(data, candidates, own)};
  if (choice.comparison.interrupted) return choice;
  const std::string errors = fmt::format("error over spread in {} held-back times: {}",
                                         choice.comparison.held_times, Describe(choice.comparison));
  if (found.empty()) {
    choice.reason = fmt::format(
        "no model beats the simple forecasts, so the size of the data "
        "decides ({})",
        errors);
    return choice;
  }
  choice.options = std::ranges::find(candidates, found, &CandidateModel::name)->options;
  choice.reason = fmt::format("{} forecasts {} ({})", found, why, errors);
  return choice;
}

}  // namespace gpode
