#include "report/draw/canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "io/files.h"
#include "io/number_text.h"
#include "report/draw/printable.h"

namespace gpode::report {
namespace {

constexpr double kPixelsPerPoint = 300.0 / 72;
constexpr double kCapitalHeight = 0.72;  // height of capitals and digits, relative to the font size

// Fonts of an SVG file. The first is the one that cairo uses for "sans-serif" on most Linux
// systems, so that texts look as wide as they were measured.
constexpr std::string_view kSvgFonts = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

cairo_status_t Append(void* bytes, const unsigned char* data, unsigned int length) {
  auto* const all = static_cast<std::vector<std::byte>*>(bytes);
  const auto* const from = reinterpret_cast<const std::byte*>(data);
  all->insert(all->end(), from, from + length);
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* NewSurface(Format format, const CanvasSize& size, std::vector<std::byte>* bytes) {
  switch (format) {
    case Format::kSvg: {
      cairo_surface_t* const svg =
          cairo_svg_surface_create_for_stream(Append, bytes, size.width, size.height);
      cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PT);
      return svg;
    }
    case Format::kPdf: {
      cairo_surface_t* const pdf =
          cairo_pdf_surface_create_for_stream(Append, bytes, size.width, size.height);
      // Without a date of creation, equal pictures make equal files.
      cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "");
      return pdf;
    }
    case Format::kPng:
      break;
  }
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                    static_cast<int>(std::lround(size.width * kPixelsPerPoint)),
                                    static_cast<int>(std::lround(size.height * kPixelsPerPoint)));
}

void CheckStatus(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("plot: drawing failed: {}", cairo_status_to_string(status)));
}

// Returns the corners of a mark, or none if its shape is round or a cross. All shapes have about
// the area of a dot.
std::vector<Point> CornersOf(const Point& at, const Mark& mark) {
  const double r = mark.radius, half = 0.9 * r;
  switch (mark.shape) {
    case MarkShape::kDiamond:
      return {{at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, {at.x - r, at.y}};
    case MarkShape::kSquare:
      return {{at.x - half, at.y - half},
              {at.x + half, at.y - half},
              {at.x + half, at.y + half},
              {at.x - half, at.y + half}};
    case MarkShape::kTriangle:
      return {{at.x, at.y - 1.3 * r},
              {at.x + 1.15 * r, at.y + 0.7 * r},
              {at.x - 1.15 * r, at.y + 0.7 * r}};
    default:
      return {};
  }
}

std::string XmlOf(std::string_view text) {
  std::string all;
  for (char c : text) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      default:
        all += c;
    }
  }
  return all;
}

// Inserts the text before the tag that closes the file.
void InsertAtEnd(std::string_view text, std::vector<std::byte>* svg) {
  constexpr std::string_view kEnd = "</svg>";
  const std::string_view all(reinterpret_cast<const char*>(svg->data()), svg->size());
  const std::size_t end = all.rfind(kEnd);
  if (end == std::string_view::npos) throw std::runtime_error("plot: cairo's SVG has no end");
  const auto bytes = std::as_bytes(std::span(text));
  svg->insert(svg->begin() + static_cast<std::ptrdiff_t>(end), bytes.begin(), bytes.end());
}

bool IsFinite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

// Returns the distance of a point from a line segment.
double Distance(const Point& p, const Point& from, const Point& to) {
  const double x = to.x - from.x, y = to.y - from.y, squared = x * x + y * y;
  const double along = squared > 0 ? ((p.x - from.x) * x + (p.y - from.y) * y) / squared : 0;
  const double share = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.x - from.x - share * x, p.y - from.y - share * y);
}

// Returns which point between points[first] and points[last] is farthest from the straight line
// between these two, or nothing if all are so close to the line that the difference is invisible.
std::optional<std::size_t> Farthest(std::span<const Point> points, std::size_t first,
                                    std::size_t last) {
  double farthest = 0.03;  // a hundredth of a millimetre
  std::optional<std::size_t> at;
  for (std::size_t i = first + 1; i < last; ++i) {
    const double distance = Distance(points[i], points[first], points[last]);
    if (distance <= farthest) continue;
    farthest = distance;
    at = i;
  }
  return at;
}

// Marks those points from first to last that a simplified line needs (Douglas and Peucker): splits
// the line at the farthest point as long as one is visibly off.
void Keep(std::span<const Point> points, std::size_t first, std::size_t last,
          std::vector<bool>* kept) {
  (*kept)[first] = (*kept)[last] = true;
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{first, last}};
  while (!parts.empty()) {
    const auto [from, to] = parts.back();
    parts.pop_back();
    const std::optional<std::size_t> at = Farthest(points, from, to);
    if (!at) continue;
    (*kept)[*at] = true;
    parts.emplace_back(from, *at);
    parts.emplace_back(*at, to);
  }
}

