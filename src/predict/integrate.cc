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

namespace {

SolveStatus NoteStiffness(const SolveResult& result, bool* stiff) {
  if (stiff != nullptr && result.statistics.stiff) *stiff = true;
  return result.status;
}

// Calls solve(times, states) twice: for the times before 0, in decreasing order, and for the
// others.
template <typename Solve>
SolveStatus SolveBothWays(std::size_t dim, std::span<const double> times, std::span<double> states,
                          const Solve& solve) {
  const std::size_t before = std::lower_bound(times.begin(), times.end(), 0.0) - times.begin();
  const std::vector<double> backwards(times.rend() - before, times.rend());
  std::vector<double> past(before * dim);
  const SolveStatus past_status = solve(backwards, past);
  for (std::size_t i = 0; i < before; ++i) {
    std::copy_n(past.begin() + (before - 1 - i) * dim, dim, states.begin() + i * dim);
  }
  return Worse(past_status, solve(times.subspan(before), states.subspan(before * dim)));
}

}  // namespace

SolveStatus IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                              std::span<const double> times, std::span<double> states,
                              const InputSignal* inputs, bool* stiff) {
  return SolveBothWays(
      x0.size(), times, states, [&](std::span<const double> at, std::span<double> out) {
        return NoteStiffness(solver.Solve(field, x0, 0.0, at, out, 0, inputs), stiff);
      });
}

SolveStatus IntegrateBothWays(ForcedSolver& solver, const Field& field, const ForceAround& force,
                              std::span<const double> x0, std::span<const double> times,
                              std::span<double> states, const InputSignal* inputs, bool* stiff) {
  return SolveBothWays(
      x0.size(), times, states, [&](std::span<const double> at, std::span<double> out) {
        const bool past = !at.empty() && at.back() < 0;
        const Force own{.ends = past ? force.past_ends : force.ends,
                        .values = past ? force.past_values : force.values};
        return NoteStiffness(solver.Solve(field, own, x0, 0.0, at, out, 0, inputs), stiff);
      });
}

void ForceAround::Extend(double length, double time, std::span<const double> unit,
                         const RandomStream& stream) {
  constexpr std::uint64_t kPastNumbers = std::uint64_t{1} << 40;
  constexpr double kMostPieces = 1e5;
  const bool past = time < 0;
  std::vector<double>& own_ends = past ? past_ends : ends;
  std::vector<double>& own_values = past ? past_values : values;
  double end = own_ends.empty() ? 0 : own_ends.back();
  const double missing = past ? end - time : time - end;
  if (!(missing > 0)) return;
  length = std::max(length, missing / kMostPieces);
  std::vector<double> normals(unit.size());
  for (std::uint64_t piece = 0; past ? end > time : end < time; ++piece) {
    end += past ? -length : length;
    own_ends.push_back(end);
    stream.Normals(normals, (past ? kPastNumbers : 0) + piece * unit.size());
    for (std::size_t d = 0; d < unit.size(); ++d) own_values.push_back(unit[d] * normals[d]);
  }
}

}  // namespace gpode
