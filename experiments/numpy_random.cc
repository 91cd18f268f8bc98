#include "experiments/numpy_random.h"

#include <cmath>
#include <utility>

namespace gpode::experiments {

double NumpyRandom::Uniform() {
  const std::uint32_t high = words_() >> 5, low = words_() >> 6;
  return (high * 0x1p26 + low) * 0x1p-53;
}

double NumpyRandom::Normal() {
  if (kept_) return *std::exchange(kept_, std::nullopt);
  while (true) {
    const double x = 2 * Uniform() - 1, y = 2 * Uniform() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    const double factor = std::sqrt(-2 * std::log(square) / square);
    kept_ = factor * x;
    return factor * y;
  }
}

std::vector<double> NumpyRandom::Uniforms(std::size_t count) {
  std::vector<double> result(count);
  for (double& u : result) u = Uniform();
  return result;
}

}  // namespace gpode::experiments
