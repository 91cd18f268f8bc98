// A model in the plane of two of its states (plane.h), with trajectories and inducing points.
//
// The uncertainty is the root mean square, over the two states,
// of the posterior standard deviation of the derivative as a share of the prior's: 0 is known
// exactly, 1 is not known at all. For networks it is a share of the derivative's usual size.
//
// Thread safety: plain values and functions; PortraitOf starts the forecasts' threads.
//
//   const Portrait portrait = PortraitOf(input);
//   const Panel panel = DrawPortrait(portrait, area, &canvas);
#pragma once

#include "report/draw/plane.h"
#include "report/plot/plot.h"

namespace gpode::report {

// One trajectory in the plane.
struct PlanePath {
  std::vector<double> seen_x, seen_y;      // observations as states
  std::vector<double> median_x, median_y;  // of the draws
};

struct Portrait : Plane {
  std::vector<PlanePath> paths;
  Matrix inducing;      // (M, 2), in the user's units; none of networks
  std::string shading;  // what the shades show
  std::string others;   // which states are held; empty: none
  std::string thinned;  // how many of the trajectories are shown; empty: all
};

Portrait PortraitOf(const PlotInput& input);

// Shading, colour bar and frame's place; the frame itself is drawn last by the caller.
Panel DrawPortrait(const Portrait& portrait, const Box& area, Canvas* canvas);

}  // namespace gpode::report
