// The training plot: bound, noise and shooting tolerance over steps or seconds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model_view.h"
#include "report/plot/plot.h"

namespace gpode::report {
namespace {

// The noise has a logarithmic axis if its largest value is more than this multiple of its smallest.
constexpr double kLogarithmicRatio = 10;

const Stroke kShooting{.colour = kVermillion, .width = 0.9}, kWhole{.colour = kBlue, .width = 0.9};

struct Series {
  std::string label;
  std::vector<double> values;
  bool logarithmic = false;
  bool hides_outliers = false;  // if true, values far below the others are left off the axis
};

const Stroke& StrokeOf(BoundKind phase) {
  return phase == BoundKind::kShooting ? kShooting : kWhole;
}

std::vector<Series> SeriesOf(const PlotInput& input) {
  const std::vector<Progress>& history = input.trained.history;
  const Quantity deviation{"noise", CommonUnit(QuantitiesOf(input.model().channels))};
  Series bound{"bound (nats)", {}, false, true}, noise{deviation.Label(), {}, false},
      tolerance{"tolerance (share of spread)", {}, true};
  for (const Progress& p : history) {
    const bool shooting = p.phase == BoundKind::kShooting && p.tolerance > 0;
    bound.values.push_back(p.bound);
    noise.values.push_back(p.noise);
    tolerance.values.push_back(shooting ? p.tolerance : std::nan(""));
  }
  Extent levels;
  levels.Add(noise.values);
  noise.logarithmic = levels.most > kLogarithmicRatio * levels.least;
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
  const double least = series.hides_outliers ? LeastShown(series.values) : -HUGE_VAL;
  Extent extent;
  for (double value : series.values) {
    if (value >= least) extent.Add(value);
  }
  const bool logarithmic = series.logarithmic && extent.least > 0 && !extent.empty();
  if (!logarithmic) return AxisOf(extent, series.label);
  const double more = std::max(1.05, std::pow(extent.most / extent.least, 0.08));
  return {.from = extent.least / more,
          .to = extent.most * more,
          .label = series.label,
          .logarithmic = true};
}

// Draws one line per phase of training, in the phase's colour.
void DrawSeries(const Series& series, const std::vector<Progress>& history,
                const std::vector<double>& places, const Panel& panel) {
  for (std::size_t begin = 0; begin < history.size();) {
    std::vector<double> along, values;
    const BoundKind phase = history[begin].phase;
    for (; begin < history.size() && history[begin].phase == phase; ++begin) {
      along.push_back(places[begin]);
      values.push_back(series.values[begin]);
    }
    panel.Line(along, values, StrokeOf(phase));
  }
  panel.Frame();
}

bool HasPhase(const std::vector<Progress>& history, BoundKind phase) {
  return std::any_of(history.begin(), history.end(),
                     [&](const Progress& p) { return p.phase == phase; });
}

std::vector<double> StepsOf(const std::vector<Progress>& history) {
  std::vector<double> steps;
  for (const Progress& p : history) steps.push_back(static_cast<double>(p.step));
  return steps;
}

}  // namespace

double TrainingHeight(const PlotInput& input) {
  return 1.7 + 2.6 * static_cast<double>(SeriesOf(input).size());
}

void PlotTraining(const PlotInput& input, Canvas* canvas) {
  const std::vector<Progress>& history = input.trained.history;
  std::vector<LegendItem> items;
  if (HasPhase(history, BoundKind::kShooting)) items.push_back({"shooting", LineKey(kShooting)});
  if (HasPhase(history, BoundKind::kVanilla)) {
    items.push_back({"whole trajectories", LineKey(kWhole)});
  }
  const std::vector<Series> all = SeriesOf(input);
  const std::size_t below = CountBelow(all.front());
  if (below > 0) items.push_back({fmt::format("({} of {} bounds below)", below, history.size())});
  const Box area = Legend(canvas, items).Draw(WholeArea(*canvas));
  std::vector<Axis> ys;
  for (const Series& series : all) ys.push_back(AxisFor(series));
  const bool by_seconds = !input.options.seconds.empty();
  const std::vector<double> places = by_seconds ? input.options.seconds : StepsOf(history);
  Extent all_places;
  all_places.Add(places);
  all_places.Add(0);
  Axis x = AxisOf(all_places, by_seconds ? "training (s)" : "step", 0);
  x.whole = !by_seconds;
  const std::vector<Panel> panels = StackPanels(canvas, area, x, ys);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    DrawSeries(all[i], history, places, panels[i]);
  }
}

}  // namespace gpode::report
