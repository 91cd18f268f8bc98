// A vector field in the plane of two of its states, which is drawn as streamlines, with its
// uncertainty as shading.
//
// The other states are held constant. The uncertainty is a number from 0, drawn white, to 1, the
// darkest shade; larger values and values that are not finite are drawn as 1.
//
// Thread safety: any thread may call these functions with its own planes and canvases.
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
  Eigen::Index first = 0, second = 1;  // the states on the x and y axes
  Vector held = {};                    // (D): the values at which the other states are held
  Axis x = {}, y = {};
  // (kCells + 2, kCells + 2): the field on a grid, rows from top to bottom. The slopes are the
  // components of the field, in axis lengths per time.
  Matrix slope_x = {}, slope_y = {}, uncertainty = {};
};
// The number of grid cells along each axis. The grid has one more cell beyond each end, for the
// interpolation near the border.
inline constexpr Eigen::Index kCells = 120;

// Returns the states (n, D) at the centres of all n = (kCells + 2)^2 cells, row by row from the
// top.
Matrix CellCentres(const Plane& plane);
// Sets the field of the plane from its values (n, D) and uncertainties (n) at these centres.
void SetField(const Matrix& field, const Vector& uncertainty, Plane* plane);

// Returns the slopes at a point by bilinear interpolation. `shares` are its coordinates in axis
// lengths: (0, 0) is the bottom left corner, (1, 1) the top right.
Point SlopeAt(const Plane& plane, const Point& shares);

void DrawShading(const Plane& plane, const Box& inside, Canvas* canvas);
// Draws streamlines (streamlines.h) with this number of cells along each side: more cells give
// denser lines.
void DrawStreamlines(const Plane& plane, const Panel& panel, int cells, const Stroke& stroke,
                     Canvas* canvas);

// Draws a bar of all shades with its numbers and label on the right.
void DrawColourBar(const Box& bar, const std::string& name, Canvas* canvas);
// Returns the width that numbers and label need beside the bar.
double ColourBarRoom(const Canvas& canvas);
// Returns a legend key of all shades between the labels of 0 and 1.
Key ShadesKey(const std::string& least, const std::string& most);

}  // namespace gpode::report
