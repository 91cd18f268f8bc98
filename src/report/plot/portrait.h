// A model in the plane of two of its states (plane.h), with trajectories and inducing points.
//
// The uncertainty is the posterior standard deviation of the derivative relative to the prior's, as
// the root mean square over the two states: 0 is known exactly, 1 is not known at all. For networks
// it is relative to the usual size of the derivative.
//
// Thread safety: plain values and functions; PortraitOf starts the forecasts' threads.
//
//   const Portrait portrait = PortraitOf(input);
//   const Panel panel = DrawPortrait(portrait, area, &canvas);
#pragma once

#include "report/draw/plane.h"
#include "report/plot/plot.h"

namespace gpode::report {

// A trajectory in the plane.
struct PlanePath {
  std::vector<double> seen_x, seen_y;      // observations, as states
  std::vector<double> median_x, median_y;  // the median of the draws
};

struct Portrait : Plane {
  std::vector<PlanePath> paths;
  Matrix inducing;      // (M, 2), in the user's units; no rows for networks
  std::string shading;  // the label of the colour bar
  std::string others;   // the states that are held constant; empty: none
  std::string thinned;  // a note if not all trajectories are shown
};

Portrait PortraitOf(const PlotInput& input);

// Draws shading and colour bar. Returns the panel, whose frame the caller draws last.
Panel DrawPortrait(const Portrait& portrait, const Box& area, Canvas* canvas);

}  // namespace gpode::report
