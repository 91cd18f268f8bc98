// Lyapunov exponents of an autonomous field: the mean rates at which neighbouring solutions
// separate.
//
// The state is integrated together with D orthogonal displacements (the variational equation).
// After every interval a QR factorisation makes them orthogonal again. The exponents are the means
// over time of the logarithms of R's diagonal.
//   Benettin, Galgani, Giorgilli, Strelcyn: Lyapunov characteristic exponents for smooth dynamical
//   systems (1980). Geist, Parlitz, Lauterborn: Comparison of different methods for computing
//   Lyapunov exponents (1990).
//
// The standard errors come from the means over consecutive batches of time.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   LyapunovSpectrum spectrum = LyapunovExponents(*MakeSystem("lorenz63"), box, start);
//   spectrum.exponents[0];   // about 0.906
#pragma once

#include <functional>

#include "gpode/fixed_points.h"

namespace gpode {

struct LyapunovOptions {
  // Times in the field's unit of time; 0 stands for 500 and 50 times TimeScale (limit_cycles.h).
  double time = 0, transient = 0;
  std::size_t batches = 20;
  double tolerance = 1e-8;          // tolerance of the integration
  std::function<bool()> stop = {};  // if it returns true, the computation ends early
};

struct LyapunovSpectrum {
  Vector exponents = {};        // (D), in decreasing order; empty if the solution left the box
  Vector standard_errors = {};  // (D)
  double dimension = 0;         // the Kaplan-Yorke dimension
  double time = 0;              // the time over which the means are taken
  Vector spread = {};           // (D): standard deviations of the states over that time

  bool ok() const { return exponents.size() > 0; }
};

// Computes the exponents of the attractor that the solution from `start` reaches. A solution that
// is outside the box by more than the size of the box has left it.
LyapunovSpectrum LyapunovExponents(const Field& field, const StateBox& box, const Vector& start,
                                   const LyapunovOptions& options = {});

}  // namespace gpode
