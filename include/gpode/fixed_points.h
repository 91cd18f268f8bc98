// Fixed points of an autonomous field: the states with f(x) = 0 in a box.
//
// Newton's method starts from many places. In one and two dimensions, the search is checked by the
// index of the field: the winding number of f along the border of each cell of a grid must equal
// the sum of the indices sign(det J) of the fixed points in the cell. A cell in which the two
// differ is divided and searched again. In three dimensions, the degree of f on the border of the
// whole box is compared with the sum of the indices. In higher dimensions there is no check.
//   Stynes: An algorithm for the numerical calculation of the degree of a mapping (1979).
//
// A state is accepted only if a root of f is certain to be near it by the theorem of Newton and
// Kantorovich, with a Lipschitz constant of the Jacobian that is estimated near the state. Fixed
// points with a singular Jacobian, such as those at a bifurcation, are therefore not found.
//
// Starts of Newton's method in three and more dimensions are deflated: a factor that is infinite at
// the points that are already known pushes the iterations away from them.
//   Farrell, Birkisson, Funke: Deflation techniques for finding distinct solutions of nonlinear
//   partial differential equations (2015).
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   FixedPointSearch found = FindFixedPoints(VanDerPol(1), {Vector{{-3, -3}}, Vector{{3, 3}}});
//   for (const FixedPoint& point : found.points) ... point.state, Name(point.type)
#pragma once

#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "gpode/field.h"

namespace gpode {

// A box in state space, given by two opposite corners.
struct StateBox {
  Vector lower = {}, upper = {};  // (D)

  Vector Centre() const { return 0.5 * (lower + upper); }
  Vector HalfWidths() const { return 0.5 * (upper - lower); }
  bool Contains(const Vector& state) const;
  // Returns the box with all widths multiplied by the factor, around the same centre.
  StateBox Enlarged(double factor) const;
};
// Throws an InputError that begins with `where` unless the box has `dim` finite ranges with lower
// below upper.
void CheckBox(std::string_view where, const StateBox& box, std::size_t dim);
// Returns the points of a grid with `side` points along each axis, at least two; the last state
// varies fastest.
Matrix GridPoints(const StateBox& box, std::size_t side);

// A node has real eigenvalues of one sign. A spiral has a leading complex pair and real parts of
// one sign. A saddle has real parts of both signs. The leading pair of a centre has a real part of
// zero within a tolerance. In one dimension, every fixed point is a node.
enum class FixedPointType { kNode, kSpiral, kSaddle, kCentre };
std::string_view Name(FixedPointType type);

struct FixedPoint {
  Vector state = {};                  // (D)
  Matrix jacobian = {};               // (D, D)
  Eigen::VectorXcd eigenvalues = {};  // (D), by decreasing real part
  FixedPointType type = FixedPointType::kNode;
  bool stable = false;  // true if all real parts are negative
  int index = 0;        // the sign of det J
};

struct FixedPointOptions {
  std::size_t cells = 32;    // the cells along each side of the grid, up to two dimensions
  std::size_t starts = 256;  // the quasi-random starts in three and more dimensions
  Matrix guesses = {};       // (n, D): more starts, such as the fixed points of a similar field
  // A fixed point is a centre if the real part of the leading pair of eigenvalues is at most this
  // share of the imaginary part, both in absolute value.
  double centre = 1e-6;
};

struct FixedPointSearch {
  std::vector<FixedPoint> points = {};  // ordered by the first state, then the second, ...
  bool checked = false;  // true if the check by index or degree found no point missing
};

// Searches a box for fixed points. Throws an InputError unless the field has no inputs and the box
// has the field's dimension.
FixedPointSearch FindFixedPoints(const Field& field, const StateBox& box,
                                 const FixedPointOptions& options = {});

// Returns the fixed point at `state`, where the field is taken to vanish.
FixedPoint ClassifyFixedPoint(const Field& field, const Vector& state, double centre = 1e-6);

}  // namespace gpode
