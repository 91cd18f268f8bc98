// A model in the plane of two of its states (plane.h), with trajectories and inducing points.
//
// The uncertainty of the field is its posterior standard deviation over its prior standard
// deviation, as the root mean square over the two states: 0 means known exactly, 1 means that the
// data say nothing. For networks it is relative to the usual size of the derivative.
//
// Thread safety: any thread may call these functions with its own canvas. PortraitOf makes
// forecasts, which start their own threads.
//
//   const Portrait portrait = PortraitOf(input);
//   const Panel panel = DrawPortrait(portrait, area, &canvas);
#pragma once

#include "report/draw/plane.h"
#include "report/plot/plot.h"

namespace gpode::report {

// A trajectory in the plane.
struct PlanePath {
  std::vector<double> seen_x, seen_y;      // the observations, turned into states
  std::vector<double> median_x, median_y;  // the median of the forecast
};

struct Portrait : Plane {
  std::vector<PlanePath> paths;
  Matrix inducing;      // (M, 2), in the user's units; no rows for networks
  std::string shading;  // the label of the colour bar
  std::string others;   // text on the states that are held constant; empty if there are none
  std::string thinned;  // a note if not all trajectories are shown
};

Portrait PortraitOf(const PlotInput& input);

// Draws shading and colour bar. Returns the panel, whose frame the caller draws last.
Panel DrawPortrait(const Portrait& portrait, const Box& area, Canvas* canvas);

}  // namespace gpode::report
