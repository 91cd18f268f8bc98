#include "options/fit_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpode/error.h"
#include "gpode/likelihood.h"
#include "gpode/posterior_family.h"
#include "gpode/unknown_function.h"
#include "io/files.h"
#include "io/number_text.h"
#include "kernel/kernel_sum.h"
#include "options/option_values.h"

namespace gpode {
namespace internal {
namespace {

// The largest product of features and draws. The memory of a training step is proportional to it.
constexpr double kMostFeatures = 1e8;

template <typename T>
Requirement CheckRange(const T& value, const OptionRange& range) {
  if constexpr (std::is_same_v<T, std::vector<double>> ||
                std::is_same_v<T, std::vector<std::size_t>>) {
    for (const auto v : value) {
      if (Requirement requirement = CheckRange(v, range); !requirement.empty()) return requirement;
    }
  }
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    const auto number = static_cast<double>(value);
    if (range.above && !(number > range.least)) {
      return range.most == kLargest ? "positive and finite" : "positive";
    }
    if (range.least == 0 && range.most == 1 && !(number >= 0 && number <= 1)) {
      return "between 0 and 1";
    }
    if (!(number >= range.least) && range.least > -kLargest) {
      return range.least == 0 ? "zero or more" : fmt::format("at least {}", range.least);
    }
    if (number > range.most) {
      return range.most == kLargest ? "finite" : fmt::format("at most {:.0f}", range.most);
    }
  }
  return "";
}

// Returns "a whole number of at least ..." for an option that is a count with a least value above
// zero, and otherwise `requirement`.
template <typename T>
Requirement CountRequirement(const Requirement& requirement, const OptionRange& range) {
  const bool count = std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
  return count && range.least > 0 ? fmt::format("a whole number of at least {}", range.least)
                                  : requirement;
}

// Returns the positive numbers of a text such as "0.1,0.2", or nothing if it is not such a text.
std::optional<std::vector<double>> ToDeviations(std::string_view text) {
  std::vector<double> deviations;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<double> number = ToNumber(text.substr(0, comma));
    if (!number || !(*number > 0) || !std::isfinite(*number)) return std::nullopt;
    deviations.push_back(*number);
    if (comma == std::string_view::npos) return deviations;
    text.remove_prefix(comma + 1);
  }
}

// Returns the accepted values of an option whose value is a registered name; empty for others.
std::vector<std::string> KnownNames(std::string_view option) {
  if (option == "function") return UnknownFunctionNames();
  if (option == "posterior") return PosteriorFamilyNames();
  if (option == "form") {
    return {"none",     "growth",         "second-order", "hamiltonian", "coupled-hamiltonian",
            "gradient", "divergence-free"};
  }
  return {};
}

// Checks a likelihood: one name, or a list of names with commas between them, each of which may
// follow "channel=".
Requirement CheckLikelihoods(std::string_view text) {
  const std::vector<std::string> known = LikelihoodNames();
  for (;;) {
    const std::size_t comma = text.find(',');
    std::string_view kind = text.substr(0, comma);
    if (const std::size_t equals = kind.rfind('='); equals != std::string_view::npos) {
      kind.remove_prefix(equals + 1);
    }
    if (std::ranges::find(known, kind) == known.end()) {
      return fmt::format("one of {}; or a list: one per channel, or channel=NAME,...",
                         fmt::join(known, ", "));
    }
    if (comma == std::string_view::npos) return "";
    text.remove_prefix(comma + 1);
  }
}

Requirement CheckName(std::string_view name, const std::string& value) {
  if (name == "process_noise" && value != "none" && value != "learnt" && !ToDeviations(value)) {
    return "none, learnt, or positive numbers with commas between them";
  }
  if (name == "kernel") return FindKernelSum(value) ? "" : AcceptedKernelSums();
  if (name == "likelihood") return CheckLikelihoods(value);
  if (name == "damping" && value != "none" && value != "learnt") {
    const std::optional<double> number = ToNumber(value);
    if (!number || !(*number >= 0) || !std::isfinite(*number)) {
      return "none, learnt, or a number of at least 0";
    }
    return "";
  }
  const std::vector<std::string> known = KnownNames(name);
  if (known.empty() || std::ranges::find(known, value) != known.end()) return "";
  return fmt::format("one of {}", fmt::join(known, ", "));
}

template <typename T>
Requirement CheckName(std::string_view, const T&) {
  return "";
}

// Returns the value as it is written to files. Names for the same kernel, such as "se" and
// "squared-exponential", are all written alike.
std::string Canonical(std::string_view name, const std::string& value) {
  if (name != "kernel") return value;
  const std::optional<KernelSum> sum = FindKernelSum(value);
  return sum ? sum->Name() : value;
}

template <typename T>
const T& Canonical(std::string_view, const T& value) {
  return value;
}

// Throws an InputError for a value that is not accepted. `label` is the option with its source,
// such as "fit.toml:3: steps"; `right` describes the accepted values.
[[noreturn]] void ThrowBadValue(std::string_view label, const TomlValue& value,
                                std::string_view right) {
  throw InputError(fmt::format("{} is {}, must be {}", label, ShowToml(value), right));
}

// Sets function and posterior by the name of a model. Model files of format 1 have the option
// `model` for that.
void AssignModel(FitOptions& options, const TomlValue& value, std::string_view label) {
  std::vector<std::string> known;
  for (const NamedModel& m : ListModels()) {
    if (m.bound != BoundKind::kVanilla) continue;
    known.push_back(fmt::format("\"{}\"", m.name));
    if (value.kind != TomlValue::Kind::kString || value.text != m.name) continue;
    options.function = m.function;
    options.posterior = m.posterior;
    return;
  }
  ThrowBadValue(label, value, fmt::format("one of {}", fmt::join(known, ", ")));
}

// Sets an option to a value. Returns false if there is no option of this name.
bool Assign(FitOptions& options, std::string_view name, const TomlValue& value,
            std::string_view label) {
  bool found = name == "model";
  if (found) AssignModel(options, value, label);
  ForOptions(options,
             [&](std::string_view own, auto& member, const OptionRange& range, std::string_view) {
               if (own != name) return;
               found = true;
               using T = std::remove_cvref_t<decltype(member)>;
               Requirement requirement = FromToml(value, member);
               if (!requirement.empty()) requirement = CountRequirement<T>(requirement, range);
               if (requirement.empty()) requirement = CheckRange(member, range);
               if (requirement.empty()) requirement = CheckName(name, member);
               if (!requirement.empty()) ThrowBadValue(label, value, requirement);
               member = Canonical(name, member);
             });
  return found;
}

[[noreturn]] void ThrowUnknownOption(std::string_view where, std::string_view name) {
  std::string known;
  for (const OptionInfo& option : ListOptions()) {
    known += (known.empty() ? "" : ", ") + option.name;
  }
  ThrowAt(where, fmt::format("option {} is unknown, known: {}", Quote(name), known));
}

// Parses a word of the command line: strings without quotes, lists without brackets, .5 for 0.5.
TomlValue ParseWord(std::string_view word, std::string_view label) {
  using Kind = TomlValue::Kind;
  if (word.starts_with('[')) return ParseTomlValue(word, label);
  if (word == "true" || word == "false") return {Kind::kBool, std::string(word), {}};
  if (ToNumber(word)) return {Kind::kNumber, std::string(word), {}};
  if (word.find(',') == std::string_view::npos) return {Kind::kString, std::string(word), {}};
  TomlValue list{Kind::kArray, {}, {}};
  while (true) {
    const std::size_t end = word.find(',');
    list.items.push_back(ParseWord(Trimmed(word.substr(0, end)), label));
    if (end == std::string_view::npos) return list;
    word.remove_prefix(end + 1);
  }
}

enum class Shape { kText, kList, kOther };

Shape ShapeOf(const FitOptions& options, std::string_view name) {
  Shape shape = Shape::kOther;
  ForOptions(options, [&](std::string_view own, const auto& member, auto&&...) {
    using T = std::remove_cvref_t<decltype(member)>;
    if (own != name) return;
    if (HasWords<T> || std::is_same_v<T, std::string>) shape = Shape::kText;
    if (std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<std::size_t>>) {
      shape = Shape::kList;
    }
  });
  return shape;
}

// Parses a word for an option of the given shape. A list of one item needs no comma.
TomlValue ParseWordAs(Shape shape, std::string_view word, std::string_view label) {
  using Kind = TomlValue::Kind;
  if (shape == Shape::kText) return {Kind::kString, std::string(word), {}};
  TomlValue value = ParseWord(word, label);
  if (shape != Shape::kList || value.kind != Kind::kNumber) return value;
  return {Kind::kArray, {}, {value}};
}

}  // namespace

