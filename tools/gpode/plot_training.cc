// How training went: bound, noise and tolerance over the steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/files.h"
#include "plot.h"

namespace gpode::tool {
namespace {

constexpr double kManyfold = 10;  // noises that differ by so much have a logarithmic axis

const Stroke kShooting{.colour = kVermillion, .width = 0.9}, kWhole{.colour = kBlue, .width = 0.9};

struct Series {
  std::string name;
  std::vector<double> values;
  bool logarithmic = false;
};

const Stroke& StrokeOf(BoundKind phase) {
  return phase == BoundKind::kShooting ? kShooting : kWhole;
}

std::vector<Series> SeriesOf(const std::vector<Progress>& history) {
  Series bound{"bound", {}, false}, noise{"noise", {}, false}, tolerance{"tolerance", {}, true};
  for (const Progress& p : history) {
    const bool shooting = p.phase == BoundKind::kShooting && p.tolerance > 0;
    bound.values.push_back(p.bound);
    noise.values.push_back(p.noise);
    tolerance.values.push_back(shooting ? p.tolerance : std::nan(""));
  }
  Extent levels;
  levels.Add(noise.values);
  noise.logarithmic = levels.most > kManyfold * levels.least;
  std::vector<Series> all = {bound, noise};
  const auto set = [](double value) { return std::isfinite(value); };
  if (std::any_of(tolerance.values.begin(), tolerance.values.end(), set)) all.push_back(tolerance);
  return all;
}

std::size_t CountBelow(const Series& series) {
  const double least = LeastShown(series.values);
  return static_cast<std::size_t>(std::count_if(series.values.begin(), series.values.end(),
                                                [&](double value) { return value < least; }));
}

Axis AxisFor(const Series& series) {
  const double least = series.name == "bound" ? LeastShown(series.values) : -HUGE_VAL;
  Extent extent;
  for (double value : series.values) {
    if (value >= least) extent.Add(value);
  }
  const bool logarithmic = series.logarithmic && extent.least > 0 && !extent.empty();
  if (!logarithmic) return AxisOf(extent, series.name);
  const double more = std::max(1.05, std::pow(extent.most / extent.least, 0.08));
  return {.from = extent.least / more,
          .to = extent.most * more,
          .label = series.name,
          .logarithmic = true};
}

// One line per phase, in its colour.
void DrawSeries(const Series& series, const std::vector<Progress>& history, const Panel& panel) {
  for (std::size_t begin = 0; begin < history.size();) {
    std::vector<double> steps, values;
    const BoundKind phase = history[begin].phase;
    for (; begin < history.size() && history[begin].phase == phase; ++begin) {
      steps.push_back(static_cast<double>(history[begin].step));
      values.push_back(series.values[begin]);
    }
    panel.Line(steps, values, StrokeOf(phase));
  }
  panel.Frame();
}

bool HasPhase(const std::vector<Progress>& history, BoundKind phase) {
  return std::any_of(history.begin(), history.end(),
                     [&](const Progress& p) { return p.phase == phase; });
}

void CheckHistory(const PlotInput& input) {
  if (input.trained.history.empty()) {
    internal::ThrowAt(input.arguments.model, "has no history of its training, must have one");
  }
}

}  // namespace

double TrainingHeight(const PlotInput& input) {
  CheckHistory(input);
  return 1.7 + 2.6 * static_cast<double>(SeriesOf(input.trained.history).size());
}

void PlotTraining(const PlotInput& input, Canvas* canvas) {
  CheckHistory(input);
  const std::vector<Progress>& history = input.trained.history;
  std::vector<LegendItem> items;
  if (HasPhase(history, BoundKind::kShooting)) items.push_back({"shooting", LineKey(kShooting)});
  if (HasPhase(history, BoundKind::kVanilla)) {
    items.push_back({"whole trajectories", LineKey(kWhole)});
  }
  const std::vector<Series> all = SeriesOf(history);
  const std::size_t below = CountBelow(all.front());
  if (below > 0) items.push_back({fmt::format("({} of {} bounds below)", below, history.size())});
  const Box area = Legend(canvas, items).Draw(WholeArea(*canvas));
  std::vector<Axis> ys;
  for (const Series& series : all) ys.push_back(AxisFor(series));
  Extent steps;
  for (const Progress& p : history) steps.Add(static_cast<double>(p.step));
  Axis x = AxisOf(steps, "step", 0);
  x.whole = true;
  const std::vector<Panel> panels = StackPanels(canvas, area, x, ys);
  for (std::size_t i = 0; i < panels.size(); ++i) DrawSeries(all[i], history, panels[i]);
}

}  // namespace gpode::tool
