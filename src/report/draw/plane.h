// The plane of two states: axes, a field on a fine grid, its uncertainty as shading, streamlines.
//
// Other states are held at one point. The uncertainty is a number from 0, white, to 1, the darkest
// shade; larger ones are shown as 1, and so is what is not finite.
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
  Vector held = {};                    // (D), where the others are
  Axis x = {}, y = {};
  // (kCells + 2, kCells + 2); rows from top to bottom. The field is in axes per time.
  Matrix slope_x = {}, slope_y = {}, uncertainty = {};
};
// Of the grid inside of the axes; there is one more on every side.
inline constexpr Eigen::Index kCells = 120;

// States at the centres of all cells, row by row from the top: (n, D), n = (kCells + 2)^2.
Matrix CellCentres(const Plane& plane);
// From the field (n, D) and its uncertainty (n) there.
void SetField(const Matrix& field, const Vector& uncertainty, Plane* plane);

// The field, linear between cells, in axes per time; the shares are 0 to 1 within the axes, of the
// vertical one from the bottom.
Point SlopeAt(const Plane& plane, const Point& shares);

void DrawShading(const Plane& plane, const Box& inside, Canvas* canvas);
// `cells`: along each side, see streamlines.h.
void DrawStreamlines(const Plane& plane, const Panel& panel, int cells, const Stroke& stroke,
                     Canvas* canvas);

// A bar of all shades with its numbers and name on the right, and the width of all that beside it.
void DrawColourBar(const Box& bar, const std::string& name, Canvas* canvas);
double ColourBarRoom(const Canvas& canvas);
// The same as a legend's key, between the words for 0 and 1.
Key ShadesKey(const std::string& least, const std::string& most);

}  // namespace gpode::report