FitOptions ReadOptions(std::string_view text, std::string_view source, const FitOptions& base,
                       UnknownOptions unknown) {
  FitOptions options = base;
  for (const TomlItem& item : ParseToml(text, source)) {
    const std::string where = fmt::format("{}:{}", source, item.line);
    const bool known =
        Assign(options, item.key, item.value, fmt::format("{}: {}", where, item.key));
    if (!known && unknown == UnknownOptions::kRefuse) ThrowUnknownOption(where, item.key);
  }
  return options;
}

void CheckRanges(const FitOptions& options, std::string_view where) {
  ForOptions(options, [&](std::string_view name, const auto& member, const OptionRange& range,
                          std::string_view) {
    Requirement requirement = CheckRange(member, range);
    if (requirement.empty()) requirement = CheckName(name, member);
    if (requirement.empty()) return;
    ThrowBadValue(fmt::format("{}: {}", where, name), ToToml(member), requirement);
  });
  const double features =
      static_cast<double>(options.features) * static_cast<double>(options.draws);
  if (features > kMostFeatures) {
    ThrowInput(
        where, "features",
        fmt::format("times draws is {:.0f}, must be at most {:.0f}", features, kMostFeatures));
  }
}

}  // namespace internal

std::vector<double> KnownProcessNoise(const FitOptions& options) {
  return internal::ToDeviations(options.process_noise).value_or(std::vector<double>{});
}

