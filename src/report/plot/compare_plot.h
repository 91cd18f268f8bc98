// The picture of the difference of two fields (gpode/compare.h).
//
// With two states there is a panel for the derivative of each state: the mean difference as colour,
// blue below zero and red above, and a dot where it differs beyond chance. States far from the data
// stay white. With one state, the difference is a line with its band.
//
// Thread safety: any thread may call this function with its own canvas.
//
//   PlotDifference(difference, &canvas);
#pragma once

#include "gpode/compare.h"
#include "report/draw/canvas.h"

namespace gpode::report {

// The difference must be on a grid: there are one or two states.
void PlotDifference(const FieldDifference& difference, Canvas* canvas);

}  // namespace gpode::report
