// Genes and compartments among the systems with known equations (gpode/systems.h).
#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "gpode/systems.h"

namespace gpode {
namespace {

// The value 1 / (1 + x^n) and its derivatives with respect to x (slope) and n (by_exponent).
struct Repression {
  double value, slope, by_exponent;
};

Repression RepressionAt(double x, double n) {
  const double power = std::pow(x, n), value = 1 / (1 + power), outer = -value * value;
  return {value, outer * n * std::pow(x, n - 1), x > 0 ? outer * power * std::log(x) : 0.0};
}

}  // namespace

ToggleSwitch::ToggleSwitch(double rate, double exponent)
    : System("ToggleSwitch", 2, {"rate", "exponent"}, {rate, exponent}) {}

void ToggleSwitch::ValueAt(std::span<const double> x, std::span<double> f) const {
  for (std::size_t i = 0; i < 2; ++i) {
    f[i] = parameter(0) * RepressionAt(x[1 - i], parameter(1)).value - x[i];
  }
}

void ToggleSwitch::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  for (std::size_t i = 0; i < 2; ++i) {
    jacobian[2 * i + i] = -1;
    jacobian[2 * i + 1 - i] = parameter(0) * RepressionAt(x[1 - i], parameter(1)).slope;
  }
}

void ToggleSwitch::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                    std::span<double> bparameters) const {
  for (std::size_t i = 0; i < 2; ++i) {
    const Repression repression = RepressionAt(x[1 - i], parameter(1));
    bparameters[0] += g[i] * repression.value;
    bparameters[1] += g[i] * parameter(0) * repression.by_exponent;
  }
}

Repressilator::Repressilator(double rate, double exponent)
    : System("Repressilator", 3, {"rate", "exponent"}, {rate, exponent}) {}

void Repressilator::ValueAt(std::span<const double> x, std::span<double> f) const {
  for (std::size_t i = 0; i < 3; ++i) {
    f[i] = parameter(0) * RepressionAt(x[(i + 2) % 3], parameter(1)).value - x[i];
  }
}

void Repressilator::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 2) % 3;
    jacobian[3 * i + i] = -1;
    jacobian[3 * i + j] = parameter(0) * RepressionAt(x[j], parameter(1)).slope;
    jacobian[3 * i + (i + 1) % 3] = 0;
  }
}

void Repressilator::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                     std::span<double> bparameters) const {
  for (std::size_t i = 0; i < 3; ++i) {
    const Repression repression = RepressionAt(x[(i + 2) % 3], parameter(1));
    bparameters[0] += g[i] * repression.value;
    bparameters[1] += g[i] * parameter(0) * repression.by_exponent;
  }
}

Compartments::Compartments(double rate, double half)
    : System("Compartments", 5, {"rate", "half"}, {rate, half}) {
  CheckPositive("Compartments", "half", half);
}

void Compartments::ValueAt(std::span<const double> x, std::span<double> f) const {
  double inflow = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const double outflow = parameter(0) * x[i] / (parameter(1) + x[i]);
    f[i] = inflow - outflow;
    inflow = outflow;
  }
}

void Compartments::JacobianAt(std::span<const double> x, std::span<double> jacobian) const {
  std::fill(jacobian.begin(), jacobian.end(), 0.0);
  for (std::size_t i = 0; i < 5; ++i) {
    const double sum = parameter(1) + x[i], slope = parameter(0) * parameter(1) / (sum * sum);
    jacobian[5 * i + i] = -slope;
    if (i < 4) jacobian[5 * (i + 1) + i] = slope;
  }
}

void Compartments::PullParametersAt(std::span<const double> x, std::span<const double> g,
                                    std::span<double> bparameters) const {
  for (std::size_t i = 0; i < 5; ++i) {
    const double bflow = (i < 4 ? g[i + 1] : 0.0) - g[i], sum = parameter(1) + x[i];
    bparameters[0] += bflow * x[i] / sum;
    bparameters[1] -= bflow * parameter(0) * x[i] / (sum * sum);
  }
}

}  // namespace gpode
