// The picture of a design (gpode/design.h): the expected reduction over the candidate times, a line
// for each channel, and the chosen observations; and the candidate starts in the plane of the first
// two states, or along a single one, in a colour for their reduction, with the states of the data.
// If there are candidates of both kinds, the starts are below the times.
//
// Thread safety: any thread may call this function with its own canvas.
//
//   PlotDesign(design, ObservedStates(posterior, data), "time", &canvas);
#pragma once

#include <string>

#include "gpode/design.h"
#include "report/draw/canvas.h"

namespace gpode::report {

// `seen` (n, D) are the states of the data, `time` is the label of the axis of times.
void PlotDesign(const Design& design, const Matrix& seen, const std::string& time, Canvas* canvas);

}  // namespace gpode::report
