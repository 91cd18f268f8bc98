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

#include "gpode/field.h"

namespace gpode::report {

// The part of the plane that is shown.
struct Window {
  double left, right, bottom, top;
};

struct Pen {
  double spacing = 0.5;  // of the dots along a curve, in dots; above 1 the curve is dotted
  int colour = 0;        // a code of ECMA-48's "select graphic rendition"; 0: none
};

class BrailleCanvas {
 public:
  BrailleCanvas(std::size_t columns, std::size_t rows, const Window& window);

  // Draws the line through the rows of points (n, 2), except what is outside the window or not
  // finite. A character that several curves pass through has the colour of the last one.
  void Curve(const Matrix& points, const Pen& pen);
  // Draws one character in place of dots. Marks and dots replace each other: the later one is seen.
  void Mark(double x, double y, std::string_view character, int colour = 0);

  // Returns the canvas with axes, ticks at round numbers and labels; lines end in '\n'.
  std::string Framed(std::string_view x_label, std::string_view y_label, bool coloured) const;

 private:
  struct Cell {
    unsigned dots = 0;  // bits in the order of Unicode's braille block
    std::string mark;   // shown instead of the dots unless empty
    int colour = 0;
  };

  // Return the position in dots from the upper left corner, which may be outside.
  double Across(double x) const;
  double Down(double y) const;
  Cell* CellAt(double across, double down);  // null outside
  void Dot(double across, double down, int colour);
  std::string RowText(std::size_t row, bool coloured) const;
  std::string XAxis(std::string_view label, std::size_t indent) const;

  std::size_t columns_, rows_;
  Window window_;
  std::vector<Cell> cells_;  // (rows, columns)
};

}  // namespace gpode::report
