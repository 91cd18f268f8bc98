// Conversion between values of options and TOML.
//
//   ToToml(x)                     returns x as a TOML value
//   FromToml(value, x)            sets x and returns "", or returns a description of the accepted
//                                 values if this one is not accepted
//
// Enumerators and methods (ode.h) are words in TOML. WordsOf lists the words of a type.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <concepts>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpode/data_files.h"
#include "gpode/fit_options.h"
#include "io/toml.h"

namespace gpode::internal {

template <typename Enum>
using Word = std::pair<std::string_view, Enum>;

inline std::vector<Word<BoundKind>> WordsOf(BoundKind) {
  return {{"vanilla", BoundKind::kVanilla}, {"shooting", BoundKind::kShooting}};
}
inline std::vector<Word<ToleranceRule>> WordsOf(ToleranceRule) {
  return {{"lowered", ToleranceRule::kLowered},
          {"fixed", ToleranceRule::kFixed},
          {"learnt", ToleranceRule::kLearnt}};
}
inline std::vector<Word<TolerancePrior>> WordsOf(TolerancePrior) {
  return {{"gaussian", TolerancePrior::kGaussian}, {"laplace", TolerancePrior::kLaplace}};
}
inline std::vector<Word<Observation>> WordsOf(Observation) {
  return {{"identity", Observation::kIdentity},
          {"pca", Observation::kPca},
          {"matrix", Observation::kMatrix}};
}
inline std::vector<Word<InputHold>> WordsOf(InputHold) {
  return {{"previous", InputHold::kPrevious}, {"linear", InputHold::kLinear}};
}
inline std::vector<Word<FeaturePrecision>> WordsOf(FeaturePrecision) {
  return {{"double", FeaturePrecision::kDouble}, {"float", FeaturePrecision::kFloat}};
}
inline std::vector<Word<DuplicateTimes>> WordsOf(DuplicateTimes) {
  return {{"refuse", DuplicateTimes::kRefuse},
          {"average", DuplicateTimes::kAverage},
          {"first", DuplicateTimes::kFirst},
          {"last", DuplicateTimes::kLast}};
}
inline std::vector<Word<TimeFormat>> WordsOf(TimeFormat) {
  return {{"found", TimeFormat::kFound},
          {"number", TimeFormat::kNumber},
          {"epoch", TimeFormat::kEpochSeconds},
          {"epoch-ms", TimeFormat::kEpochMilliseconds}};
}
inline std::vector<Word<DateOrder>> WordsOf(DateOrder) {
  return {
      {"found", DateOrder::kFound}, {"dmy", DateOrder::kDayFirst}, {"mdy", DateOrder::kMonthFirst}};
}
std::vector<Word<Method>> WordsOf(Method);

template <typename T>
concept HasWords = requires(T value) {
  WordsOf(value);
};

TomlValue ToToml(double value);
TomlValue ToToml(bool value);
TomlValue ToToml(char value);  // a string of one character; empty for 0
TomlValue ToToml(const std::string& value);
TomlValue ToToml(const std::vector<std::string>& value);
TomlValue ToToml(const std::vector<double>& value);
TomlValue ToToml(const std::vector<std::size_t>& value);
TomlValue ToToml(const Vector& value);
TomlValue ToToml(const Matrix& value);
template <std::unsigned_integral T>
TomlValue ToToml(T value) {
  return {TomlValue::Kind::kNumber, fmt::format("{}", value), {}};
}
template <HasWords T>
TomlValue ToToml(T value) {
  for (const auto& [word, meaning] : WordsOf(value)) {
    if (meaning == value) return {TomlValue::Kind::kString, std::string(word), {}};
  }
  return {};
}

// A description of the values that an option accepts, for a value that was refused; empty for a
// value that was accepted.
using Requirement = std::string;

Requirement FromToml(const TomlValue& from, double& value);
Requirement FromToml(const TomlValue& from, bool& value);
Requirement FromToml(const TomlValue& from, char& value);
Requirement FromToml(const TomlValue& from, std::string& value);
Requirement FromToml(const TomlValue& from, std::vector<std::string>& value);
Requirement FromToml(const TomlValue& from, std::vector<double>& value);
Requirement FromToml(const TomlValue& from, std::vector<std::size_t>& value);
Requirement FromToml(const TomlValue& from, Vector& value);
Requirement FromToml(const TomlValue& from, Matrix& value);
template <std::unsigned_integral T>
Requirement FromToml(const TomlValue& from, T& value) {
  const char* const end = from.text.data() + from.text.size();
  const auto [stop, error] = std::from_chars(from.text.data(), end, value);
  const bool whole = from.kind == TomlValue::Kind::kNumber && error == std::errc() && stop == end;
  return whole ? "" : "a whole number, zero or more";
}
template <HasWords T>
Requirement FromToml(const TomlValue& from, T& value) {
  const auto words = WordsOf(value);
  const bool many = words.size() > 3;
  std::string right;
  for (const auto& [word, meaning] : words) {
    right += fmt::format("{}\"{}\"",
                         right.empty() ? (many ? "one of " : "")
                         : many        ? ", "
                                       : " or ",
                         word);
    if (from.kind != TomlValue::Kind::kString || from.text != word) continue;
    value = meaning;
    return "";
  }
  return right;
}

}  // namespace gpode::internal
