// The dynamics of one draw of a field.
//
// Thread safety: any thread may call these functions. LearntStates starts its own threads.
//
//   const DrawDynamics dynamics = AnalyseField(field, box, {.start = x});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gpode/analysis.h"
#include "gpode/lyapunov.h"

namespace gpode {

struct DynamicsOptions {
  Vector start = {};  // (D): the last learnt state
  Vector first = {};  // (D): the first learnt state
  // The states (n, D) at which the field must have an energy, and the state whose energy is zero.
  Matrix energy_states = {};
  Vector energy_zero = {};
  Matrix guesses = {};          // (n, D): guesses of fixed points
  std::size_t basin_cells = 0;  // 0 for no basins
  bool exponents = false;
  std::function<bool()> stop = {};  // if it returns true, the work ends unfinished
};

struct DrawDynamics {
  bool finished = false;
  FixedPointSearch search = {};
  std::vector<LimitCycle> cycles = {};  // the limit cycles that attract
  Attractor end = {};                   // where the solution from the start ends
  bool oscillates = false;              // see gpode/analysis.h
  double period = 0;                    // period of the oscillation
  Vector amplitudes = {};               // (D): amplitudes of the oscillation
  LyapunovSpectrum exponents = {};
  std::vector<std::uint8_t> basins = {};  // see basins.h
  std::optional<double> loss = {};        // see energy.h; nothing if the field has no energy
  double first_energy = 0, last_energy = 0;
};

DrawDynamics AnalyseField(const Field& field, const StateBox& box, const DynamicsOptions& options);

// Returns the state (draws, D) of every draw at a time of the first training trajectory.
Matrix LearntStates(const Posterior& posterior, double time, const AnalysisOptions& options);

}  // namespace gpode
