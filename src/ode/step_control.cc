#include "ode/step_control.h"

#include <algorithm>
#include <cmath>

namespace gpode {
namespace {

constexpr double kSafety = 0.9;
constexpr double kShrinkMost = 0.2;
constexpr double kGrowMost = 10.0;

}  // namespace

double ErrorNorm(std::span<const double> e, std::span<const double> x, std::span<const double> y,
                 std::size_t dim, double atol, double rtol) {
  double largest = 0;
  for (std::size_t start = 0; start < e.size(); start += dim) {
    double sum = 0;
    for (std::size_t i = start; i < start + dim; ++i) {
      const double scale = atol + rtol * std::max(std::fabs(x[i]), std::fabs(y[i]));
      sum += (e[i] / scale) * (e[i] / scale);
    }
    if (!(sum <= largest)) largest = sum;
    if (std::isnan(largest)) return largest;
  }
  return std::sqrt(largest / static_cast<double>(dim));
}

double StepControl::Accept(double error) {
  const double beta = 0.2 / power_;
  const double alpha = 1.0 / power_ - 0.75 * beta;
  error = std::max(error, 1e-10);
  double factor = kSafety * std::pow(error, -alpha) * std::pow(last_error_, beta);
  factor = std::clamp(factor, kShrinkMost, kGrowMost);
  if (rejected_) factor = std::min(factor, 1.0);
  rejected_ = false;
  last_error_ = std::max(error, 1e-4);
  return factor;
}

double StepControl::Reject(double error) {
  rejected_ = true;
  if (!std::isfinite(error)) return kShrinkMost;
  return std::clamp(kSafety * std::pow(error, -1.0 / power_), kShrinkMost, 0.9);
}

}  // namespace gpode
