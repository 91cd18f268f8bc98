// Newton's method for the roots of a field, in the coordinates of a box.
//
// Steps are measured in half widths of the box, so that states of different units count alike.
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

// Follows Newton's method from `start`, deflated at the `known` points, until the steps vanish.
// Returns the root if the theorem of Newton and Kantorovich vouches for it, which may be one of the
// known points; returns nothing if the iterations leave the box by more than its size or do not
// converge.
std::optional<Vector> FindRoot(Evaluator& evaluate, const StateBox& box, const Vector& start,
                               std::span<const FixedPoint> known);

// Returns `count` points of Halton's sequence in the box, as rows.
Matrix HaltonPoints(const StateBox& box, std::size_t count);

}  // namespace gpode
