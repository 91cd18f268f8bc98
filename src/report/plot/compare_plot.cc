#include "report/plot/compare_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/draw/figure.h"

namespace gpode::report {
namespace {

constexpr Mark kDiffers{.colour = kBlack, .radius = 0.7};

// Returns a colour between blue for -1, white for 0 and vermillion for 1.
Colour Diverging(double value) {
  const double share = std::min(1.0, std::abs(value));
  const Colour& end = value < 0 ? kBlue : kVermillion;
  const auto mix = [share](double to) { return 1 + share * (to - 1); };
  return {mix(end.red), mix(end.green), mix(end.blue)};
}

void PlotLine(const FieldDifference& d, Canvas* canvas) {
  const Stroke mean{.colour = kBlue, .width = 1.2};
  const Colour band = Faded(kBlue, 0.25);
  const Legend legend(canvas, {{"difference of the fields", LineKey(mean)},
                               {fmt::format("{:g} % band", 100 * d.level), BandKey(band)},
                               {"differs beyond chance", MarkKey(kDiffers)}});
  const Box area = legend.Draw(WholeArea(*canvas));
  const std::vector<double> x = ColumnOf(d.points, 0), low = ColumnOf(d.lower, 0),
                            high = ColumnOf(d.upper, 0), middle = ColumnOf(d.mean, 0);
  Extent across, along;
  across.Add(x);
  along.Add(low);
  along.Add(high);
  along.Add(0);
  const Panel panel = OnePanel(canvas, area, AxisOf(across, d.states[0]),
                               AxisOf(along, fmt::format("d{}/dt, A - B", d.states[0])));
  panel.Band(x, low, high, band);
  const double ends[] = {x.front(), x.back()}, zero[] = {0, 0};
  panel.Line(ends, zero, {.colour = kGrey, .width = 0.5});
  panel.Line(x, middle, mean);
  std::vector<double> marked_x, marked_y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!d.differs[i]) continue;
    marked_x.push_back(x[i]);
    marked_y.push_back(middle[i]);
  }
  panel.Marks(marked_x, marked_y, kDiffers);
  panel.Frame();
}

// Draws the difference of the fields in one of two components.
void DrawComponent(const FieldDifference& d, Eigen::Index state, const Panel& panel,
                   Canvas* canvas) {
  double largest = 0;
  for (Eigen::Index i = 0; i < d.points.rows(); ++i) {
    if (d.inside[static_cast<std::size_t>(i)]) {
      largest = std::max(largest, std::abs(d.mean(i, state)));
    }
  }
  const Vector cell = (d.box.upper - d.box.lower) / static_cast<double>(d.side - 1);
  std::vector<double> x, y;
  canvas->Clip(panel.inside());
  for (Eigen::Index i = 0; i < d.points.rows(); ++i) {
    if (!d.inside[static_cast<std::size_t>(i)]) continue;
    const Point low = panel.At(d.points(i, 0) - 0.52 * cell[0], d.points(i, 1) - 0.52 * cell[1]),
                high = panel.At(d.points(i, 0) + 0.52 * cell[0], d.points(i, 1) + 0.52 * cell[1]);
    canvas->Rectangle({low.x, high.y, high.x, low.y},
                      Diverging(largest > 0 ? d.mean(i, state) / largest : 0));
    if (!d.differs[static_cast<std::size_t>(2 * i + state)]) continue;
    x.push_back(d.points(i, 0));
    y.push_back(d.points(i, 1));
  }
  canvas->Unclip();
  panel.Marks(x, y, kDiffers);
  panel.Frame();
}

}  // namespace

void PlotDifference(const FieldDifference& d, Canvas* canvas) {
  if (d.states.size() == 1) return PlotLine(d, canvas);
  const Legend legend(canvas, {{"A below B", BandKey(kBlue)},
                               {"A above B", BandKey(kVermillion)},
                               {"differs beyond chance", MarkKey(kDiffers)},
                               {"white: no data of both"}});
  const Box area = legend.Draw(WholeArea(*canvas));
  const Axis x{.from = d.box.lower[0], .to = d.box.upper[0], .label = d.states[0]},
      y{.from = d.box.lower[1], .to = d.box.upper[1], .label = d.states[1]};
  std::vector<GridCell> cells;
  for (std::size_t k = 0; k < 2; ++k) {
    const double size = d.mean.col(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff();
    cells.push_back({x, y, fmt::format("d{}/dt, within {:.2g}", d.states[k], size)});
  }
  const std::vector<Panel> panels = GridPanels(canvas, area, 2, cells);
  for (Eigen::Index k = 0; k < 2; ++k) {
    DrawComponent(d, k, panels[static_cast<std::size_t>(k)], canvas);
  }
}

}  // namespace gpode::report
