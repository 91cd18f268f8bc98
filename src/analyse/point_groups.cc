#include "analyse/point_groups.h"

#include <algorithm>
#include <tuple>

#include "analyse/newton.h"

namespace gpode {
namespace {

// Distances in half widths of the box: the largest between a point and its group, and the distance
// that is added if their indices differ.
constexpr double kFarthest = 1, kOtherIndex = 0.5;

// The distance between a point without a group and a group, the point's index and the group's.
using Pair = std::tuple<double, std::size_t, std::size_t>;

// Matches the points of one draw with the groups of reference points, or with the other groups.
void MatchPoints(const StateBox& box, std::span<const FixedPoint> points, std::size_t draw,
                 bool references, std::vector<bool>* used, std::vector<PointGroup>* groups) {
  std::vector<Pair> pairs;
  for (std::size_t g = 0; g < groups->size(); ++g) {
    const PointGroup& group = (*groups)[g];
    if (group.is_reference != references) continue;
    for (std::size_t p = 0; p < points.size(); ++p) {
      if ((*used)[p]) continue;
      const double distance = BoxDistance(box, group.centre, points[p].state) +
                              (group.index == points[p].index ? 0 : kOtherIndex);
      if (distance < kFarthest) pairs.emplace_back(distance, g, p);
    }
  }
  std::ranges::sort(pairs);
  std::vector<bool> taken(groups->size());
  for (const auto& [distance, g, p] : pairs) {
    if (taken[g] || (*used)[p]) continue;
    taken[g] = (*used)[p] = true;
    (*groups)[g].members.emplace_back(draw, p);
  }
}

// Adds the points of one draw to the groups, and makes new groups for those that fit none.
void AddDraw(const StateBox& box, std::span<const FixedPoint> points, std::size_t draw,
             std::vector<PointGroup>* groups) {
  std::vector<bool> used(points.size());
  MatchPoints(box, points, draw, true, &used, groups);
  MatchPoints(box, points, draw, false, &used, groups);
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (!used[p]) groups->push_back({points[p].state, points[p].index, false, {{draw, p}}});
  }
}

// Moves the centre to the medians of the group's points.
void Recentre(std::span<const std::vector<FixedPoint>> draws, PointGroup* group) {
  if (group->members.empty()) return;
  for (Eigen::Index d = 0; d < group->centre.size(); ++d) {
    std::vector<double> values;
    for (const auto& [draw, p] : group->members) values.push_back(draws[draw][p].state[d]);
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    group->centre[d] = *middle;
  }
}

}  // namespace

std::vector<PointGroup> GroupPoints(const StateBox& box, std::span<const FixedPoint> references,
                                    std::span<const std::vector<FixedPoint>> draws) {
  std::vector<PointGroup> groups;
  for (const FixedPoint& point : references) {
    groups.push_back({point.state, point.index, true, {}});
  }
  for (std::size_t i = 0; i < draws.size(); ++i) AddDraw(box, draws[i], i, &groups);
  for (PointGroup& group : groups) {
    Recentre(draws, &group);
    group.members.clear();
  }
  for (std::size_t i = 0; i < draws.size(); ++i) AddDraw(box, draws[i], i, &groups);
  std::erase_if(groups, [](const PointGroup& group) { return group.members.empty(); });
  std::ranges::stable_sort(groups, [](const PointGroup& a, const PointGroup& b) {
    return a.members.size() > b.members.size();
  });
  return groups;
}

}  // namespace gpode
