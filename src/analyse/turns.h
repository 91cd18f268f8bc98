// The turns of an oscillating solution: their number, periods and sizes.
//
// Thread safety: any thread may call this function; it shares no state that changes.
//
//   const Turns turns = CountTurns(field, box, start, 7, 300);
#pragma once

#include <vector>

#include "gpode/fixed_points.h"

namespace gpode {

struct Turns {
  std::vector<double> periods = {};  // the duration of each full turn
  std::vector<double> sizes = {};    // the range of the state that moves most, in each turn
  Vector amplitudes = {};            // (D): half the range of each state over the last turn
  bool left = false;                 // true if the solution left the box by more than its size

  // Tells whether there are at least six turns, of which the sixth has at least half of the size of
  // the first.
  bool IsSustained() const;
  // Returns the mean length of the last three turns, or of fewer if there are fewer.
  double Period() const;
};

// Follows the solution from `start` until it has completed `most` turns or `longest` units of time
// (TimeScale in gpode/limit_cycles.h) have passed. A turn ends where the state that moves most
// rises through its median.
Turns CountTurns(const Field& field, const StateBox& box, const Vector& start, std::size_t most,
                 double longest);

}  // namespace gpode
