// The integration of a forecast, forwards and backwards from its start.
#pragma once

#include <span>
#include <vector>

#include "gpode/ode.h"
#include "gpode/random.h"
#include "ode/forced_solver.h"

namespace gpode {

// Throws an InputError unless the times are finite and do not decrease.
void CheckForecastTimes(std::span<const double> times);

// Computes the states (T, D) at non-decreasing times, positive or negative, of the solution that is
// x0 at time 0. Returns kOk if the integration reached all times, and otherwise its failure;
// kTooManySteps only if there was no other failure. States that were not reached are NaN. Sets
// `stiff` to true if stability limited the steps (SolveStatistics::stiff).
SolveStatus IntegrateBothWays(Solver& solver, const Field& field, std::span<const double> x0,
                              std::span<const double> times, std::span<double> states,
                              const InputSignal* inputs = nullptr, bool* stiff = nullptr);

// The force of process noise (data/noise_pieces.h) after and before a start at time 0.
struct ForceAround {
  // The ends of the pieces and the force on them: of pieces after the start in the order of time,
  // and of pieces before the start with the latest first.
  std::vector<double> ends, values;
  std::vector<double> past_ends, past_values;

  // Adds pieces of this length until they reach `time`, which may be before or after the start. The
  // force on a new piece is `unit` (D) times standard normals of the stream. A piece has the same
  // normals for any `time`.
  void Extend(double length, double time, std::span<const double> unit, const RandomStream& stream);
};

// The same with a force.
SolveStatus IntegrateBothWays(ForcedSolver& solver, const Field& field, const ForceAround& force,
                              std::span<const double> x0, std::span<const double> times,
                              std::span<double> states, const InputSignal* inputs = nullptr,
                              bool* stiff = nullptr);

// Returns the worse of two statuses: a failure rather than success, and any other failure rather
// than kTooManySteps.
SolveStatus Worse(SolveStatus one, SolveStatus other);

// Returns the number of steps that a solver may take for this span of time: `steps` for spans up to
// `usual`, and for longer spans more in proportion, up to ten million or `steps` if that is more.
std::size_t AllowedSteps(std::size_t steps, double span, double usual);

}  // namespace gpode
