// Calls the solver in both directions of time. The solver itself (paper, equation 1) is in
// ode/solver.cc.
#include "predict/integrate.h"

#include <algorithm>
#include <vector>

#include "gpode/error.h"

namespace gpode {

void CheckForecastTimes(std::span<const double> times) {
  CheckFinite("Forecast", "times", times);
  if (!std::is_sorted(times.begin(), times.end())) ThrowInput("Forecast", "times", "must increase");
}

bool IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                       std::span<const double> times, std::span<double> states) {
  const std::size_t dim = x0.size();
  const std::size_t before = std::lower_bound(times.begin(), times.end(), 0.0) - times.begin();
  const std::vector<double> backwards(times.rend() - before, times.rend());
  std::vector<double> past(before * dim);
  const bool past_ok = solver.Solve(field, x0, 0.0, backwards, past).ok();
  for (std::size_t i = 0; i < before; ++i) {
    std::copy_n(past.begin() + (before - 1 - i) * dim, dim, states.begin() + i * dim);
  }
  const bool future_ok =
      solver.Solve(field, x0, 0.0, times.subspan(before), states.subspan(before * dim)).ok();
  return past_ok && future_ok;
}

}  // namespace gpode
