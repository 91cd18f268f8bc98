// Fixed points of many draws, gathered into groups that hold at most one point of each draw.
//
// Groups start from reference points, those of the mean field. In each draw, points and groups are
// matched by increasing distance, up to a largest distance; a point whose index sign(det J) differs
// from that of the group counts as farther away. The groups of reference points are matched before
// all others, so that a point whose place is uncertain is not split into two groups. A point that
// matches no group starts a new one. The centre of each group is then replaced by the median of its
// points, and all points are matched once more.
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
