// The picture of the difference between two fields (gpode/compare.h).
//
// With two states, each component of the field has a panel that shows the mean difference as a
// colour, blue below zero and red above, and a dot where the fields differ (FieldDifference).
// States far from the data stay white. With one state, the difference is a line with its band.
//
// Thread safety: any thread may call this function with its own canvas.
//
//   PlotDifference(difference, &canvas);
#pragma once

#include "gpode/compare.h"
#include "report/draw/canvas.h"

namespace gpode::report {

// Draws the picture. The difference must be on a grid, so there must be one or two states.
void PlotDifference(const FieldDifference& difference, Canvas* canvas);

}  // namespace gpode::report
