// Basins of attraction in the plane of two states, and the separatrices between them.
//
// Solutions are followed in an interpolation of the field, which is accurate enough for a picture
// and much faster.
//
// Thread safety: any thread may call these functions; they share no state that changes.
//
//   std::vector<std::uint8_t> ends = FindBasins(field, box, points, cycles, 40);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpode/fixed_points.h"
#include "gpode/limit_cycles.h"

namespace gpode {

// The ends of solutions that reach neither a fixed point nor a cycle.
inline constexpr std::uint8_t kLeavesBox = 254, kUndecided = 255;

// Returns, for starts at the centres of (cells, cells) cells of the box, the attractor that the
// solution reaches: the index of a stable fixed point, the number of fixed points plus the index of
// a stable cycle, kLeavesBox or kUndecided. The second state varies fastest.
std::vector<std::uint8_t> FindBasins(const Field& field, const StateBox& box,
                                     std::span<const FixedPoint> points,
                                     std::span<const LimitCycle> cycles, std::size_t cells);

// Returns the stable manifolds of the saddles of a field of two states, (n, 2) each, as far as they
// are inside the box.
std::vector<Matrix> FindSeparatrices(const Field& field, const StateBox& box,
                                     std::span<const FixedPoint> points);

}  // namespace gpode
