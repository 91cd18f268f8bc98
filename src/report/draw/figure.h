// Panels with axes on a canvas, one above the other or in a grid, and the legend above them.
//
// Margins are measured from the labels, so that none is cut off or covers another. The legend has
// its own lines above the panels and never covers data.
//
// Thread safety: as its canvas.
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

// The least and the most of finite values.
struct Extent {
  double least = HUGE_VAL, most = -HUGE_VAL;

  void Add(double value);
  void Add(std::span<const double> values);
  bool empty() const { return !(least <= most); }
  double span() const { return most - least; }
};
// A column as plain numbers.
std::vector<double> ColumnOf(const Matrix& values, Eigen::Index column);
// Below this a value is better left out of an axis: three times the distance between quartiles
// below the lower one. A training's first bounds are often so far below the rest that it would be
// flat.
double LeastShown(std::span<const double> values);
// An axis that holds all of it, with a share of it free at both ends.
Axis AxisOf(Extent extent, const std::string& label, double free = 0.05);

class Panel {
 public:
  // `edge`: where the vertical axis's name begins.
  Panel(Canvas* canvas, const Box& inside, double edge, Axis x, Axis y);

  const Box& inside() const { return inside_; }
  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }
  Point At(double x, double y) const;

  // Nothing of these is drawn outside of the axes.
  void Line(std::span<const double> x, std::span<const double> y, const Stroke& stroke) const;
  void Band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
            const Colour& fill) const;
  // Marks that would cover one another wholly are drawn once.
  void Marks(std::span<const double> x, std::span<const double> y, const Mark& mark) const;
  void Bar(double left, double right, double height, const Colour& fill) const;
  void Vertical(double x, const Stroke& stroke) const;

  // Axes, ticks, numbers and names; last, over the data.
  void Frame() const;

 private:
  void FrameX() const;
  void FrameY() const;

  Canvas* canvas_;
  Box inside_;
  double edge_;
  Axis x_, y_;
};

// Thrown if the labels leave too little of a canvas for the panels.
struct CanvasTooSmall : std::runtime_error {
  explicit CanvasTooSmall(bool in_width)
      : std::runtime_error("the labels leave no room for the panels"), across(in_width) {}

  bool across;  // true: the width is too small, false: the height
};

// Panels of one horizontal axis, from top to bottom.
std::vector<Panel> StackPanels(Canvas* canvas, const Box& area, const Axis& x,
                               const std::vector<Axis>& ys);
// Panels in rows of `columns`, all of one width, whose insides are below one another; titles stand
// above them. Rows are as high as their shares say, or all alike.
struct GridCell {
  Axis x, y;
  std::string title = {};
};
std::vector<Panel> GridPanels(Canvas* canvas, const Box& area, std::size_t columns,
                              const std::vector<GridCell>& cells,
                              std::vector<double> row_shares = {});
// The panel that fills the area together with its labels.
Panel OnePanel(Canvas* canvas, const Box& area, const Axis& x, const Axis& y);

// What stands before a legend's words; `width` in sizes of the font.
struct Key {
  std::function<void(Canvas*, const Box&)> draw = {};
  double width = 0;
};
Key LineKey(const Stroke& stroke);
Key UprightLineKey(const Stroke& stroke);
Key MarkKey(const Mark& mark);
Key ArrowKey(const Stroke& stroke);
// The outer colour, and the inner one in its middle, if any.
Key BandKey(const Colour& outer, const Colour& inner = {0, 0, 0, 0});

struct LegendItem {
  std::string label;
  Key key = {};  // without: only words
};

class Legend {
 public:
  Legend(Canvas* canvas, std::vector<LegendItem> items);
  // At the top of the area, as many lines as it takes; returns what is left.
  Box Draw(const Box& area) const;

 private:
  Canvas* canvas_;
  std::vector<LegendItem> items_;
};

// The canvas without a small margin.
Box WholeArea(const Canvas& canvas);

}  // namespace gpode::report
