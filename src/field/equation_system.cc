#include "field/equation_system.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "field/equation_tokens.h"

namespace gpode {
namespace {

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

double EquationPrior::Value(double z) const {
  switch (kind) {
    case Kind::kFixed:
      return first;
    case Kind::kNormal:
      return first + second * z;
    case Kind::kLogNormal:
      return std::exp(first + second * z);
    case Kind::kUniform:
      return first + (second - first) * NormalCdf(z);
  }
  return first;
}

double EquationPrior::Slope(double z) const {
  switch (kind) {
    case Kind::kFixed:
      return 0;
    case Kind::kNormal:
      return second;
    case Kind::kLogNormal:
      return second * std::exp(first + second * z);
    case Kind::kUniform:
      return (second - first) * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  }
  return 0;
}

double EquationPrior::Latent(double value) const {
  if (kind == Kind::kFixed) return 0;
  if (kind == Kind::kNormal) return (value - first) / second;
  if (kind == Kind::kLogNormal) return (std::log(value) - first) / second;
  // The normal distribution function has no simple inverse, so it is inverted by bisection.
  double low = -6, high = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (Value(middle) < value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<std::size_t> EquationSystem::LearntParameters() const {
  std::vector<std::size_t> learnt;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].prior.kind != EquationPrior::Kind::kFixed) learnt.push_back(i);
  }
  return learnt;
}

std::string EquationName(std::string_view name) {
  return IsWord(name) ? std::string(name) : fmt::format("\"{}\"", name);
}

}  // namespace gpode
