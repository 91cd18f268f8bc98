// The picture of a design (gpode/design.h): the expected reduction over the candidate times, a line
// for each channel, and the chosen observations.
//
// Thread safety: any thread may call this function with its own canvas.
//
//   PlotDesign(design, "time", &canvas);
#pragma once

#include <string>

#include "gpode/design.h"
#include "report/draw/canvas.h"

namespace gpode::report {

void PlotDesign(const Design& design, const std::string& time, Canvas* canvas);

}  // namespace gpode::report