std::string OptionsText(const FitOptions& options, bool with_help) {
  std::string text;
  internal::ForOptions(options, [&](std::string_view name, const auto& member, auto&&,
                                    std::string_view help) {
    if (with_help) text += fmt::format("# {}\n", help);
    text += fmt::format("{} = {}\n", name,
                        internal::ShowToml(internal::ToToml(internal::Canonical(name, member))));
  });
  return text;
}

FitOptions ParseOptions(std::string_view text, std::string_view source, const FitOptions& base) {
  return internal::ReadOptions(text, source, base, internal::UnknownOptions::kRefuse);
}

void SetOption(FitOptions& options, std::string_view name, std::string_view value,
               std::string_view source) {
  const internal::TomlValue parsed =
      internal::ParseWordAs(internal::ShapeOf(options, name), value, source);
  if (!internal::Assign(options, name, parsed, source)) internal::ThrowUnknownOption(source, name);
}

const std::vector<NamedModel>& ListModels() {
  using enum BoundKind;
  static const std::vector<NamedModel> models = {
      {"gpode", "GPODE", "process", "blocks", kVanilla},
      {"shooting", "GPODE, shooting", "process", "blocks", kShooting},
      {"npode", "npODE", "process", "point", kVanilla},
      {"npode-shooting", "npODE, shooting", "process", "point", kShooting},
      {"neural", "NeuralODE", "network", "point", kVanilla},
      {"neural-shooting", "NeuralODE, shooting", "network", "point", kShooting},
      {"neural-vi", "Bayesian NeuralODE (VI)", "network", "blocks", kVanilla},
      {"neural-vi-shooting", "Bayesian NeuralODE (VI), shooting", "network", "blocks", kShooting},
      {"neural-hmc", "Bayesian NeuralODE (HMC)", "network", "draws", kVanilla},
      {"gpode-hmc", "GPODE (HMC)", "process", "draws", kVanilla}};
  return models;
}

std::size_t CountStates(const FitOptions& options, std::size_t channels) {
  if (options.states > 0) return options.states;
  return options.observation_map.dim() > 0 ? options.observation_map.dim() : channels;
}

bool IsSampled(const FitOptions& options) {
  return GetPosteriorFamily(options.posterior).is_sampled();
}

namespace {

// Models with a name and a title that SetModel does not accept: they are chosen by --posterior.
const std::vector<NamedModel>& SampledModels() {
  using enum BoundKind;
  static const std::vector<NamedModel> models = {
      {"gpode-joint", "GPODE (joint posterior)", "process", "joint", kVanilla},
      {"gpode-nuts", "GPODE (NUTS)", "process", "nuts", kVanilla}};
  return models;
}

// The titles of functions whose models are not in a table.
struct FunctionTitle {
  std::string_view function, title;
};
constexpr FunctionTitle kFunctionTitles[] = {{"equations", "known equations"}};

}  // namespace

// Ignores options.bound if the posterior is sampled, since samplers always integrate whole
// trajectories.
NamedModel NameOf(const FitOptions& options) {
  for (const std::vector<NamedModel>* models : {&ListModels(), &SampledModels()}) {
    for (const NamedModel& m : *models) {
      if (m.function == options.function && m.posterior == options.posterior &&
          (m.bound == options.bound || IsSampled(options))) {
        return m;
      }
    }
  }
  const bool shooting = options.bound == BoundKind::kShooting && !IsSampled(options);
  const std::string posterior = options.posterior + (shooting ? ", shooting" : "");
  const auto title = std::ranges::find(kFunctionTitles, options.function, &FunctionTitle::function);
  return {fmt::format("{}-{}{}", options.function, options.posterior, shooting ? "-shooting" : ""),
          title != std::end(kFunctionTitles)
              ? fmt::format("{} (posterior {})", title->title, posterior)
              : fmt::format("{} with posterior {}", options.function, posterior),
          options.function, options.posterior, options.bound};
}

void SetModel(FitOptions& options, std::string_view name, std::string_view source) {
  std::vector<std::string> known;
  for (const NamedModel& m : ListModels()) {
    known.push_back(m.name);
    if (m.name != name) continue;
    options.function = m.function;
    options.posterior = m.posterior;
    options.bound = m.bound;
    return;
  }
  throw InputError(fmt::format("{} is {}, must be one of {}", source, internal::Quote(name),
                               fmt::join(known, ", ")));
}

std::vector<OptionInfo> ListOptions() {
  std::vector<OptionInfo> list;
  const FitOptions defaults;
  internal::ForOptions(
      defaults, [&](std::string_view name, const auto& member, auto&&, std::string_view help) {
        list.push_back(
            {std::string(name), internal::ShowToml(internal::ToToml(member)), std::string(help)});
      });
  return list;
}

}  // namespace gpode
