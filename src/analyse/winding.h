// The topological degree of a field on the border of a box.
//
// In two dimensions the degree is the winding number: the number of turns that the direction of f
// makes while its argument goes once around the box. If all roots of f are regular, the degree is
// the sum of their indices sign(det J).
//
// Thread safety: each thread needs an Evaluator of its own.
//
//   std::optional<int> turns = WindingNumber(evaluate, box);
#pragma once

#include <optional>

#include "analyse/evaluator.h"
#include "gpode/fixed_points.h"

namespace gpode {

// Returns the angle, counted counter-clockwise, by which the direction of a field of two states
// turns from a to b on a straight line. `fa` and `fb` are the values there. Returns nothing if the
// field vanishes on the line, or nearly does.
std::optional<double> TurnBetween(Evaluator& evaluate, const Vector& a, const Vector& b,
                                  const Vector& fa, const Vector& fb);

// Returns the winding number of a field of two states around the box, or nothing if the field
// vanishes on the border.
std::optional<int> WindingNumber(Evaluator& evaluate, const StateBox& box);

// Returns the degree of a field of three states on the border of the box, from a triangulation of
// the border with `cells` squares along each edge. Returns nothing if finer triangulations
// disagree.
std::optional<int> BoundaryDegree(Evaluator& evaluate, const StateBox& box, std::size_t cells = 16);

}  // namespace gpode
