// Ticks at round numbers or dates along an axis, and their labels.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   TicksOf({.from = -0.3, .to = 7.1}, 5);  // 0, 2, 4, 6
#pragma once

#include <string>
#include <vector>

#include "gpode/calendar.h"

namespace gpode::report {

struct Axis {
  double from = 0, to = 1;  // from < to, and both positive if logarithmic
  std::string label = {};
  bool logarithmic = false;
  bool whole = false;              // true for ticks at whole numbers only
  std::vector<double> marks = {};  // if not empty, ticks at these values, not at round numbers
  Calendar calendar = {};          // if it is set, ticks are at round dates
  bool bare = false;               // true if only a neighbouring panel has numbers and label

  // Returns the position of a value along the axis: 0 at `from`, 1 at `to`.
  double Share(double value) const;
};

struct Tick {
  double value;
  std::string text;
};

// Returns ticks at axis.marks if there are any. Otherwise returns ticks at round values, at least
// two if possible, and at most `most` (one more if both ends of a linear axis are ticks).
std::vector<Tick> TicksOf(const Axis& axis, std::size_t most);

// Returns the largest number of the form 1, 2 or 5 times a power of ten that is not above `value`,
// which must be positive.
double RoundDown(double value);

}  // namespace gpode::report
