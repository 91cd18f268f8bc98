// Fixed points of many draws, gathered into groups that hold at most one point of each draw.
//
// Groups start from reference points, those of the mean field. In each draw, the pairs of a point
// and a group with the least distance are matched first, up to a largest distance; fixed points
// whose index sign(det J) differs from the group's count as further away. The groups of reference
// points are matched before all others, so that a point whose place is uncertain stays one point.
// Points without a group found new ones. The groups' centres are then replaced by the medians of
// their points, and everything is matched once more.
//
// Thread safety: any thread may call this function; it shares no state that changes.
//
//   for (const PointGroup& group : GroupPoints(box, mean_points, draws)) ...
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gpode/fixed_points.h"

namespace gpode {

struct PointGroup {
  Vector centre = {};
  int index = 0;
  bool is_reference = false;
  // Pairs of a draw and the index of the point in the draw, by draw.
  std::vector<std::pair<std::size_t, std::size_t>> members = {};
};

std::vector<PointGroup> GroupPoints(const StateBox& box, std::span<const FixedPoint> references,
                                    std::span<const std::vector<FixedPoint>> draws);

}  // namespace gpode
