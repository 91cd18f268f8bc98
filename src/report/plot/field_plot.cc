// The field plot: the mean vector field as arrows on a grid. An arrow shows how far the state would
// move within a short time, a round number that the legend states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model_view.h"
#include "report/plot/plot.h"
#include "report/plot/portrait.h"

namespace gpode::report {
namespace {

constexpr double kLongestArrow = 1.6;  // the length of the longest arrow in cells of the grid
const Stroke kArrow{.colour = kBlack, .width = 0.5};
constexpr Mark kSeen{.colour = kBlue, .radius = 1.0};

struct Arrow {
  Point at, velocity;  // in typographic points, and in typographic points per unit of time
};

std::vector<Arrow> ArrowsOf(const Portrait& portrait, const Box& inside, std::size_t side) {
  std::vector<Arrow> arrows;
  for (std::size_t i = 0; i < side * side; ++i) {
    const Point share{(static_cast<double>(i % side) + 0.5) / static_cast<double>(side),
                      (static_cast<double>(i / side) + 0.5) / static_cast<double>(side)};
    const Point slope = SlopeAt(portrait, share);
    arrows.push_back(
        {{inside.left + share.x * inside.width(), inside.bottom - share.y * inside.height()},
         {slope.x * inside.width(), -slope.y * inside.height()}});
  }
  return arrows;
}

// Returns the largest time that is a round number and for which no arrow is longer than `longest`.
double RoundTime(const std::vector<Arrow>& arrows, double longest) {
  double fastest = 0;
  for (const Arrow& arrow : arrows) {
    const double speed = std::hypot(arrow.velocity.x, arrow.velocity.y);
    if (std::isfinite(speed)) fastest = std::max(fastest, speed);
  }
  return fastest > 0 ? RoundDown(longest / fastest) : 1;
}

void DrawArrow(const Arrow& arrow, double time, Canvas* canvas) {
  const Point half{arrow.velocity.x * time / 2, arrow.velocity.y * time / 2};
  const Point from{arrow.at.x - half.x, arrow.at.y - half.y},
      to{arrow.at.x + half.x, arrow.at.y + half.y};
  const double length = 2 * std::hypot(half.x, half.y);
  const double head = std::min(3.6, 0.6 * length);
  const Point neck{to.x - half.x * head / length, to.y - half.y * head / length};
  const Point ends[] = {from, neck};
  canvas->Line(ends, kArrow);
  if (length > 0) canvas->ArrowHead(to, std::atan2(half.y, half.x), head, kArrow.colour);
}

}  // namespace

void PlotField(const PlotInput& input, Canvas* canvas) {
  const Portrait portrait = PortraitOf(input);
  const std::size_t side = input.options.arrows;
  // The legend states the time of the arrows, and the panel's size depends on the legend's. The
  // time is therefore chosen for the whole area.
  const Box whole = WholeArea(*canvas);
  const double cell = std::min(whole.width(), whole.height()) / static_cast<double>(side);
  const double time = RoundTime(ArrowsOf(portrait, whole, side), kLongestArrow * cell);
  const std::string unit = TimeOf(input.trained.data).unit;
  const std::string span =
      unit.empty() ? fmt::format("time {:g}", time) : fmt::format("{:g} {}", time, unit);
  std::vector<LegendItem> items = {
      {fmt::format("mean field (motion in {})", span), ArrowKey(kArrow)},
      {"observations", MarkKey(kSeen)}};
  if (!portrait.others.empty()) items.push_back({portrait.others});
  if (!portrait.thinned.empty()) items.push_back({portrait.thinned});
  const Panel panel = DrawPortrait(portrait, Legend(canvas, items).Draw(whole), canvas);
  for (const PlanePath& path : portrait.paths) panel.Marks(path.seen_x, path.seen_y, kSeen);
  canvas->Clip(panel.inside());
  for (const Arrow& arrow : ArrowsOf(portrait, panel.inside(), side)) {
    DrawArrow(arrow, time, canvas);
  }
  canvas->Unclip();
  panel.Frame();
}

}  // namespace gpode::report
