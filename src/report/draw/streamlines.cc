#include "report/draw/streamlines.h"

#include <algorithm>
#include <cmath>

namespace gpode::report {
namespace {

constexpr double kStep = 0.004, kShortest = 0.12, kLongest = 3;

using Slope = std::function<Point(const Point&)>;

// Returns the direction of the slope, or nothing if the slope is zero or not finite.
std::optional<Point> Direction(const Slope& slope, const Point& at) {
  const Point f = slope(at);
  const double size = std::hypot(f.x, f.y);
  if (!(size > 0) || !std::isfinite(size)) return {};
  return Point{f.x / size, f.y / size};
}

// Returns the point after one step of the midpoint rule along the direction of the field, or
// nothing if the field vanishes. The length of a step does not depend on the field's size.
std::optional<Point> Follow(const Slope& slope, const Point& from, double step) {
  const auto first = Direction(slope, from);
  if (!first) return {};
  const auto middle =
      Direction(slope, {from.x + step / 2 * first->x, from.y + step / 2 * first->y});
  if (!middle) return {};
  // If the direction reverses within a step, the step has crossed a point where the field vanishes.
  if (first->x * middle->x + first->y * middle->y < 0) return {};
  return Point{from.x + step * middle->x, from.y + step * middle->y};
}

class Tracer {
 public:
  Tracer(const Slope& slope, int cells)
      : slope_(slope), cells_(cells), taken_(static_cast<std::size_t>(cells * cells), false) {}

  // Returns the line through a cell's centre; empty if the cell is taken or the line is too short.
  std::vector<Point> From(int column, int row) {
    const Point start{(column + 0.5) / cells_, (row + 0.5) / cells_};
    if (taken_[CellOf(start)]) return {};
    own_ = {CellOf(start)};
    taken_[own_.front()] = true;
    std::vector<Point> line = OneWay(start, -kStep);
    std::reverse(line.begin(), line.end());
    line.push_back(start);
    const std::vector<Point> forward = OneWay(start, kStep);
    line.insert(line.end(), forward.begin(), forward.end());
    if (static_cast<double>(line.size()) * kStep >= kShortest) return line;
    for (std::size_t cell : own_) taken_[cell] = false;
    return {};
  }

 private:
  std::size_t CellOf(const Point& at) const {
    const int column = std::clamp(static_cast<int>(at.x * cells_), 0, cells_ - 1),
              row = std::clamp(static_cast<int>(at.y * cells_), 0, cells_ - 1);
    return static_cast<std::size_t>(row * cells_ + column);
  }

  std::vector<Point> OneWay(Point at, double step) {
    std::vector<Point> line;
    std::size_t cell = CellOf(at);
    while (static_cast<double>(line.size()) * kStep < kLongest) {
      const std::optional<Point> next = Follow(slope_, at, step);
      if (!next || next->x < 0 || next->x > 1 || next->y < 0 || next->y > 1) break;
      at = *next;
      if (CellOf(at) != cell) {
        cell = CellOf(at);
        if (taken_[cell]) break;
        taken_[cell] = true;
        own_.push_back(cell);
      }
      line.push_back(at);
    }
    return line;
  }

  const Slope& slope_;
  int cells_;
  std::vector<bool> taken_;
  std::vector<std::size_t> own_;
};

}  // namespace

std::vector<std::vector<Point>> Streamlines(const Slope& slope, int cells) {
  Tracer tracer(slope, cells);
  std::vector<std::vector<Point>> lines;
  // Starts lines in rings of cells from the border inwards: lines from the border are the longest,
  // and cells that they leave free are filled afterwards.
  for (int ring = 0; 2 * ring < cells; ++ring) {
    const int last = cells - 1 - ring;
    for (int row = ring; row <= last; ++row) {
      const int stride = row == ring || row == last ? 1 : std::max(1, last - ring);
      for (int column = ring; column <= last; column += stride) {
        std::vector<Point> line = tracer.From(column, row);
        if (!line.empty()) lines.push_back(std::move(line));
      }
    }
  }
  return lines;
}

}  // namespace gpode::report
