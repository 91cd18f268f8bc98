// A plot for the terminal: braille characters, each a grid of 2 by 4 dots, with labelled axes.
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
  double spacing = 0.5;  // between the dots of a curve, in dots; above 1 the curve is dotted
  int colour = 0;        // a code of ECMA-48's "select graphic rendition"; 0 is none
};

class BrailleCanvas {
 public:
  BrailleCanvas(std::size_t columns, std::size_t rows, const Window& window);

  // The polygon through the rows of points (n, 2). What lies outside the window, or is not finite,
  // is left out. Where curves meet in one character, the last one's colour counts.
  void Curve(const Matrix& points, const Pen& pen);
  // One character in place of dots. Marks and dots hide each other: the later one is seen.
  void Mark(double x, double y, std::string_view character, int colour = 0);

  // The canvas with axes, ticks at round numbers, and their labels; lines end in '\n'.
  std::string Framed(std::string_view x_label, std::string_view y_label, bool coloured) const;

 private:
  struct Cell {
    unsigned dots = 0;  // braille's own numbering of bits
    std::string mark;   // shown instead, unless empty
    int colour = 0;
  };

  // From the plane to dots, counted from the upper left corner; may lie outside.
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
