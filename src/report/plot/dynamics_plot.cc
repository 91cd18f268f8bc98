#include "report/plot/dynamics_plot.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "report/draw/figure.h"
#include "report/draw/plane.h"
#include "report/plot/contours.h"

namespace gpode::report {
namespace {

constexpr std::array kBasinColours = {kSkyBlue, kOrange, kGreen, kPurple};
constexpr Colour kCycleBasin{0.941, 0.894, 0.259}, kLeavesColour{0.6, 0.6, 0.6};
constexpr double kBasinOpacity = 0.5;
constexpr int kStreamCells = 20;
const Stroke kStream{.colour = {0.6, 0.6, 0.6}, .width = 0.4};
const Stroke kFirstNullcline{.colour = kVermillion, .width = 0.9},
    kSecondNullcline{.colour = kGreen, .width = 0.9},
    kSeparatrix{.colour = kBlack, .width = 0.9, .dashes = {3, 2}},
    kDrawCycle{.colour = Faded(kBlue, 0.2), .width = 0.5},
    kMeanCycle{.colour = kBlue, .width = 1.4}, kRegion{.colour = kBlack, .width = 0.7};
constexpr Mark kSeen{.colour = {0.35, 0.35, 0.35}, .radius = 0.8},
    kStable{.shape = MarkShape::kDot, .colour = kBlack, .radius = 2.4},
    kUnstable{.shape = MarkShape::kCircle, .colour = kBlack, .radius = 2.4},
    kSaddle{.shape = MarkShape::kCross, .colour = kBlack, .radius = 2.6};

Colour BasinColour(const BasinSummary& basins, std::size_t label) {
  const std::string& name = basins.labels[label];
  if (name == "limit cycle") return kCycleBasin;
  if (name == "leaves") return kLeavesColour;
  if (name == "undecided") return kWhite;
  return kBasinColours[label % kBasinColours.size()];
}

bool HasBasin(const BasinSummary& basins, std::size_t label) {
  return basins.labels[label] != "undecided" && basins.probabilities[label].maxCoeff() > 0.1;
}

// Draws each cell in the colours of the attractors that its solutions reach, mixed by probability.
void DrawBasins(const Analysis& a, const Panel& panel, Canvas* canvas) {
  const BasinSummary& basins = a.basins;
  if (basins.cells == 0) return;
  const auto side = static_cast<Eigen::Index>(basins.cells);
  const Vector cell = (a.box.upper - a.box.lower) / static_cast<double>(side);
  canvas->Clip(panel.inside());
  for (Eigen::Index i = 0; i < side; ++i) {
    for (Eigen::Index j = 0; j < side; ++j) {
      Colour mixed{0, 0, 0};
      for (std::size_t k = 0; k < basins.labels.size(); ++k) {
        const double p = basins.probabilities[k](i, j);
        const Colour colour = BasinColour(basins, k);
        const auto shade = [p](double c) { return p * (1 - kBasinOpacity * (1 - c)); };
        mixed.red += shade(colour.red);
        mixed.green += shade(colour.green);
        mixed.blue += shade(colour.blue);
      }
      const double x = a.box.lower[0] + static_cast<double>(i) * cell[0],
                   y = a.box.lower[1] + static_cast<double>(j) * cell[1];
      const Point low = panel.At(x, y), high = panel.At(x + 1.04 * cell[0], y + 1.04 * cell[1]);
      canvas->Rectangle({low.x, high.y, high.x, low.y}, mixed);
    }
  }
  canvas->Unclip();
}

// Draws streamlines of the mean field in the plane of the first two states; the others are held at
// the middle of the box.
void DrawMeanField(const DynamicsPicture& picture, const Panel& panel, const Axis& x, const Axis& y,
                   Canvas* canvas) {
  const Analysis& a = picture.analysis;
  Plane plane{.held = a.box.Centre(), .x = x, .y = y};
  const Matrix centres = CellCentres(plane);
  SetField(picture.posterior.FieldMean(
               centres, a.inputs.size() > 0 ? Matrix(a.inputs.transpose()) : Matrix()),
           Vector::Zero(centres.rows()), &plane);
  DrawStreamlines(plane, panel, kStreamCells, kStream, canvas);
}

void DrawPath(const Matrix& states, const Panel& panel, const Stroke& stroke) {
  panel.Line(ColumnOf(states, 0), ColumnOf(states, 1), stroke);
}

void DrawNullclines(const DynamicsPicture& picture, const Panel& panel) {
  const Analysis& a = picture.analysis;
  if (a.states.size() != 2) return;
  const GridValues grid = EvaluateOnGrid(a.box, [&](const Matrix& points) {
    return picture.posterior.FieldMean(
        points, a.inputs.size() > 0 ? Matrix(a.inputs.transpose()) : Matrix());
  });
  for (Eigen::Index d = 0; d < 2; ++d) {
    for (const Matrix& line : ZeroContours(grid, d)) {
      DrawPath(line, panel, d == 0 ? kFirstNullcline : kSecondNullcline);
    }
  }
}

// Draws the ellipse that contains 90 % of a normal distribution.
void DrawRegion(const PointSummary& point, const Panel& panel) {
  constexpr double kRadius =
      2.146;  // the square root of the quantile 0.9 of chi-squared, 2 degrees
  constexpr int kCorners = 60;
  const Eigen::Matrix2d covariance = point.covariance.topLeftCorner(2, 2);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> factors(covariance);
  const Eigen::Matrix2d root =
      factors.eigenvectors() * factors.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  std::vector<double> x, y;
  for (int i = 0; i <= kCorners; ++i) {
    const double angle = 2 * std::numbers::pi * i / kCorners;
    const Eigen::Vector2d at =
        point.mean.head<2>() + kRadius * root * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    x.push_back(at[0]);
    y.push_back(at[1]);
  }
  panel.Line(x, y, kRegion);
}

Mark MarkOf(const PointSummary& point) {
  if (point.types[static_cast<std::size_t>(FixedPointType::kSaddle)] > 0.5) return kSaddle;
  return point.stable > 0.5 ? kStable : kUnstable;
}

void DrawPoints(const Analysis& a, const Panel& panel, Canvas* canvas) {
  for (std::size_t g = 0; g < a.points.size(); ++g) {
    const PointSummary& point = a.points[g];
    DrawRegion(point, panel);
    const double x[] = {point.mean[0]}, y[] = {point.mean[1]};
    panel.Marks(x, y, MarkOf(point));
    const Point at = panel.At(x[0], y[0]);
    const std::string text = fmt::format("{}: {:.2f}", g + 1, point.probability);
    const bool fits =
        at.x + 4 + canvas->TextWidth(text, canvas->tick_size()) < panel.inside().right;
    canvas->Text({fits ? at.x + 4 : at.x - 4, at.y - 5}, text,
                 {fits ? Across::kLeft : Across::kRight, Along::kBottom, canvas->tick_size()});
  }
}

std::vector<LegendItem> LegendOf(const DynamicsPicture& picture) {
  const Analysis& a = picture.analysis;
  std::vector<LegendItem> items;
  for (std::size_t k = 0; k < a.basins.labels.size(); ++k) {
    if (!HasBasin(a.basins, k)) continue;
    const std::string& name = a.basins.labels[k];
    items.push_back({name == "leaves" ? name : "to " + name,
                     BandKey(Faded(BasinColour(a.basins, k), kBasinOpacity))});
  }
  if (a.basins.cells == 0) items.push_back({"mean field", ArrowKey(kStream)});
  if (a.states.size() == 2) {
    items.push_back({fmt::format("d{}/dt = 0", a.states[0]), LineKey(kFirstNullcline)});
    items.push_back({fmt::format("d{}/dt = 0", a.states[1]), LineKey(kSecondNullcline)});
  }
  if (!a.separatrices.empty()) items.push_back({"separatrix", LineKey(kSeparatrix)});
  if (!a.mean_cycles.empty()) items.push_back({"limit cycle, mean field", LineKey(kMeanCycle)});
  bool stable = false, unstable = false, saddle = false;
  for (const PointSummary& point : a.points) {
    const MarkShape shape = MarkOf(point).shape;
    stable = stable || shape == kStable.shape;
    unstable = unstable || shape == kUnstable.shape;
    saddle = saddle || shape == kSaddle.shape;
  }
  if (stable) items.push_back({"stable", MarkKey(kStable)});
  if (unstable) items.push_back({"unstable", MarkKey(kUnstable)});
  if (saddle) items.push_back({"saddle", MarkKey(kSaddle)});
  if (!a.points.empty()) items.push_back({"number: probability"});
  if (picture.seen.rows() > 0) items.push_back({"observations", MarkKey(kSeen)});
  return items;
}

}  // namespace

void PlotDynamics(const DynamicsPicture& picture, Canvas* canvas) {
  const Analysis& a = picture.analysis;
  const Box area = Legend(canvas, LegendOf(picture)).Draw(WholeArea(*canvas));
  const Axis x{.from = a.box.lower[0], .to = a.box.upper[0], .label = a.states[0]},
      y{.from = a.box.lower[1], .to = a.box.upper[1], .label = a.states[1]};
  const Panel panel = OnePanel(canvas, area, x, y);
  DrawBasins(a, panel, canvas);
  if (a.basins.cells == 0) DrawMeanField(picture, panel, x, y, canvas);
  DrawNullclines(picture, panel);
  if (picture.seen.rows() > 0) {
    panel.Marks(ColumnOf(picture.seen, 0), ColumnOf(picture.seen, 1), kSeen);
  }
  for (const Matrix& line : a.separatrices) DrawPath(line, panel, kSeparatrix);
  for (const Matrix& cycle : a.oscillation.cycles) DrawPath(cycle, panel, kDrawCycle);
  for (const LimitCycle& cycle : a.mean_cycles) DrawPath(cycle.states, panel, kMeanCycle);
  DrawPoints(a, panel, canvas);
  panel.Frame();
}

void PlotSweep(const std::string& input, const std::vector<double>& values,
               const std::vector<Analysis>& sweep, Canvas* canvas) {
  const Mark kStableDot{.colour = Faded(kBlue, 0.5), .radius = 0.9},
      kUnstableDot{.shape = MarkShape::kCircle, .colour = Faded(kVermillion, 0.6), .radius = 0.9},
      kCycleDot{.shape = MarkShape::kDiamond, .colour = Faded(kGreen, 0.5), .radius = 1.1};
  const Legend legend(canvas, {{"stable fixed points of draws", MarkKey(kStableDot)},
                               {"unstable", MarkKey(kUnstableDot)},
                               {"ends of limit cycles", MarkKey(kCycleDot)}});
  const Box area = legend.Draw(WholeArea(*canvas));
  Extent x, y;
  x.Add(values);
  std::array<std::vector<double>, 3> at, height;  // stable, unstable, cycles
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    for (const PointSummary& point : sweep[i].points) {
      for (Eigen::Index k = 0; k < point.states.rows(); ++k) {
        const std::size_t kind = point.is_stable[static_cast<std::size_t>(k)] ? 0 : 1;
        at[kind].push_back(values[i]);
        height[kind].push_back(point.states(k, 0));
      }
    }
    for (const Matrix& cycle : sweep[i].oscillation.cycles) {
      for (const double end : {cycle.col(0).minCoeff(), cycle.col(0).maxCoeff()}) {
        at[2].push_back(values[i]);
        height[2].push_back(end);
      }
    }
  }
  for (const std::vector<double>& heights : height) y.Add(heights);
  if (y.empty()) y.Add(sweep.front().box.lower[0]), y.Add(sweep.front().box.upper[0]);
  const Panel panel =
      OnePanel(canvas, area, AxisOf(x, input, 0.03), AxisOf(y, sweep.front().states[0]));
  panel.Marks(at[1], height[1], kUnstableDot);
  panel.Marks(at[0], height[0], kStableDot);
  panel.Marks(at[2], height[2], kCycleDot);
  panel.Frame();
}

}  // namespace gpode::report
