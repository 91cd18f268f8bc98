// The plane of two states: axes, a vector field on a fine grid, its uncertainty as shading,
// streamlines.
//
// The other states are held constant. The uncertainty is a number from 0, white, to 1, the darkest
// shade; larger and non-finite values are shown as 1.
//
// Thread safety: plain values and functions.
//
//   Plane plane{.held = Vector::Zero(2), .x = x_axis, .y = y_axis};
//   SetField(posterior.FieldMean(CellCentres(plane)), uncertainty, &plane);
//   DrawShading(plane, panel.inside(), &canvas);
//   DrawStreamlines(plane, panel, 22, {.width = 0.45}, &canvas);
#pragma once

#include <string>

#include "report/draw/figure.h"

namespace gpode::report {

struct Plane {
  Eigen::Index first = 0, second = 1;  // the states
  Vector held = {};                    // (D), the values of the other states
  Axis x = {}, y = {};
  // (kCells + 2, kCells + 2), rows from top to bottom; slopes are in axis lengths per time.
  Matrix slope_x = {}, slope_y = {}, uncertainty = {};
};
// The cells along each axis; the grid has one more on every side.
inline constexpr Eigen::Index kCells = 120;

// Returns the states at the centres of all cells, row by row from the top: (n, D) with
// n = (kCells + 2)^2.
Matrix CellCentres(const Plane& plane);
// Sets the vector field (n, D) and its uncertainty (n) at these centres.
void SetField(const Matrix& field, const Vector& uncertainty, Plane* plane);

// Returns the slope at a point of the unit square, whose origin is the bottom left corner of the
// axes, by bilinear interpolation.
Point SlopeAt(const Plane& plane, const Point& shares);

void DrawShading(const Plane& plane, const Box& inside, Canvas* canvas);
// Draws the streamlines of streamlines.h with so many cells along each side.
void DrawStreamlines(const Plane& plane, const Panel& panel, int cells, const Stroke& stroke,
                     Canvas* canvas);

// Draws a bar of all shades with its numbers and label on the right.
void DrawColourBar(const Box& bar, const std::string& name, Canvas* canvas);
// Returns the width that numbers and label need beside the bar.
double ColourBarRoom(const Canvas& canvas);
// Returns a legend key of all shades between the labels of 0 and 1.
Key ShadesKey(const std::string& least, const std::string& most);

}  // namespace gpode::report
