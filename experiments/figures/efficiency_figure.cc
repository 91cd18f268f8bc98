// The figure of the bound against wall-clock time and against steps.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/figures/paper_figures.h"

namespace gpode::experiments {
namespace {

using namespace report;

using Series = std::vector<double> PaperRun::*;

bool HasHistory(const PaperRun& run) { return !run.bounds.empty(); }

Axis BoundAxis(const std::vector<PaperRun>& runs) {
  Extent extent;
  for (const PaperRun& run : runs) {
    const double least = LeastShown(run.bounds);
    for (double bound : run.bounds) {
      if (bound >= least) extent.Add(bound);
    }
  }
  return AxisOf(extent, "evidence lower bound (nats)");
}

std::size_t CountBelow(const std::vector<PaperRun>& runs, double least) {
  std::size_t count = 0;
  for (const PaperRun& run : runs) {
    count += static_cast<std::size_t>(std::count_if(run.bounds.begin(), run.bounds.end(),
                                                    [&](double bound) { return bound < least; }));
  }
  return count;
}

// Returns an axis for the times at which bounds are at least `least_bound`.
Axis TimeAxis(const std::vector<PaperRun>& runs, double least_bound) {
  Extent extent;
  for (const PaperRun& run : runs) {
    for (std::size_t i = 0; i < run.seconds.size(); ++i) {
      if (run.seconds[i] > 0 && run.bounds[i] >= least_bound) extent.Add(run.seconds[i]);
    }
  }
  if (extent.empty()) extent = {0.1, 1};
  return {.from = extent.least / 1.1,
          .to = extent.most * 1.1,
          .label = "wall-clock time of training (s)",
          .logarithmic = true};
}

Axis StepAxis(const std::vector<PaperRun>& runs) {
  Extent extent;
  for (const PaperRun& run : runs) extent.Add(run.steps);
  Axis axis = AxisOf(extent, "step of optimisation", 0.02);
  axis.whole = true;
  return axis;
}

PaperFigure DrawBounds(const std::vector<PaperRun>& runs) {
  const Axis y = BoundAxis(runs);
  Axis bare = y;
  bare.bare = true;
  std::vector<LegendItem> items;
  for (const std::string& method : MethodsOf(runs)) {
    items.push_back({StyleOf(method).title, LineKey(StyleOf(method).stroke)});
  }
  if (runs.size() > items.size()) items.push_back({"one line for every run"});
  if (const std::size_t below = CountBelow(runs, y.from); below > 0) {
    items.push_back({fmt::format("({} early bounds are below the axis)", below)});
  }
  PaperFigure figure{"efficiency.svg", PaperCanvas(65)};
  Canvas* const canvas = figure.canvas.get();
  const Box area = Legend(canvas, items).Draw(WholeArea(*canvas));
  const std::vector<Panel> panels =
      GridPanels(canvas, area, 2, {{TimeAxis(runs, y.from), y}, {StepAxis(runs), bare}});
  const Series across[] = {&PaperRun::seconds, &PaperRun::steps};
  for (std::size_t i = 0; i < panels.size(); ++i) {
    for (const PaperRun& run : runs) {
      Stroke stroke = StyleOf(run.model).stroke;
      stroke.width = 0.7;
      panels[i].Line(run.*across[i], run.bounds, stroke);
    }
    panels[i].Frame();
  }
  return figure;
}

}  // namespace

PaperFigures DrawEfficiency(const std::filesystem::path& results) {
  std::vector<PaperRun> runs = RunsOfTask(results, "efficiency");
  std::erase_if(runs, [](const PaperRun& run) { return !HasHistory(run); });
  PaperFigures figures;
  if (!runs.empty()) figures.push_back(DrawBounds(runs));
  return figures;
}

}  // namespace gpode::experiments
