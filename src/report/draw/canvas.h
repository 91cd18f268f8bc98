// A canvas for figures, drawn with cairo: the same calls make an SVG, PNG or PDF file.
//
// Coordinates are in typographic points (1/72 inch), from the top left corner. PNG files have 300
// pixels per inch. Text may be any bytes: whatever is not printable UTF-8 is shown as U+FFFD.
// Points with coordinates that are not finite interrupt lines and get no marks.
//
// Text in an SVG file is real text that can be searched, selected and edited; cairo alone would
// draw the outlines of letters. Text elements are added at the end of cairo's file, and therefore
// above everything else. They state their width as measured here, so that another font on another
// machine cannot change the layout.
//
// Thread safety: a canvas belongs to one thread.
//
//   Canvas canvas(FormatOf("fig.svg").value(), {.width = 241, .height = 160, .font_size = 7.5});
//   canvas.Line(points, {.colour = kBlue});
//   canvas.Save("fig.svg");
#pragma once

#include <cairo.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpode/field.h"

namespace gpode::report {

struct Colour {
  double red = 0, green = 0, blue = 0, opacity = 1;
};
// Okabe and Ito's palette, which colour-blind readers can tell apart.
inline constexpr Colour kBlack{0, 0, 0}, kOrange{0.902, 0.624, 0}, kSkyBlue{0.337, 0.706, 0.914},
    kGreen{0, 0.620, 0.451}, kBlue{0, 0.447, 0.698}, kVermillion{0.835, 0.369, 0},
    kPurple{0.8, 0.475, 0.655}, kGrey{0.4, 0.4, 0.4}, kLightGrey{0.86, 0.86, 0.86}, kWhite{1, 1, 1};
// Returns the colour with another opacity.
Colour Faded(const Colour& colour, double opacity);

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct Stroke {
  Colour colour = kBlack;
  double width = 0.8;
  std::vector<double> dashes = {};
};

enum class MarkShape { kDot, kCircle, kDiamond, kSquare, kTriangle, kCross };
struct Mark {
  MarkShape shape = MarkShape::kDot;
  Colour colour = kBlack;
  double radius = 1.2;
};

// The part of a text that lies at the point at which the text is drawn.
enum class Across { kLeft, kCentre, kRight };
enum class Along { kTop, kMiddle, kBottom };
struct TextPlace {
  Across across = Across::kLeft;
  Along along = Along::kMiddle;
  double size = 0;       // font size; 0 stands for that of the canvas
  bool upright = false;  // true if rotated by 90 degrees, to be read from bottom to top
};

enum class Format { kSvg, kPng, kPdf };
// Returns the format that the file name's extension stands for, or nothing.
std::optional<Format> FormatOf(std::string_view path);

struct CanvasSize {
  double width = 0, height = 0, font_size = 0;
};

class Canvas {
 public:
  Canvas(Format format, const CanvasSize& size);
  Canvas(const Canvas&) = delete;  // cairo keeps a pointer to bytes_

  const CanvasSize& size() const { return size_; }
  double tick_size() const { return 0.9 * size_.font_size; }

  void Line(std::span<const Point> points, const Stroke& stroke);
  void Polygon(std::span<const Point> corners, const Colour& fill);
  void Rectangle(const Box& box, const Colour& fill);
  void Outline(const Box& box, const Stroke& stroke);
  void Draw(const Point& at, const Mark& mark);
  // Draws a triangle with its tip at `tip` that points in the direction `angle`, in radians,
  // clockwise from the right.
  void ArrowHead(const Point& tip, double angle, double length, const Colour& colour);
  // Draws values (rows, columns) as an image; the first row is at the top.
  void Image(const Box& box, const Matrix& values, Colour (*colour_of)(double));

  void Text(const Point& at, std::string_view text, const TextPlace& place = {});
  double TextWidth(std::string_view text, double size = 0) const;
  // Returns the text or, if it is wider than `width`, as much of its beginning and end as fits,
  // with "…" between them: long names often differ only at their beginning or end.
  std::string Fitted(std::string_view text, double width, double size = 0) const;

  // Restricts drawing to the box until Unclip.
  void Clip(const Box& box);
  void Unclip();

  // Finishes the picture and returns the bytes of its file. Nothing can be drawn afterwards.
  std::vector<std::byte> Finish();
  // Finishes the picture and writes it; throws an InputError if the file cannot be written.
  void Save(const std::string& path);

 private:
  void SetColour(const Colour& colour);
  void AddSvgText(const Point& at, const Point& offset, std::string_view text, double width,
                  bool upright, double size);

  Format format_;
  CanvasSize size_;
  std::vector<std::byte> bytes_;
  std::string svg_text_;  // text elements, to be added at the end of the file
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo_;
};

}  // namespace gpode::report
