#include "gpode/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gpode/error.h"

namespace gpode {
namespace {

using Function = std::function<double(std::span<const double>)>;

constexpr double kGoodEnough = 1e-10;  // estimated relative error that needs no further table
constexpr double kRestartShrink = 1.0 / 64.0;  // ratio of the first steps of successive tables

struct Derivative {
  double value = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::infinity();
};

// Returns the central difference in coordinate i and an estimate of its rounding error. `point` is
// changed during the call.
Derivative CentralDifference(const Function& value, std::span<double> point, std::size_t i,
                             double h) {
  const double x = point[i];
  const double right = x + h;
  const double left = x - h;
  point[i] = right;
  const double f_right = value(point);
  point[i] = left;
  const double f_left = value(point);
  point[i] = x;
  const double largest = std::max(std::abs(f_right), std::abs(f_left));
  // The divisor is right - left instead of 2h because that is the step after rounding.
  return {(f_right - f_left) / (right - left),
          std::numeric_limits<double>::epsilon() * largest / h};
}

// Computes one table of Ridders' method, row by row, and returns its best entry. The error of an
// entry that is computed from a value that is not finite is NaN. Such an entry is never the best,
// since a comparison with NaN is false.
Derivative Extrapolate(const Function& value, std::span<double> point, std::size_t i, double h,
                       int levels) {
  Derivative best;
  std::vector<double> above, row;
  for (int k = 0; k < levels; ++k, h /= 2) {
    const Derivative difference = CentralDifference(value, point, i, h);
    row.assign(1, difference.value);
    for (int j = 1; j <= k; ++j) {
      const double weight = std::ldexp(1.0, 2 * j);  // 4^j
      const double entry = (weight * row[j - 1] - above[j - 1]) / (weight - 1);
      const double spread = std::max(std::abs(entry - row[j - 1]), std::abs(entry - above[j - 1]));
      const double error = spread + difference.error;
      if (error < best.error) best = {entry, error};
      row.push_back(entry);
    }
    above.swap(row);
  }
  return best;
}

Derivative Differentiate(const Function& value, std::span<double> point, std::size_t i,
                         const GradientCheckOptions& options) {
  double h = options.initial_step * std::max(1.0, std::abs(point[i]));
  Derivative best = Extrapolate(value, point, i, h, options.levels);
  for (int r = 0; r < options.restarts && !(best.error <= kGoodEnough * std::abs(best.value));
       ++r) {
    h *= kRestartShrink;
    const Derivative next = Extrapolate(value, point, i, h, options.levels);
    if (next.error < best.error) best = next;
  }
  return best;
}

double RelativeError(double analytic, double numeric, double scale) {
  if (!std::isfinite(analytic) || !std::isfinite(numeric)) {
    return std::numeric_limits<double>::infinity();
  }
  const double difference = std::abs(analytic - numeric);
  if (difference == 0) return 0.0;  // the divisor may be zero, too
  return difference / std::max({std::abs(analytic), std::abs(numeric), scale});
}

void CheckOptions(const GradientCheckOptions& options) {
  CheckPositive("CheckGradient", "initial_step", options.initial_step);
  CheckAtLeast("CheckGradient", "levels", options.levels, 2);
  CheckAtLeast("CheckGradient", "restarts", options.restarts, 0);
  CheckNonNegative("CheckGradient", "relative_floor", options.relative_floor);
  CheckNonNegative("CheckGradient", "absolute_floor", options.absolute_floor);
}

}  // namespace

GradientCheck CheckGradient(const Function& value, std::span<const double> point,
                            std::span<const double> gradient, const GradientCheckOptions& options) {
  CheckOptions(options);
  CheckAtLeast("CheckGradient", "point's size", static_cast<std::ptrdiff_t>(point.size()), 1);
  CheckSize("CheckGradient", "gradient", gradient.size(), point.size());

  std::vector<double> moved(point.begin(), point.end());
  std::vector<Derivative> numeric(point.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    numeric[i] = Differentiate(value, moved, i, options);
    for (const double entry : {gradient[i], numeric[i].value}) {
      if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
    }
  }

  const double scale = std::max(options.relative_floor * largest, options.absolute_floor);
  GradientCheck worst;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double error = RelativeError(gradient[i], numeric[i].value, scale);
    if (i > 0 && !(error > worst.max_relative_error)) continue;
    worst = {error, i, gradient[i], numeric[i].value, numeric[i].error, {}};
  }
  worst.message = fmt::format(
      "gradient[{}]: analytic {}, numeric {} +- {:.1e}, relative error {:.1e}", worst.worst_index,
      worst.analytic, worst.numeric, worst.numeric_error, worst.max_relative_error);
  return worst;
}

}  // namespace gpode
