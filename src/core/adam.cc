#include "core/adam.h"

#include <cmath>
#include <numbers>

namespace gpode {

void Adam::Step(std::span<const double> gradient, double rate, std::span<const double> shares,
                std::span<double> parameters) {
  ++steps;
  Update(0, gradient.size(), static_cast<double>(steps), gradient, rate, shares, parameters);
}

void Adam::Update(std::size_t offset, std::size_t size, double count,
                  std::span<const double> gradient, double rate, std::span<const double> shares,
                  std::span<double> parameters) {
  constexpr double kFirst = 0.9, kSecond = 0.999, kEpsilon = 1e-8;
  const double first_bias = 1 - std::pow(kFirst, count);
  const double second_bias = 1 - std::pow(kSecond, count);
  for (std::size_t i = offset; i < offset + size; ++i) {
    const double g = gradient[i];
    first_moment[i] = kFirst * first_moment[i] + (1 - kFirst) * g;
    second_moment[i] = kSecond * second_moment[i] + (1 - kSecond) * g * g;
    parameters[i] += rate * shares[i] * (first_moment[i] / first_bias) /
                     (std::sqrt(second_moment[i] / second_bias) + kEpsilon);
  }
}

double CosineRate(double peak, std::size_t step, std::size_t warm_up, std::size_t steps) {
  if (step < warm_up) return peak * static_cast<double>(step + 1) / static_cast<double>(warm_up);
  const double done = static_cast<double>(step - warm_up) /
                      static_cast<double>(steps > warm_up ? steps - warm_up : 1);
  return 0.5 * peak * (1 + std::cos(std::numbers::pi * std::min(done, 1.0)));
}

}  // namespace gpode
