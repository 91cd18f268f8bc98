#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "arguments.h"
#include "gpode/error.h"
#include "gpode/options.h"
#include "io/files.h"
#include "io/number_text.h"
#include "io/reading.h"
#include "io/toml.h"
#include "options/fit_options.h"
#include "options/option_values.h"
#include "options/read_options.h"

namespace gpode::tool {
namespace {

// Calls visit(name, member) for all options about the data.
template <typename Config, typename Visit>
void ForDataOptions(Config& config, Visit&& visit) {
  visit("data.files", config.files);
  const auto visit_read = [&](std::string_view name, auto& member) {
    visit(fmt::format("data.{}", name), member);
  };
  internal::ForKindOfFile(config.read, visit_read);
  internal::ForPartOfFile(config.read, visit_read);
  visit("data.initial", config.initial);
  visit("data.validation", config.validation);
  visit("data.holdout", config.holdout);
  visit("data.holdout_after", config.holdout_after);
  visit("data.refit", config.refit);
}

bool SetDataOption(RunConfig& config, const internal::TomlItem& item, std::string_view where) {
  bool found = false;
  ForDataOptions(config, [&](std::string_view name, auto& member) {
    if (name != item.key) return;
    found = true;
    const internal::Requirement requirement = internal::FromToml(item.value, member);
    if (requirement.empty()) return;
    ThrowInput(where, name,
               fmt::format("is {}, must be {}", internal::ShowToml(item.value), requirement));
  });
  return found;
}

// Throws if the value of an option is a text that this option does not accept.
void CheckWords(const RunConfig& config, const internal::TomlItem& item, std::string_view where) {
  const auto check = [&](std::string_view name, bool valid, std::string_view right) {
    if (name != item.key || valid) return;
    internal::ThrowAt(
        where, fmt::format("{} is {}, must be {}", name, internal::ShowToml(item.value), right));
  };
  check("data.initial", IsInitial(config.initial), kInitialWords);
  check("data.holdout", config.holdout.empty() || ParseShare(config.holdout), kShareWords);
  check("data.holdout_after", config.holdout_after.empty() || IsTime(config.holdout_after),
        "a time");
}

std::vector<std::string> KnownNames() {
  std::vector<std::string> names;
  for (const OptionInfo& option : ListOptions()) names.push_back(option.name);
  const RunConfig config;
  ForDataOptions(config, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

}  // namespace

bool IsTime(std::string_view word) {
  const std::optional<double> number = internal::ToNumber(word);
  return number ? std::isfinite(*number) : ParseTime(word, Calendar{.unit = 1}).has_value();
}

bool IsInitial(std::string_view word) { return word == "first" || word == "gap" || IsTime(word); }

std::optional<double> ParseShare(std::string_view word) {
  const bool percent = word.ends_with('%');
  if (percent) word.remove_suffix(1);
  const std::optional<double> number = internal::ToNumber(word);
  if (!number) return {};
  const double share = percent ? *number / 100 : *number;
  return share > 0 && share <= 0.9 ? std::optional(share) : std::nullopt;
}

std::optional<HoldoutOptions> HoldoutOf(const RunConfig& config, const Calendar& calendar) {
  if (config.holdout.empty() && config.holdout_after.empty()) return {};
  HoldoutOptions options{.refit = config.refit};
  if (!config.holdout_after.empty()) {
    options.share = 0;
    options.after = ParseTime({"fit", "--holdout-after"}, config.holdout_after, calendar);
  } else {
    options.share = *ParseShare(config.holdout);
  }
  return options;
}

RunConfig ReadConfig(const std::filesystem::path& path, const RunConfig& base) {
  const std::string source = path.string();
  const std::vector<std::byte> bytes = internal::ReadFile(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  RunConfig config = base;
  const std::vector<std::string> known = KnownNames();
  for (const internal::TomlItem& item : internal::ParseToml(text, source)) {
    const std::string where = fmt::format("{}:{}", source, item.line);
    if (item.key.starts_with(kTimingPrefix) || item.key == kChecksums) continue;
    if (SetDataOption(config, item, where)) {
      internal::CheckReadOptions(config.read, where);
      CheckWords(config, item, where);
      continue;
    }
    if (std::find(known.begin(), known.end(), item.key) != known.end()) continue;
    const auto nearest = Nearest(item.key, known);
    internal::ThrowAt(where,
                      fmt::format("option {} is unknown{}", internal::Quote(item.key),
                                  nearest ? fmt::format("; did you mean {}?", *nearest) : ""));
  }
  config.fit = internal::ReadOptions(text, source, base.fit, internal::UnknownOptions::kIgnore);
  return config;
}

std::string ConfigText(const RunConfig& config, std::string_view comment) {
  std::string text = "# ";
  for (char c : comment) text += c == '\n' ? "\n# " : std::string(1, c);
  text += '\n';
  ForDataOptions(config, [&](std::string_view name, const auto& member) {
    text += fmt::format("{} = {}\n", name, internal::ShowToml(internal::ToToml(member)));
  });
  return text + OptionsText(config.fit);
}

}  // namespace gpode::tool
