// The vector fields of simulated systems: the truth, and what every method makes of the data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/paper_tasks.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"
#include "gpode/simulate.h"
#include "gpode/systems.h"
#include "io/files.h"
#include "paper_figures.h"
#include "plane.h"

namespace gpode::tool {
namespace {

constexpr std::size_t kMostColumns = 4, kTimes = 201, kShownDraws = 12;
constexpr int kStreamCells = 16;
constexpr double kPanelHeight = 42, kAround = 24;  // mm
constexpr double kFree = 0.12;
constexpr double kDarkest = 0.5;  // standard deviation, in root mean squares of the true field
const Stroke kStream{.colour = {0.5, 0.5, 0.5}, .width = 0.4},
    kTruth{.colour = kBlack, .width = 0.9, .dashes = {2.5, 1.5}};
constexpr Mark kSeen{.radius = 1.1};

struct Task {
  const char* name;
  PaperTask (*make)();
};
constexpr Task kTasks[] = {{"vdp-regular", VanDerPolRegular},
                           {"vdp-irregular", VanDerPolIrregular},
                           {"fhn", [] { return FitzHughNagumoGap(); }}};

// What all panels of a figure share.
struct Scene {
  PaperTask task;
  Matrix truth;                    // (kTimes, 2), from time 0 to the end of data and test
  std::vector<double> test_times;  // from the first test point to the last
  Plane plane;                     // of the true field
  double size = 1;                 // the true field's root mean square
};

Scene SceneOf(const PaperTask& task) {
  Scene scene{.task = task, .truth = {}, .test_times = {}, .plane = {}};
  const Trajectory& seen = task.data.trajectories.front();
  const double end = std::max(seen.times.back(), task.test_times.back());
  scene.truth = SolveSystem(task.system, task.start, RegularTimes(0, end, 2 * kTimes));
  scene.test_times = RegularTimes(task.test_times.front(), task.test_times.back(), kTimes);
  Extent extents[2];
  for (Eigen::Index d = 0; d < 2; ++d) {
    extents[d].Add(ColumnOf(scene.truth, d));
    extents[d].Add(ColumnOf(seen.values, d));
  }
  Plane& plane = scene.plane;
  plane.held = Vector::Zero(2);
  plane.x = AxisOf(extents[0], "x₁", kFree);
  plane.y = AxisOf(extents[1], "x₂", kFree);
  const Matrix points = CellCentres(plane);
  const Matrix field = Evaluate(*MakeSystem(task.system), points);
  scene.size = std::sqrt(field.rowwise().squaredNorm().mean());
  SetField(field, Vector::Zero(points.rows()), &plane);
  return scene;
}

// The field of a method on the same axes.
Plane PlaneOf(const Posterior& posterior, const Scene& scene) {
  Plane plane = scene.plane;
  const Matrix points = CellCentres(plane);
  const Vector deviation = posterior.FieldVariance(points).rowwise().sum().cwiseMax(0).cwiseSqrt();
  SetField(posterior.FieldMean(points), deviation / (kDarkest * scene.size), &plane);
  return plane;
}

void DrawForecast(const Posterior& posterior, const Scene& scene, const Stroke& stroke,
                  const Panel& panel, Canvas* canvas) {
  const Forecast forecast = posterior.Trajectory(0, scene.test_times);
  const Stroke thin{.colour = Faded(stroke.colour, 0.6), .width = 0.4};
  for (std::size_t i = 0; i < std::min(kShownDraws, forecast.draws.size()); ++i) {
    panel.Line(ColumnOf(forecast.draws[i], 0), ColumnOf(forecast.draws[i], 1), thin);
  }
  const Matrix mean = forecast.Mean();
  panel.Line(ColumnOf(mean, 0), ColumnOf(mean, 1), {.colour = stroke.colour, .width = 1.5});
  NoteDiverged(forecast, panel, canvas);
}

// `posterior`: none for the truth.
void DrawPanel(const Posterior* posterior, const Scene& scene, const Stroke& stroke,
               const Panel& panel, Canvas* canvas) {
  const Plane plane = posterior != nullptr ? PlaneOf(*posterior, scene) : scene.plane;
  DrawShading(plane, panel.inside(), canvas);
  DrawStreamlines(plane, panel, kStreamCells, kStream, canvas);
  if (posterior != nullptr) DrawForecast(*posterior, scene, stroke, panel, canvas);
  panel.Line(ColumnOf(scene.truth, 0), ColumnOf(scene.truth, 1), kTruth);
  const Matrix& seen = scene.task.data.trajectories.front().values;
  panel.Marks(ColumnOf(seen, 0), ColumnOf(seen, 1), kSeen);
  panel.Frame();
}

std::vector<LegendItem> LegendOf(const std::vector<PaperRun>& runs) {
  return {{"observations", MarkKey(kSeen)},
          {"true trajectory", LineKey(kTruth)},
          {"field (learnt: its mean)", ArrowKey(kStream)},
          {"mean forecast at the test's times, in the method's colour", ColoursKey(runs, 1.5, 1)},
          {"draws of it", ColoursKey(runs, 0.5, 0.6)},
          {"standard deviation of the field (root mean square of the true field: 1)",
           ShadesKey("0", fmt::format("≥ {:g}", kDarkest))}};
}

// As few rows as there can be, as equal as they can be.
std::size_t ColumnsFor(std::size_t panels) {
  const std::size_t rows = (panels + kMostColumns - 1) / kMostColumns;
  return (panels + rows - 1) / rows;
}

PaperFigure DrawTask(const Task& task, const std::vector<PaperRun>& runs) {
  const Scene scene = SceneOf(task.make());
  const std::size_t count = runs.size() + 1, columns = ColumnsFor(count);
  std::vector<GridCell> cells;
  for (std::size_t i = 0; i < count; ++i) {
    cells.push_back(
        {scene.plane.x, scene.plane.y, i == 0 ? "truth" : StyleOf(runs[i - 1].model).title});
    cells.back().x.bare = i + columns < count;
    cells.back().y.bare = i % columns != 0;
  }
  const auto rows = static_cast<double>((count + columns - 1) / columns);
  PaperFigure figure{std::string("vector-fields-") + task.name + ".svg",
                     PaperCanvas(kAround + kPanelHeight * rows)};
  Canvas* const canvas = figure.canvas.get();
  const Box area = Legend(canvas, LegendOf(runs)).Draw(WholeArea(*canvas));
  const std::vector<Panel> panels = GridPanels(canvas, area, columns, cells);
  DrawPanel(nullptr, scene, {}, panels[0], canvas);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    internal::NamingFile(runs[i].file.string(), [&] {
      const Posterior posterior(LoadModel(runs[i].file));
      CheckSize("vector fields", "states", posterior.dim(), 2);
      DrawPanel(&posterior, scene, StyleOf(runs[i].model).stroke, panels[i + 1], canvas);
    });
  }
  return figure;
}

}  // namespace

PaperFigures DrawVectorFields(const std::filesystem::path& results) {
  PaperFigures figures;
  for (const Task& task : kTasks) {
    const std::vector<PaperRun> runs = FirstModels(RunsOfTask(results, task.name));
    if (!runs.empty()) figures.push_back(DrawTask(task, runs));
  }
  return figures;
}

}  // namespace gpode::tool
