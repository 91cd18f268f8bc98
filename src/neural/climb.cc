#include "neural/climb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "train/adam.h"

namespace gpode {
namespace {

constexpr std::size_t kCheckEvery = 50;
constexpr std::size_t kWarmUp = 50;
constexpr double kLargestGradient = 1e100;  // beyond, Adam's squares would overflow

bool Usable(std::span<const double> gradient) {
  return std::all_of(gradient.begin(), gradient.end(),
                     [](double g) { return std::fabs(g) < kLargestGradient; });
}

}  // namespace

ClimbResult Climb(const LogDensity& objective, const PointScore& score, const ClimbOptions& options,
                  std::vector<double>& point) {
  Adam adam(point.size());
  const std::vector<double> shares(point.size(), 1.0);
  std::vector<double> gradient(point.size()), best = point;
  ClimbResult result{.score = -std::numeric_limits<double>::infinity()};
  std::size_t stale = 0;
  const auto check = [&](double value) {
    const double now = score ? score(point) : value;
    const bool better = std::isfinite(now) && now > result.score;
    stale = better ? 0 : stale + 1;
    if (!better) return;
    result.score = now;
    best = point;
  };
  while (result.steps < options.steps) {
    const double value = objective(point, gradient);
    if (result.steps % kCheckEvery == 0) check(value);
    if (options.patience > 0 && stale >= options.patience) break;
    const double rate = CosineRate(options.learning_rate, result.steps++, kWarmUp, options.steps);
    if (Usable(gradient)) {
      adam.Step(gradient, rate, shares, point);
    } else {
      ++result.skipped;
    }
  }
  check(objective(point, gradient));
  point = std::move(best);
  return result;
}

}  // namespace gpode
