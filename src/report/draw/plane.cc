#include "report/draw/plane.h"

#include <algorithm>
#include <cmath>

#include "report/draw/streamlines.h"

namespace gpode::report {
namespace {

constexpr Eigen::Index kSide = kCells + 2, kShades = 64;

// Returns the colour of an uncertainty, from white to a light orange, on which lines of all other
// colours are visible.
Colour ShadeOf(double uncertainty) {
  const double share = std::isfinite(uncertainty) ? 0.75 * std::clamp(uncertainty, 0.0, 1.0) : 0.75;
  const auto mix = [&](double to) { return 1 + share * (to - 1); };
  return {mix(kOrange.red), mix(kOrange.green), mix(kOrange.blue)};
}

// Returns the uncertainties of all shades in increasing order.
Vector Shades() {
  return (Vector::LinSpaced(kShades, 0, kShades - 1).array() + 0.5) / double{kShades};
}

}  // namespace

Matrix CellCentres(const Plane& plane) {
  Matrix points = plane.held.transpose().replicate(kSide * kSide, 1);
  for (Eigen::Index i = 0; i < kSide; ++i) {
    for (Eigen::Index j = 0; j < kSide; ++j) {
      const double right = (static_cast<double>(j) - 0.5) / kCells,
                   down = (static_cast<double>(i) - 0.5) / kCells;
      points(i * kSide + j, plane.first) = plane.x.from + right * (plane.x.to - plane.x.from);
      points(i * kSide + j, plane.second) = plane.y.to - down * (plane.y.to - plane.y.from);
    }
  }
  return points;
}

void SetField(const Matrix& field, const Vector& uncertainty, Plane* plane) {
  plane->slope_x.resize(kSide, kSide);
  plane->slope_y.resize(kSide, kSide);
  plane->uncertainty.resize(kSide, kSide);
  for (Eigen::Index k = 0; k < field.rows(); ++k) {
    const Eigen::Index i = k / kSide, j = k % kSide;
    plane->slope_x(i, j) = field(k, plane->first) / (plane->x.to - plane->x.from);
    plane->slope_y(i, j) = field(k, plane->second) / (plane->y.to - plane->y.from);
    plane->uncertainty(i, j) = uncertainty[k];
  }
}

Point SlopeAt(const Plane& plane, const Point& shares) {
  const double right = shares.x * kCells + 0.5, down = (1 - shares.y) * kCells + 0.5;
  const auto cell = [](double at) {
    return std::clamp<Eigen::Index>(std::lround(std::floor(at)), 0, kCells);
  };
  const Eigen::Index j = cell(right), i = cell(down);
  const double r = right - static_cast<double>(j), d = down - static_cast<double>(i);
  const auto between = [&](const Matrix& v) {
    return (1 - d) * ((1 - r) * v(i, j) + r * v(i, j + 1)) +
           d * ((1 - r) * v(i + 1, j) + r * v(i + 1, j + 1));
  };
  return {between(plane.slope_x), between(plane.slope_y)};
}

void DrawShading(const Plane& plane, const Box& inside, Canvas* canvas) {
  const double cell_x = inside.width() / kCells, cell_y = inside.height() / kCells;
  canvas->Clip(inside);
  canvas->Image(
      {inside.left - cell_x, inside.top - cell_y, inside.right + cell_x, inside.bottom + cell_y},
      plane.uncertainty, ShadeOf);
  canvas->Unclip();
}

void DrawStreamlines(const Plane& plane, const Panel& panel, int cells, const Stroke& stroke,
                     Canvas* canvas) {
  const Box& inside = panel.inside();
  const auto place = [&](const Point& share) {
    return Point{inside.left + share.x * inside.width(), inside.bottom - share.y * inside.height()};
  };
  const auto slope = [&](const Point& at) { return SlopeAt(plane, at); };
  canvas->Clip(inside);
  for (const std::vector<Point>& line : Streamlines(slope, cells)) {
    std::vector<Point> points;
    for (const Point& share : line) points.push_back(place(share));
    canvas->Line(points, stroke);
    const Point &tip = points[points.size() / 2 + 1], &before = points[points.size() / 2 - 1];
    canvas->ArrowHead(tip, std::atan2(tip.y - before.y, tip.x - before.x), 3.6, stroke.colour);
  }
  canvas->Unclip();
}

double ColourBarRoom(const Canvas& canvas) {
  return 14 + canvas.TextWidth("0.0", canvas.tick_size()) + canvas.size().font_size;
}

void DrawColourBar(const Box& bar, const std::string& name, Canvas* canvas) {
  canvas->Clip(bar);
  // The image is a little longer than the bar, since interpolation would fade the shades at its
  // ends.
  const double more = bar.height() / double{kShades};
  canvas->Image(
      {bar.left - bar.width(), bar.top - more / 2, bar.right + bar.width(), bar.bottom + more / 2},
      Shades().reverse().replicate(1, 3), ShadeOf);
  canvas->Unclip();
  canvas->Outline(bar, {.width = 0.6});
  double widest = 0;
  for (const Tick& tick : TicksOf({}, 5)) {
    const double at = bar.bottom - tick.value * bar.height();
    const Point ends[] = {{bar.right, at}, {bar.right + 2.5, at}};
    canvas->Line(ends, {.width = 0.6});
    canvas->Text({bar.right + 5, at}, tick.text,
                 {Across::kLeft, Along::kMiddle, canvas->tick_size()});
    widest = std::max(widest, canvas->TextWidth(tick.text, canvas->tick_size()));
  }
  canvas->Text({bar.right + 8 + widest + canvas->size().font_size / 2, (bar.top + bar.bottom) / 2},
               canvas->Fitted(name, bar.height()), {Across::kCentre, Along::kMiddle, 0, true});
}

Key ShadesKey(const std::string& least, const std::string& most) {
  const auto draw = [least, most](Canvas* canvas, const Box& box) {
    const double middle = (box.top + box.bottom) / 2;
    const TextPlace place{Across::kLeft, Along::kMiddle, canvas->tick_size()};
    const Box bar{box.left + canvas->TextWidth(least, place.size) + 2, box.top,
                  box.right - canvas->TextWidth(most, place.size) - 4, box.bottom};
    canvas->Clip(bar);
    const double more = bar.width() / double{kShades};
    canvas->Image({bar.left - more / 2, bar.top - bar.height(), bar.right + more / 2,
                   bar.bottom + bar.height()},
                  Shades().transpose().replicate(3, 1), ShadeOf);
    canvas->Unclip();
    canvas->Outline(bar, {.width = 0.6});
    canvas->Text({box.left, middle}, least, place);
    canvas->Text({bar.right + 2, middle}, most, place);
  };
  return {draw, 10};
}

}  // namespace gpode::report
