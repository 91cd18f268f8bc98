// The plane of two states: axes, the field on a fine grid, its uncertainty as shading.
//
// Other states are held at one point. The uncertainty is the root mean square, over the two states,
// of the posterior standard deviation of the derivative as a share of the prior's: 0 is known
// exactly, 1 is not known at all.
//
// Thread safety: plain values and functions; PortraitOf starts the forecasts' threads.
//
//   const Portrait portrait = PortraitOf(input);
//   const Panel panel = DrawPortrait(portrait, area, &canvas);
#pragma once

#include "plot.h"

namespace gpode::tool {

// One trajectory in the plane.
struct PlanePath {
  std::vector<double> seen_x, seen_y;      // observations as states
  std::vector<double> median_x, median_y;  // of the draws
};

struct Portrait {
  Eigen::Index first = 0, second = 1;  // the states
  Vector held;                         // (D), where the others are
  Axis x, y;
  std::vector<PlanePath> paths;
  Matrix inducing;          // (M, 2), in the user's units
  std::string others;       // which states are held; empty: none
  std::string thinned;      // how many of the trajectories are shown; empty: all
  Matrix slope_x, slope_y;  // (kCells + 2, kCells + 2): the mean field; rows from top to bottom
  Matrix uncertainty;       // the same
};
// Of the grid inside of the axes; there is one more on every side.
inline constexpr Eigen::Index kCells = 120;

Portrait PortraitOf(const PlotInput& input);

// The mean field, linear between cells, in axes per time; the shares are 0 to 1 within the axes, of
// the vertical one from the bottom.
Point SlopeAt(const Portrait& portrait, const Point& shares);

// Shading, colour bar and frame's place; the frame itself is drawn last by the caller.
Panel DrawPortrait(const Portrait& portrait, const Box& area, Canvas* canvas);

}  // namespace gpode::tool
