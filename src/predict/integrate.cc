// Calls the solver in both directions of time. The solver itself (paper, equation 1) is in
// ode/solver.cc.
#include "predict/integrate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpode/error.h"

namespace gpode {

void CheckForecastTimes(std::span<const double> times) {
  CheckFinite("Forecast", "times", times);
  if (!std::is_sorted(times.begin(), times.end())) ThrowInput("Forecast", "times", "must increase");
}

SolveStatus Worse(SolveStatus one, SolveStatus other) {
  return one == SolveStatus::kOk || one == SolveStatus::kTooManySteps
             ? (other == SolveStatus::kOk ? one : other)
             : one;
}

std::size_t AllowedSteps(std::size_t steps, double span, double usual) {
  constexpr std::size_t kMost = 10'000'000;
  if (!(span > usual) || !(usual > 0) || steps >= kMost) return steps;
  const double wanted = std::ceil(static_cast<double>(steps) * (span / usual));
  return wanted < static_cast<double>(kMost) ? static_cast<std::size_t>(wanted) : kMost;
}

SolveStatus IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                              std::span<const double> times, std::span<double> states,
                              const InputSignal* inputs) {
  const std::size_t dim = x0.size();
  const std::size_t before = std::lower_bound(times.begin(), times.end(), 0.0) - times.begin();
  const std::vector<double> backwards(times.rend() - before, times.rend());
  std::vector<double> past(before * dim);
  const SolveStatus past_status = solver.Solve(field, x0, 0.0, backwards, past, 0, inputs).status;
  for (std::size_t i = 0; i < before; ++i) {
    std::copy_n(past.begin() + (before - 1 - i) * dim, dim, states.begin() + i * dim);
  }
  return Worse(
      past_status,
      solver.Solve(field, x0, 0.0, times.subspan(before), states.subspan(before * dim), 0, inputs)
          .status);
}

}  // namespace gpode
