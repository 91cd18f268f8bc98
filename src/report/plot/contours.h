// Contour lines of functions on a grid of two states, such as nullclines.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   GridValues grid = EvaluateOnGrid(box, [&](const Matrix& x) { return posterior.FieldMean(x); });
//   for (const Matrix& line : ZeroContours(grid, 0)) ...
#pragma once

#include <functional>
#include <vector>

#include "gpode/fixed_points.h"

namespace gpode::report {

struct GridValues {
  StateBox box = {};
  Eigen::Index side = 0;  // points along each axis
  Matrix values = {};     // (side * side, functions); the second state varies fastest
};

// Evaluates functions of two states at (side, side) points of the box.
GridValues EvaluateOnGrid(const StateBox& box,
                          const std::function<Matrix(const Matrix& points)>& functions,
                          Eigen::Index side = 121);

// Returns the pieces (2, 2) of the lines on which a function vanishes, by linear interpolation
// along the edges of the grid (marching squares).
std::vector<Matrix> ZeroContours(const GridValues& grid, Eigen::Index function);

}  // namespace gpode::report
