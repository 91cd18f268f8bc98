// Panels with axes on a canvas, stacked or in a grid, and a legend above them.
//
// Margins are computed from the measured sizes of labels, so that no label is cut off or covers
// another. The legend has its own lines above the panels and never covers data.
//
// Thread safety: a panel belongs to the thread of its canvas.
//
//   const Legend legend(&canvas, {{"median", LineKey({.colour = kBlue})}});
//   std::vector<Panel> panels = StackPanels(&canvas, legend.Draw(area), x_axis, {y_axis});
//   panels[0].Line(times, values, {.colour = kBlue});
//   panels[0].Frame();
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "report/draw/canvas.h"
#include "report/draw/ticks.h"

namespace gpode::report {

// The range of the finite values among those added.
struct Extent {
  double least = HUGE_VAL, most = -HUGE_VAL;

  void Add(double value);
  void Add(std::span<const double> values);
  bool empty() const { return !(least <= most); }
  double span() const { return most - least; }
};
// Returns a column of the matrix.
std::vector<double> ColumnOf(const Matrix& values, Eigen::Index column);
// Returns the least value that an axis should show: the lower quartile minus three interquartile
// ranges, or -infinity if no value is finite. Lower values are outliers: the bound in the first
// steps of training is often so low that all later ones would look equal.
double LeastShown(std::span<const double> values);
// Returns an axis over the extent, with a margin at both ends that is this share of the extent.
Axis AxisOf(Extent extent, const std::string& label, double margin = 0.05);

class Panel {
 public:
  // `edge` is the left edge of the vertical axis's label.
  Panel(Canvas* canvas, const Box& inside, double edge, Axis x, Axis y);

  const Box& inside() const { return inside_; }
  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }
  Point At(double x, double y) const;

  // The functions below draw in the coordinates of the axes. Parts outside the panel are not drawn.
  void Line(std::span<const double> x, std::span<const double> y, const Stroke& stroke) const;
  void Band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
            const Colour& fill) const;
  // Marks that would cover each other completely are drawn once.
  void Marks(std::span<const double> x, std::span<const double> y, const Mark& mark) const;
  void Bar(double left, double right, double height, const Colour& fill) const;
  void Vertical(double x, const Stroke& stroke) const;

  // Draws axes, ticks and labels. Must be called last, so that they are above the data.
  void Frame() const;

 private:
  void FrameX() const;
  void FrameY() const;

  Canvas* canvas_;
  Box inside_;
  double edge_;
  Axis x_, y_;
};

// The exception that is thrown if the labels leave too little of a canvas for the panels.
struct CanvasTooSmall : std::runtime_error {
  explicit CanvasTooSmall(bool in_width)
      : std::runtime_error("the labels leave no room for the panels"), across(in_width) {}

  bool across;  // true if the width is too small, false if the height is
};

// Returns panels that share a horizontal axis, from top to bottom.
std::vector<Panel> StackPanels(Canvas* canvas, const Box& area, const Axis& x,
                               const std::vector<Axis>& ys);
// A panel of a grid.
struct GridCell {
  Axis x, y;
  std::string title = {};
};
// Returns aligned panels of equal width in a grid with this number of columns, with their titles
// above them. The heights of the rows are proportional to `row_shares`, or equal if there are none.
std::vector<Panel> GridPanels(Canvas* canvas, const Box& area, std::size_t columns,
                              const std::vector<GridCell>& cells,
                              std::vector<double> row_shares = {});
// Returns the panel that fills the area together with its labels.
Panel OnePanel(Canvas* canvas, const Box& area, const Axis& x, const Axis& y);

// The little drawing before a legend's label; `width` is relative to the font size.
struct Key {
  std::function<void(Canvas*, const Box&)> draw = {};
  double width = 0;
};
Key LineKey(const Stroke& stroke);
Key UprightLineKey(const Stroke& stroke);
Key MarkKey(const Mark& mark);
Key ArrowKey(const Stroke& stroke);
// Returns a key of two nested bands, or of one if the inner colour is transparent.
Key BandKey(const Colour& outer, const Colour& inner = {0, 0, 0, 0});

struct LegendItem {
  std::string label;
  Key key = {};  // the drawing beside the label; by default there is none
};

class Legend {
 public:
  Legend(Canvas* canvas, std::vector<LegendItem> items);
  // Draws the legend at the top of the area, in as many lines as it needs; returns the rest of the
  // area.
  Box Draw(const Box& area) const;

 private:
  Canvas* canvas_;
  std::vector<LegendItem> items_;
};

// Returns the area of the canvas inside a small margin.
Box WholeArea(const Canvas& canvas);

}  // namespace gpode::report