// Returns those points of a line without which it would look different; files become several times
// smaller. Keeps points that are not finite, which interrupt the line, and their neighbours.
std::vector<Point> Simplified(std::span<const Point> points) {
  std::vector<bool> kept(points.size(), false);
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first;
    while (last + 1 < points.size() && IsFinite(points[last]) && IsFinite(points[last + 1])) ++last;
    Keep(points, first, last, &kept);
    first = last + 1;
  }
  std::vector<Point> rest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (kept[i]) rest.push_back(points[i]);
  }
  return rest;
}

}  // namespace

Colour Faded(const Colour& colour, double opacity) {
  return {colour.red, colour.green, colour.blue, opacity};
}

std::optional<Format> FormatOf(std::string_view path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (internal::SameWord(ending, ".svg")) return Format::kSvg;
  if (internal::SameWord(ending, ".png")) return Format::kPng;
  if (internal::SameWord(ending, ".pdf")) return Format::kPdf;
  return {};
}

Canvas::Canvas(Format format, const CanvasSize& size)
    : format_(format),
      size_(size),
      surface_(NewSurface(format, size, &bytes_), cairo_surface_destroy),
      cairo_(cairo_create(surface_.get()), cairo_destroy) {
  CheckStatus(cairo_surface_status(surface_.get()));
  if (format == Format::kPng) cairo_scale(cairo_.get(), kPixelsPerPoint, kPixelsPerPoint);
  cairo_select_font_face(cairo_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  SetColour(kWhite);
  cairo_paint(cairo_.get());
}

void Canvas::SetColour(const Colour& colour) {
  cairo_set_source_rgba(cairo_.get(), colour.red, colour.green, colour.blue, colour.opacity);
}

void Canvas::Line(std::span<const Point> points, const Stroke& stroke) {
  cairo_t* const c = cairo_.get();
  bool drawing = false;
  for (const Point& p : Simplified(points)) {
    const bool finite = IsFinite(p);
    if (finite) drawing ? cairo_line_to(c, p.x, p.y) : cairo_move_to(c, p.x, p.y);
    drawing = finite;
  }
  SetColour(stroke.colour);
  cairo_set_line_width(c, stroke.width);
  cairo_set_dash(c, stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0);
  cairo_stroke(c);
}

void Canvas::Polygon(std::span<const Point> corners, const Colour& fill) {
  cairo_t* const c = cairo_.get();
  for (const Point& p : Simplified(corners)) {
    if (IsFinite(p)) cairo_line_to(c, p.x, p.y);
  }
  cairo_close_path(c);
  SetColour(fill);
  cairo_fill(c);
}

void Canvas::Rectangle(const Box& box, const Colour& fill) {
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width(), box.height());
  SetColour(fill);
  cairo_fill(cairo_.get());
}

void Canvas::Outline(const Box& box, const Stroke& stroke) {
  const Point corners[] = {{box.left, box.top},
                           {box.right, box.top},
                           {box.right, box.bottom},
                           {box.left, box.bottom},
                           {box.left, box.top}};
  Line(corners, stroke);
}

void Canvas::Draw(const Point& at, const Mark& mark) {
  if (!IsFinite(at)) return;
  const double r = mark.radius;
  if (mark.shape == MarkShape::kCross) {
    const Point falling[] = {{at.x - r, at.y - r}, {at.x + r, at.y + r}},
                rising[] = {{at.x - r, at.y + r}, {at.x + r, at.y - r}};
    Line(falling, {.colour = mark.colour, .width = 0.45 * r});
    Line(rising, {.colour = mark.colour, .width = 0.45 * r});
    return;
  }
  if (const std::vector<Point> corners = CornersOf(at, mark); !corners.empty()) {
    Polygon(corners, mark.colour);
    return;
  }
  cairo_t* const c = cairo_.get();
  cairo_new_sub_path(c);
  cairo_arc(c, at.x, at.y, r, 0, 2 * std::numbers::pi);
  SetColour(mark.colour);
  if (mark.shape == MarkShape::kDot) {
    cairo_fill(c);
  } else {
    cairo_set_line_width(c, 0.6);
    cairo_set_dash(c, nullptr, 0, 0);
    cairo_stroke(c);
  }
}

void Canvas::ArrowHead(const Point& tip, double angle, double length, const Colour& colour) {
  constexpr double kHalfOpening = 0.42;
  const auto corner = [&](double turn) {
    return Point{tip.x - length * std::cos(angle + turn), tip.y - length * std::sin(angle + turn)};
  };
  const Point corners[] = {tip, corner(kHalfOpening), corner(-kHalfOpening)};
  Polygon(corners, colour);
}

