// The phase plot: streamlines of the mean vector field, its uncertainty, inducing points and
// trajectories.
#include "report/plot/plot.h"
#include "report/plot/portrait.h"

namespace gpode::report {
namespace {

constexpr int kStreamCells = 22;
const Stroke kStream{.colour = {0.35, 0.35, 0.35}, .width = 0.45},
    kMedian{.colour = kBlue, .width = 1.3};
constexpr Mark kSeen{.radius = 1.1},
    kInducing{.shape = MarkShape::kDiamond, .colour = kGreen, .radius = 2.4};

std::vector<LegendItem> LegendOf(const Portrait& portrait) {
  std::vector<LegendItem> items = {{"mean field", ArrowKey(kStream)},
                                   {"median path", LineKey(kMedian)}};
  bool seen = false;
  for (const PlanePath& path : portrait.paths) seen = seen || !path.seen_x.empty();
  if (seen) items.push_back({"observations", MarkKey(kSeen)});
  if (portrait.inducing.rows() > 0) items.push_back({"inducing points", MarkKey(kInducing)});
  if (!portrait.others.empty()) items.push_back({portrait.others});
  if (!portrait.thinned.empty()) items.push_back({portrait.thinned});
  return items;
}

}  // namespace

void PlotPhase(const PlotInput& input, Canvas* canvas) {
  const Portrait portrait = PortraitOf(input);
  const Box area = Legend(canvas, LegendOf(portrait)).Draw(WholeArea(*canvas));
  const Panel panel = DrawPortrait(portrait, area, canvas);
  DrawStreamlines(portrait, panel, kStreamCells, kStream, canvas);
  panel.Marks(ColumnOf(portrait.inducing, 0), ColumnOf(portrait.inducing, 1), kInducing);
  for (const PlanePath& path : portrait.paths) panel.Line(path.median_x, path.median_y, kMedian);
  for (const PlanePath& path : portrait.paths) panel.Marks(path.seen_x, path.seen_y, kSeen);
  panel.Frame();
}

}  // namespace gpode::report
