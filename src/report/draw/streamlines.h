// Evenly spaced streamlines of a vector field in the unit square.
//
// The square is divided into cells. A line starts in a free cell, is followed both ways, and ends
// at the border, where the field vanishes, or where it would enter a cell that already has a line,
// its own included.
//
// Thread safety: a plain function.
//
//   for (const std::vector<Point>& line : Streamlines(slope, 24)) ...
#pragma once

#include <functional>
#include <vector>

#include "report/draw/canvas.h"

namespace gpode::report {

// Returns the streamlines of a field, the same ones on every call. The square has `cells` cells
// along each side.
std::vector<std::vector<Point>> Streamlines(const std::function<Point(const Point&)>& slope,
                                            int cells);

}  // namespace gpode::report
