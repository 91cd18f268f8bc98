// A plot for the terminal made of braille characters, each a grid of 2 by 4 dots, with labelled
// axes.
//
// Thread safety: a canvas belongs to one thread.
//
//   BrailleCanvas canvas(70, 20, {.left = -3, .right = 3, .bottom = -2, .top = 2});
//   canvas.Curve(states, {.spacing = 3});
//   fmt::print("{}", canvas.Framed("x1", "x2", false));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/calendar.h"
#include "gpode/field.h"
#include "report/draw/ticks.h"

namespace gpode::report {

// The part of the plane that is shown.
struct Window {
  double left, right, bottom, top;
  Calendar calendar = {};  // the calendar of the horizontal axis, if that shows dates
};

struct Pen {
  double spacing = 0.5;  // distance between drawn dots along a curve; above 1 the curve is dotted
  int colour = 0;        // a terminal's colour code (ECMA-48, "select graphic rendition"); 0: none
};

class BrailleCanvas {
 public:
  BrailleCanvas(std::size_t columns, std::size_t rows, const Window& window);

  // Draws the line through the rows of points (n, 2), except its parts outside the window or at
  // points that are not finite. A character that several curves cross has the colour of the last
  // one.
  void Curve(const Matrix& points, const Pen& pen);
  // Draws one character instead of dots. Of a mark and dots in the same place, the later is shown.
  void Mark(double x, double y, std::string_view character, int colour = 0);

  // Returns the canvas with axes, ticks at round numbers and labels; lines end in '\n'.
  std::string Framed(std::string_view x_label, std::string_view y_label, bool coloured) const;

 private:
  struct Cell {
    unsigned dots = 0;  // bits in the order of Unicode's braille block
    std::string mark;   // shown instead of the dots unless empty
    int colour = 0;
  };

  // These functions return the position of x or y, in dots from the upper left corner. It may be
  // outside the canvas.
  double Across(double x) const;
  double Down(double y) const;
  Cell* CellAt(double across, double down);  // nullptr outside the canvas
  void Dot(double across, double down, int colour);
  std::string RowText(std::size_t row, bool coloured) const;
  std::vector<Tick> XTicks() const;
  std::string XAxis(std::string_view label, std::size_t indent) const;

  std::size_t columns_, rows_;
  Window window_;
  std::vector<Cell> cells_;  // (rows, columns)
};

}  // namespace gpode::report
