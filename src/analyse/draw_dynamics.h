// The dynamics of one draw of a field.
//
// Thread safety: any thread may call these functions. LastStates starts its own threads.
//
//   const DrawDynamics dynamics = AnalyseField(field, box, {.start = x});
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpode/analysis.h"
#include "gpode/lyapunov.h"

namespace gpode {

struct DynamicsOptions {
  Vector start = {};            // (D): the last learnt state
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
};

DrawDynamics AnalyseField(const Field& field, const StateBox& box, const DynamicsOptions& options);

// Returns the state (draws, D) of every draw at the end of the first training trajectory.
Matrix LastStates(const Posterior& posterior, const AnalysisOptions& options);

}  // namespace gpode
