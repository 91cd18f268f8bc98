// Lines that follow a field in the unit square, evenly apart.
//
// The square is divided into cells. A line starts in a free cell, is followed both ways, and ends
// at the border, where the field vanishes, or where it would enter a cell that has a line already,
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

// The same lines for the same field. `cells`: along each side.
std::vector<std::vector<Point>> Streamlines(const std::function<Point(const Point&)>& slope,
                                            int cells);

}  // namespace gpode::report
