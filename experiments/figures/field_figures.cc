// Figures of the vector fields of simulated systems: the true one, and the one that every method
// learns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/figures/paper_figures.h"
#include "experiments/paper_tasks.h"
#include "gpode/model_file.h"
#include "gpode/posterior.h"
#include "gpode/simulate.h"
#include "gpode/systems.h"
#include "io/files.h"
#include "report/draw/plane.h"

namespace gpode::experiments {
namespace {

using namespace report;

constexpr std::size_t kMostColumns = 4, kTimes = 201, kShownDraws = 12;
constexpr int kStreamCells = 16;
constexpr double kPanelHeight = 42, kAround = 24;  // in mm
constexpr double kFree = 0.12;
// The standard deviation of the darkest shade, relative to the true field's root mean square (RMS).
constexpr double kDarkest = 0.5;
const Stroke kStream{.colour = {0.5, 0.5, 0.5}, .width = 0.4},
    kTruth{.colour = kBlack, .width = 0.9, .dashes = {2.5, 1.5}};
constexpr Mark kSeen{.radius = 1.1};

struct FieldTask {
  const char* name;
  PaperTask (*make)();
};
constexpr FieldTask kTasks[] = {{"vdp-regular", VanDerPolRegular},
                                {"vdp-irregular", VanDerPolIrregular},
                                {"fhn", [] { return FitzHughNagumoGap(); }}};

// The data that all panels of a figure share.
struct Scene {
  PaperTask task;
  Matrix truth;                    // (2 kTimes, 2), from time 0 to the end of data and test
  std::vector<double> test_times;  // from the first test time to the last
  Plane plane;                     // the plane with the true field
  double size = 1;                 // the root mean square (RMS) of the true field
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

// Returns the vector field that a method has learnt, on the axes of the scene.
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

// Draws the panel of a method or, if `posterior` is null, of the truth.
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

// Returns the number of columns with which the panels take the fewest rows and fill them most
// evenly.
std::size_t ColumnsFor(std::size_t panels) {
  const std::size_t rows = (panels + kMostColumns - 1) / kMostColumns;
  return (panels + rows - 1) / rows;
}

PaperFigure DrawTask(const FieldTask& task, const std::vector<PaperRun>& runs) {
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
  for (const FieldTask& task : kTasks) {
    const std::vector<PaperRun> runs = FirstModels(RunsOfTask(results, task.name));
    if (!runs.empty()) figures.push_back(DrawTask(task, runs));
  }
  return figures;
}

}  // namespace gpode::experiments
