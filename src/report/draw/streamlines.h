// Evenly spaced streamlines of a vector field in the unit square.
//
// The square is divided into cells, so that lines keep their distance. A line starts in a cell
// without a line and is followed in both directions. It ends at the border of the square, where the
// field vanishes, or before a cell that it or another line has been in.
//
// Thread safety: any thread may call this function; it shares no state that changes.
//
//   for (const std::vector<Point>& line : Streamlines(slope, 24)) ...
#pragma once

#include <functional>
#include <vector>

#include "report/draw/canvas.h"

namespace gpode::report {

// Returns the streamlines of the field `slope`, the same ones on every call. The square has `cells`
// cells along each side.
std::vector<std::vector<Point>> Streamlines(const std::function<Point(const Point&)>& slope,
                                            int cells);

}  // namespace gpode::report
