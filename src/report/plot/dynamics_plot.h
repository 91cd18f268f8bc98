// Pictures of a model's dynamics (gpode/analysis.h).
//
// The picture of one analysis shows the plane of the first two states: the basins of attraction
// with their probabilities or, without basins, streamlines of the mean field; nullclines and
// separatrices of the mean field (models of two states), limit cycles, and fixed points with
// credible regions. The picture of a sweep is a bifurcation diagram.
//
// Thread safety: any thread may call these functions with its own canvas.
//
//   PlotDynamics({.analysis = analysis, .posterior = posterior, .seen = states}, &canvas);
#pragma once

#include <string>
#include <vector>

#include "gpode/analysis.h"
#include "report/draw/canvas.h"

namespace gpode::report {

struct DynamicsPicture {
  const Analysis& analysis;
  const Posterior& posterior;
  Matrix seen = {};  // (n, D): the observed states
};

// Draws the picture of one analysis. The model must have at least two states.
void PlotDynamics(const DynamicsPicture& picture, Canvas* canvas);

// Draws the first state of the fixed points of all draws, and the range of limit cycles, over the
// values of an input.
void PlotSweep(const std::string& input, const std::vector<double>& values,
               const std::vector<Analysis>& sweep, Canvas* canvas);

}  // namespace gpode::report
