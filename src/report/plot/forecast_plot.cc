// The forecast plot: channels over time with observations, median, credible bands and test points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpode/simulate.h"
#include "predict/shown_values.h"
#include "report/model_view.h"
#include "report/plot/plot.h"

namespace gpode::report {
namespace {

constexpr std::size_t kMostPanels = 4;
constexpr double kTimeMargin = 0.015;  // the margin at both ends of the axis, over its length
constexpr std::size_t kTimes = 401;
constexpr double kForecastShare = 0.5;  // default length of the forecast relative to the data's

const Colour kOuter = Faded(kSkyBlue, 0.35), kInner = Faded(kBlue, 0.35);
const Stroke kMedian{.colour = kBlue, .width = 1.1}, kDraw{.colour = kGrey, .width = 0.35},
    kEnd{.colour = kGrey, .width = 0.7, .dashes = {2, 1.5}};
constexpr Mark kSeen{.radius = 1.1};
constexpr Mark kTest{.shape = MarkShape::kCircle, .colour = kVermillion, .radius = 1.4};

std::vector<Eigen::Index> ChosenChannels(const PlotInput& input) {
  if (!input.options.channels.empty()) return input.options.channels;
  std::vector<Eigen::Index> first(std::min(input.model().channels.size(), kMostPanels));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

// Everything that one forecast plot shows.
struct Scene {
  std::size_t trajectory = 0;
  const Trajectory* seen = nullptr;
  std::vector<const Trajectory*> tests;
  double end = 0;  // time of the last observation
  Forecast forecast;
  LostDraws lost;
  Matrix median, low_50, high_50, low_95, high_95;
};

std::vector<double> TimesOf(const PlotInput& input, const Scene& scene) {
  const double start = input.model().start_times[scene.trajectory];
  const double span = scene.end > start ? scene.end - start : 1;
  double until = scene.tests.empty() ? scene.end + kForecastShare * span : scene.end;
  for (const Trajectory* test : scene.tests) until = std::max(until, test->times.back());
  // Without a given end, the forecast ends where the inputs do.
  const Model& model = input.model();
  if (scene.tests.empty() && !model.inputs.empty()) {
    until = std::min(until, model.input_samples[scene.trajectory].times.back());
  }
  until = input.options.until.value_or(until);
  return RegularTimes(start, until > start ? until : start + 1, kTimes);
}

Scene SceneOf(const PlotInput& input) {
  Scene scene;
  scene.trajectory = ChosenTrajectories(input).front();
  scene.seen = ObservationsOf(input, scene.trajectory);
  scene.end = input.model().end_times[scene.trajectory];
  for (std::size_t n = 0; n < input.test.trajectories.size(); ++n) {
    const Trajectory& test = input.test.trajectories[n];
    if (test.times.empty()) continue;
    if (input.continued[n] == scene.trajectory) scene.tests.push_back(&test);
  }
  scene.forecast = input.posterior.Trajectory(scene.trajectory, TimesOf(input, scene),
                                              input.Forecasts(Origin::kLatestState));
  scene.lost.Add(scene.forecast);
  const auto quantile = [&](double p) {
    return input.options.noise ? scene.forecast.PredictiveQuantile(p) : scene.forecast.Quantile(p);
  };
  scene.median = scene.forecast.Quantile(0.5);
  scene.low_50 = quantile(0.25);
  scene.high_50 = quantile(0.75);
  scene.low_95 = quantile(0.025);
  scene.high_95 = quantile(0.975);
  return scene;
}

// Returns an axis that shows all observations. It also shows the bands, but not farther beyond the
// observations than the range of the observations, since a wider axis would flatten the data.
Axis ValuesAxis(const Scene& scene, Eigen::Index channel, const std::string& name) {
  Extent core;
  if (scene.seen != nullptr) core.Add(ColumnOf(scene.seen->values, channel));
  for (const Trajectory* test : scene.tests) core.Add(ColumnOf(test->values, channel));
  if (core.empty() || !(core.span() > 0)) core.Add(ColumnOf(scene.median, channel));
  Extent all = core;
  const double margin = core.span();
  for (const Matrix* band : {&scene.median, &scene.low_95, &scene.high_95}) {
    for (double value : band->col(channel)) {
      if (std::isfinite(value)) {
        all.Add(std::clamp(value, core.least - margin, core.most + margin));
      }
    }
  }
  return AxisOf(all, name);
}

void DrawChannel(const PlotInput& input, const Scene& scene, Eigen::Index c, const Panel& panel) {
  const std::vector<double>& times = scene.forecast.times;
  panel.Band(times, ColumnOf(scene.low_95, c), ColumnOf(scene.high_95, c), kOuter);
  panel.Band(times, ColumnOf(scene.low_50, c), ColumnOf(scene.high_50, c), kInner);
  const std::size_t shown = std::min(input.options.shown_draws, scene.forecast.draws.size());
  for (std::size_t i = 0; i < shown; ++i) {
    panel.Line(times, ColumnOf(ShownValues(scene.forecast, scene.forecast.draws[i]), c), kDraw);
  }
  panel.Vertical(scene.end, kEnd);
  panel.Line(times, ColumnOf(scene.median, c), kMedian);
  for (const Trajectory* test : scene.tests) {
    panel.Marks(test->times, ColumnOf(test->values, c), kTest);
  }
  if (scene.seen != nullptr) panel.Marks(scene.seen->times, ColumnOf(scene.seen->values, c), kSeen);
  panel.Frame();
}

std::vector<LegendItem> LegendOf(const PlotInput& input, const Scene& scene) {
  std::vector<LegendItem> items;
  if (input.model().start_times.size() > 1) {
    items.push_back({"trajectory " + TrajectoryName(input.trained, scene.trajectory)});
  }
  if (scene.seen != nullptr) items.push_back({"observations", MarkKey(kSeen)});
  if (!scene.tests.empty()) items.push_back({"test points", MarkKey(kTest)});
  items.push_back({"median", LineKey(kMedian)});
  const std::string bands = input.options.noise ? "50, 95 % of observations" : "50, 95 % bands";
  items.push_back(
      {bands + (input.model().widening.IsZero() ? "" : ", widened"), BandKey(kOuter, kInner)});
  if (input.options.shown_draws > 0) items.push_back({"draws", LineKey(kDraw)});
  if (scene.end < scene.forecast.times.back()) {
    items.push_back({"end of the data", UprightLineKey(kEnd)});
  }
  if (scene.lost.many) {
    items.push_back({fmt::format("{} of {} draws lost", scene.lost.diverged + scene.lost.unfinished,
                                 scene.lost.draws)});
  }
  return items;
}

}  // namespace

double ForecastHeight(const PlotInput& input) {
  return 2.0 + 2.8 * static_cast<double>(ChosenChannels(input).size());
}

LostDraws PlotForecast(const PlotInput& input, Canvas* canvas) {
  const std::vector<Eigen::Index> channels = ChosenChannels(input);
  const Scene scene = SceneOf(input);
  const Box area = Legend(canvas, LegendOf(input, scene)).Draw(WholeArea(*canvas));
  const Calendar& calendar = input.trained.data.calendar;
  const Quantity time = TimeOf(input.trained.data);
  Axis x = AxisOf({scene.forecast.times.front(), scene.forecast.times.back()},
                  calendar.IsSet() ? time.name : time.Label(), kTimeMargin);
  x.calendar = calendar;
  std::vector<Axis> ys;
  for (Eigen::Index c : channels) {
    ys.push_back(ValuesAxis(scene, c, input.model().channels[static_cast<std::size_t>(c)]));
  }
  const std::vector<Panel> panels = StackPanels(canvas, area, x, ys);
  for (std::size_t i = 0; i < panels.size(); ++i) DrawChannel(input, scene, channels[i], panels[i]);
  return scene.lost;
}

}  // namespace gpode::report