void Canvas::Image(const Box& box, const Matrix& values, Colour (*colour_of)(double)) {
  const int rows = static_cast<int>(values.rows()), columns = static_cast<int>(values.cols());
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows), cairo_surface_destroy);
  CheckStatus(cairo_surface_status(image.get()));
  cairo_surface_flush(image.get());
  unsigned char* const data = cairo_image_surface_get_data(image.get());
  const int stride = cairo_image_surface_get_stride(image.get());
  const auto byte = [](double share) {
    return static_cast<std::uint32_t>(std::lround(255 * share));
  };
  for (int i = 0; i < rows; ++i) {
    auto* const row = reinterpret_cast<std::uint32_t*>(data + std::ptrdiff_t{i} * stride);
    for (int j = 0; j < columns; ++j) {
      const Colour c = colour_of(values(i, j));
      row[j] = byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue);
    }
  }
  cairo_surface_mark_dirty(image.get());
  cairo_t* const c = cairo_.get();
  cairo_save(c);
  cairo_translate(c, box.left, box.top);
  cairo_scale(c, box.width() / columns, box.height() / rows);
  cairo_set_source_surface(c, image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_BILINEAR);
  cairo_paint(c);
  cairo_restore(c);
}

double Canvas::TextWidth(std::string_view text, double size) const {
  cairo_set_font_size(cairo_.get(), size > 0 ? size : size_.font_size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_.get(), Printable(text).c_str(), &extents);
  return extents.x_advance;
}

std::string Canvas::Fitted(std::string_view text, double width, double size) const {
  const std::vector<std::string> characters = PrintableCharacters(text);
  std::string all;
  for (const std::string& c : characters) all += c;
  if (characters.size() <= kLongestText && TextWidth(all, size) <= width) return all;
  std::string best = "…", begin, end;
  for (std::size_t i = 0; i < std::min(characters.size(), kLongestText); ++i) {
    const bool front = i % 2 == 0;
    if (front) begin += characters[i / 2];
    if (!front) end = characters[characters.size() - 1 - i / 2] + end;
    const std::string next = begin + "…" + end;
    if (TextWidth(next, size) > width) break;
    best = next;
  }
  return best;
}

void Canvas::Text(const Point& at, std::string_view text, const TextPlace& place) {
  const double size = place.size > 0 ? place.size : size_.font_size;
  const double width = TextWidth(text, size), height = kCapitalHeight * size;
  const Point offset{place.across == Across::kLeft     ? 0
                     : place.across == Across::kCentre ? -width / 2
                                                       : -width,
                     place.along == Along::kTop      ? height
                     : place.along == Along::kMiddle ? height / 2
                                                     : 0};
  if (format_ == Format::kSvg) return AddSvgText(at, offset, text, width, place.upright, size);
  cairo_t* const c = cairo_.get();
  cairo_save(c);
  cairo_translate(c, at.x, at.y);
  if (place.upright) cairo_rotate(c, -std::numbers::pi / 2);
  cairo_move_to(c, offset.x, offset.y);
  SetColour(kBlack);
  cairo_show_text(c, Printable(text).c_str());
  cairo_new_path(c);
  cairo_restore(c);
}

void Canvas::AddSvgText(const Point& at, const Point& offset, std::string_view text, double width,
                        bool upright, double size) {
  if (text.empty()) return;
  svg_text_ += fmt::format(
      "<text transform=\"translate({:.3f} {:.3f}){}\" x=\"{:.3f}\" y=\"{:.3f}\" "
      "font-size=\"{:g}\" textLength=\"{:.3f}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
      at.x, at.y, upright ? " rotate(-90)" : "", offset.x, offset.y, size, width,
      XmlOf(Printable(text)));
}

void Canvas::Clip(const Box& box) {
  cairo_save(cairo_.get());
  cairo_rectangle(cairo_.get(), box.left, box.top, box.width(), box.height());
  cairo_clip(cairo_.get());
}

void Canvas::Unclip() { cairo_restore(cairo_.get()); }

std::vector<std::byte> Canvas::Finish() {
  CheckStatus(cairo_status(cairo_.get()));
  if (format_ == Format::kPng) {
    CheckStatus(cairo_surface_write_to_png_stream(surface_.get(), Append, &bytes_));
  }
  cairo_surface_finish(surface_.get());
  CheckStatus(cairo_surface_status(surface_.get()));
  if (format_ == Format::kSvg) {
    InsertAtEnd(fmt::format("<g font-family=\"{}\" xml:space=\"preserve\">\n{}</g>\n", kSvgFonts,
                            svg_text_),
                &bytes_);
  }
  return std::move(bytes_);
}

void Canvas::Save(const std::string& path) { internal::WriteFile(path, Finish()); }

}  // namespace gpode::report
