// Newton's method for the roots of a field, in the coordinates of a box.
//
// Steps are measured in half widths of the box, so that all states count alike whatever their
// units.
//
// Thread safety: each thread needs an Evaluator of its own.
//
//   std::optional<Vector> root = FindRoot(evaluate, box, start, {});
#pragma once

#include <optional>
#include <span>

#include "analyse/evaluator.h"
#include "gpode/fixed_points.h"

namespace gpode {

// Returns the distance of two states in half widths of the box.
double BoxDistance(const StateBox& box, const Vector& a, const Vector& b);

// Runs Newton's method from `start`, deflated at the `known` points, until it converges. Returns
// the root, which may be one of the known points, if the Newton-Kantorovich theorem proves that it
// exists. Returns nothing if the iterations do not converge or leave the box by more than its size.
std::optional<Vector> FindRoot(Evaluator& evaluate, const StateBox& box, const Vector& start,
                               std::span<const FixedPoint> known);

// Returns `count` points of Halton's sequence in the box, as rows.
Matrix HaltonPoints(const StateBox& box, std::size_t count);

}  // namespace gpode
