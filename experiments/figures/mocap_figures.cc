// Figures of motion capture: a test sequence in the plane of principal components, and channels
// over time.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "experiments/figures/paper_figures.h"
#include "experiments/mocap.h"
#include "gpode/model_file.h"
#include "gpode/observation.h"
#include "gpode/posterior.h"
#include "io/files.h"

namespace gpode::experiments {
namespace {

using namespace report;

constexpr std::size_t kComponents = 3, kChannels = 6, kMostColumns = 5;
constexpr double kPlaneShare = 2.2;  // the height of a plane of components relative to a channel's
constexpr double kHeight = 205;      // the height of a figure in mm

constexpr Mark kStart{.shape = MarkShape::kCircle, .radius = 2};
const Stroke kTruth{.colour = kBlack, .width = 0.8, .dashes = {2.5, 1.5}};

// The data that all panels of a figure share.
struct Scene {
  ObservationMap components;
  Matrix test, test_scores;            // (T, channels), (T, kComponents)
  std::vector<double> times;           // (T)
  std::vector<Eigen::Index> channels;  // the channels that are shown
};

// Returns the channels with the largest variances, in their original order.
std::vector<Eigen::Index> MovingChannels(const Dataset& data) {
  Vector squares = Vector::Zero(data.trajectories.front().values.cols());
  for (const Trajectory& t : data.trajectories) {
    const Matrix centred = t.values.rowwise() - t.values.colwise().mean();
    squares += centred.colwise().squaredNorm().transpose();
  }
  std::vector<Eigen::Index> order(static_cast<std::size_t>(squares.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return squares[a] > squares[b]; });
  order.resize(std::min(order.size(), kChannels));
  std::sort(order.begin(), order.end());
  return order;
}

Scene SceneOf(const TaskInfo& task, const std::filesystem::path& folder) {
  const MocapSequences sequences = ReadMocapTask(task, folder);
  const Dataset data = FirstFrames(sequences.train, sequences.train.front().rows());
  Scene scene{.components = PrincipalComponents(data, kComponents),
              .test = sequences.test.front(),
              .test_scores = {},
              .times = {},
              .channels = MovingChannels(data)};
  scene.test_scores = scene.components.StatesOf(scene.test);
  scene.times = FrameTimes(scene.test.rows());
  return scene;
}

// A method's forecast of the test sequence.
struct Prediction {
  MethodStyle style;
  Forecast forecast;
  Matrix mean, low, high;  // (T, channels)
  Matrix scores;           // (T, kComponents), principal components of the mean
};

Prediction PredictionOf(const PaperRun& run, const Scene& scene) {
  const Posterior posterior(LoadModel(run.file));
  if (posterior.model().channels.size() != static_cast<std::size_t>(scene.test.cols())) {
    internal::ThrowAt(run.file.string(),
                      fmt::format("has {} channels, must have {} as the data",
                                  posterior.model().channels.size(), scene.test.cols()));
  }
  const std::span first(scene.test.data(), static_cast<std::size_t>(scene.test.cols()));
  Forecast forecast = posterior.From(posterior.StateOf(first), scene.times.front(), scene.times);
  Prediction prediction{.style = StyleOf(run.model),
                        .forecast = {},
                        .mean = forecast.Mean(),
                        .low = forecast.Quantile(0.025),
                        .high = forecast.Quantile(0.975),
                        .scores = {}};
  prediction.scores = scene.components.StatesOf(prediction.mean);
  prediction.forecast = std::move(forecast);
  return prediction;
}

// Returns an axis for the truth and for as much of the forecasts as leaves the truth readable.
Axis AxisFor(const std::vector<double>& truth, const std::vector<std::vector<double>>& others,
             const std::string& name) {
  Extent core;
  core.Add(truth);
  Extent all = core;
  const double margin = 0.5 * core.span();
  for (const std::vector<double>& values : others) {
    for (double value : values) {
      if (std::isfinite(value)) {
        all.Add(std::clamp(value, core.least - margin, core.most + margin));
      }
    }
  }
  return AxisOf(all, name);
}

// A row of panels. The first rows show component 2 and component 3 against component 1, the others
// channels against time.
struct Row {
  Axis x, y;
  double share;
  Eigen::Index across, along;  // two components, or -1 and a channel
};

Axis ComponentAxis(const Scene& scene, const std::vector<Prediction>& all, Eigen::Index component) {
  std::vector<std::vector<double>> others;
  for (const Prediction& p : all) others.push_back(ColumnOf(p.scores, component));
  return AxisFor(ColumnOf(scene.test_scores, component), others,
                 fmt::format("component {}", component + 1));
}

std::vector<Row> RowsOf(const Scene& scene, const std::vector<Prediction>& all) {
  std::vector<Row> rows;
  for (Eigen::Index component : {1, 2}) {
    rows.push_back({ComponentAxis(scene, all, 0), ComponentAxis(scene, all, component), kPlaneShare,
                    0, component});
  }
  rows.front().x.bare = true;
  const Axis time = AxisOf({scene.times.front(), scene.times.back()}, "time (s)", 0.02);
  for (Eigen::Index c : scene.channels) {
    std::vector<std::vector<double>> others;
    for (const Prediction& p : all) {
      for (const Matrix* values : {&p.low, &p.high}) others.push_back(ColumnOf(*values, c));
    }
    rows.push_back(
        {time, AxisFor(ColumnOf(scene.test, c), others, fmt::format("ch. {}", c + 1)), 1, -1, c});
    rows.back().x.bare = c != scene.channels.back();
  }
  return rows;
}

void DrawPanel(const Row& row, const Scene& scene, const Prediction& p, const Panel& panel,
               Canvas* canvas) {
  const Stroke mean{.colour = p.style.stroke.colour, .width = 1.1};
  if (row.across >= 0) {
    panel.Line(ColumnOf(p.scores, row.across), ColumnOf(p.scores, row.along), mean);
    panel.Line(ColumnOf(scene.test_scores, row.across), ColumnOf(scene.test_scores, row.along),
               kTruth);
    const double x[] = {scene.test_scores(0, row.across)}, y[] = {scene.test_scores(0, row.along)};
    panel.Marks(x, y, kStart);
    if (row.along == 1) NoteDiverged(p.forecast, panel, canvas);
  } else {
    panel.Band(scene.times, ColumnOf(p.low, row.along), ColumnOf(p.high, row.along),
               Faded(mean.colour, 0.3));
    panel.Line(scene.times, ColumnOf(p.mean, row.along), mean);
    panel.Line(scene.times, ColumnOf(scene.test, row.along), kTruth);
  }
  panel.Frame();
}

std::vector<LegendItem> LegendOf(const std::string& task, const std::vector<PaperRun>& runs) {
  return {{fmt::format("{}, first test sequence:", task)},
          {"truth", LineKey(kTruth)},
          {"first frame, where forecasts start", MarkKey(kStart)},
          {"mean forecast", ColoursKey(runs, 1.1, 1)},
          {"95 % of its draws, without the noise of observations", ColoursKey(runs, 5, 0.3)},
          {"components: principal ones of the training data, of unit variance"},
          {"ch.: the six channels that vary most"}};
}

PaperFigure DrawPage(const std::string& name, const std::string& task, const Scene& scene,
                     const std::vector<PaperRun>& runs) {
  std::vector<Prediction> all;
  for (const PaperRun& run : runs) {
    all.push_back(
        internal::NamingFile(run.file.string(), [&] { return PredictionOf(run, scene); }));
  }
  const std::vector<Row> rows = RowsOf(scene, all);
  std::vector<GridCell> cells;
  std::vector<double> shares;
  for (const Row& row : rows) {
    shares.push_back(row.share);
    for (std::size_t i = 0; i < all.size(); ++i) {
      cells.push_back({row.x, row.y, &row == &rows.front() ? all[i].style.title : std::string()});
      cells.back().y.bare = i > 0;
    }
  }
  PaperFigure figure{name, PaperCanvas(kHeight)};
  Canvas* const canvas = figure.canvas.get();
  const Box area = Legend(canvas, LegendOf(task, runs)).Draw(WholeArea(*canvas));
  const std::vector<Panel> panels = GridPanels(canvas, area, all.size(), cells, shares);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    DrawPanel(rows[i / all.size()], scene, all[i % all.size()], panels[i], canvas);
  }
  return figure;
}

}  // namespace

PaperFigures DrawMocap(const std::filesystem::path& results, const std::filesystem::path& data) {
  PaperFigures figures;
  for (const TaskInfo& task : AllTasks()) {
    if (task.kind != TaskKind::kMocap) continue;
    const std::vector<PaperRun> runs = FirstModels(RunsOfTask(results, task.name));
    const std::string subject = SubjectOf(task);
    if (runs.empty() || data.empty() || !HasMocap(data, subject)) continue;
    const Scene scene = SceneOf(task, data);
    // Methods that do not fit side by side get further files.
    for (std::size_t first = 0; first < runs.size(); first += kMostColumns) {
      const std::size_t last = std::min(runs.size(), first + kMostColumns);
      const std::string name = first == 0
                                   ? fmt::format("{}.svg", task.name)
                                   : fmt::format("{}-{}.svg", task.name, first / kMostColumns + 1);
      figures.push_back(DrawPage(name, task.name, scene,
                                 {runs.begin() + static_cast<std::ptrdiff_t>(first),
                                  runs.begin() + static_cast<std::ptrdiff_t>(last)}));
    }
  }
  return figures;
}

}  // namespace gpode::experiments
