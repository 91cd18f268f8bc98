#include "train/fit_options.h"

#include <fmt/format.h>

#include "data/files.h"
#include "data/number_text.h"
#include "gpode/error.h"
#include "train/option_values.h"

namespace gpode {
namespace internal {
namespace {

// Memory of a training step grows with their product.
constexpr double kMostFeatures = 1e8;

template <typename T>
Complaint CheckRange(const T& value, const OptionRange& range) {
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

// `label` says which option, and where it was found.
[[noreturn]] void Refuse(std::string_view label, const TomlValue& value, std::string_view right) {
  throw InputError(fmt::format("{} is {}, must be {}", label, ShowToml(value), right));
}

// Whether the option exists; `value` becomes its value.
bool Assign(FitOptions& options, std::string_view name, const TomlValue& value,
            std::string_view label) {
  bool found = false;
  ForOptions(options,
             [&](std::string_view own, auto& member, const OptionRange& range, std::string_view) {
               if (own != name) return;
               found = true;
               Complaint complaint = FromToml(value, member);
               if (complaint.empty()) complaint = CheckRange(member, range);
               if (!complaint.empty()) Refuse(label, value, complaint);
             });
  return found;
}

[[noreturn]] void RefuseName(std::string_view where, std::string_view name) {
  std::string known;
  for (const OptionInfo& option : ListOptions()) {
    known += (known.empty() ? "" : ", ") + option.name;
  }
  ThrowAt(where, fmt::format("option {} is unknown, known: {}", Quote(name), known));
}

// A word as people type it: strings without quotes, lists without brackets, .5 for 0.5.
TomlValue FromWord(std::string_view word, std::string_view label) {
  using Kind = TomlValue::Kind;
  if (word.starts_with('[')) return ParseTomlValue(word, label);
  if (word == "true" || word == "false") return {Kind::kBool, std::string(word), {}};
  if (ToNumber(word)) return {Kind::kNumber, std::string(word), {}};
  if (word.find(',') == std::string_view::npos) return {Kind::kString, std::string(word), {}};
  TomlValue list{Kind::kArray, {}, {}};
  while (true) {
    const std::size_t end = word.find(',');
    list.items.push_back(FromWord(Trimmed(word.substr(0, end)), label));
    if (end == std::string_view::npos) return list;
    word.remove_prefix(end + 1);
  }
}

bool IsText(const FitOptions& options, std::string_view name) {
  bool text = false;
  ForOptions(options, [&](std::string_view own, const auto& member, auto&&...) {
    using T = std::remove_cvref_t<decltype(member)>;
    if (own == name) text = std::is_enum_v<T> || std::is_same_v<T, std::string>;
  });
  return text;
}

}  // namespace

FitOptions ReadOptions(std::string_view text, std::string_view source, const FitOptions& base,
                       UnknownOptions unknown) {
  FitOptions options = base;
  for (const TomlItem& item : ParseToml(text, source)) {
    const std::string where = fmt::format("{}:{}", source, item.line);
    const bool known =
        Assign(options, item.key, item.value, fmt::format("{}: {}", where, item.key));
    if (!known && unknown == UnknownOptions::kRefuse) RefuseName(where, item.key);
  }
  return options;
}

void CheckRanges(const FitOptions& options, std::string_view where) {
  ForOptions(options, [&](std::string_view name, const auto& member, const OptionRange& range,
                          std::string_view) {
    const Complaint complaint = CheckRange(member, range);
    if (complaint.empty()) return;
    Refuse(fmt::format("{}: {}", where, name), ToToml(member), complaint);
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

std::string OptionsText(const FitOptions& options, bool with_help) {
  std::string text;
  internal::ForOptions(
      options, [&](std::string_view name, const auto& member, auto&&, std::string_view help) {
        if (with_help) text += fmt::format("# {}\n", help);
        text += fmt::format("{} = {}\n", name, internal::ShowToml(internal::ToToml(member)));
      });
  return text;
}

FitOptions ParseOptions(std::string_view text, std::string_view source, const FitOptions& base) {
  return internal::ReadOptions(text, source, base, internal::UnknownOptions::kRefuse);
}

void SetOption(FitOptions& options, std::string_view name, std::string_view value,
               std::string_view source) {
  const internal::TomlValue parsed =
      internal::IsText(options, name)
          ? internal::TomlValue{internal::TomlValue::Kind::kString, std::string(value), {}}
          : internal::FromWord(value, source);
  if (!internal::Assign(options, name, parsed, source)) internal::RefuseName(source, name);
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
