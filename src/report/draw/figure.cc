#include "report/draw/figure.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace gpode::report {
namespace {

constexpr double kTickLength = 2.5, kGap = 2.5, kEdge = 3;
constexpr double kFrameWidth = 0.6;
constexpr double kBetweenPanels = 7;
constexpr std::size_t kLongestName = 150;  // bytes; longer names are shortened instead of wrapped
constexpr double kDigitHeight = 0.72;      // height of a digit, relative to the font size

// Returns ticks that do not crowd an axis of this length. Asks for length / usual ticks at first,
// or for kFewest if that is more, and then for fewer until neighbours a and b are at least
// room(a, b) apart or only two are asked for. `usual` is a typical distance between ticks.
template <typename Room>
std::vector<Tick> SpacedTicks(const Axis& axis, double length, double usual, Room room) {
  constexpr std::size_t kFewest = 4;  // the smallest number to begin with
  for (std::size_t most =
           std::max(kFewest, static_cast<std::size_t>(std::max(0.0, length / usual)));
       ; --most) {
    std::vector<Tick> ticks = TicksOf(axis, most);
    bool free = true;
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      const double apart = length * (axis.Share(ticks[i].value) - axis.Share(ticks[i - 1].value));
      free = free && apart >= room(ticks[i - 1], ticks[i]);
    }
    if (free || most <= 2) return ticks;
  }
}

std::vector<Tick> TicksAcross(const Canvas& canvas, const Axis& axis, double width) {
  const double size = canvas.tick_size();
  return SpacedTicks(axis, width, 4 * size, [&](const Tick& a, const Tick& b) {
    return (canvas.TextWidth(a.text, size) + canvas.TextWidth(b.text, size)) / 2 + 0.8 * size;
  });
}

std::vector<Tick> TicksAlong(const Canvas& canvas, const Axis& axis, double height) {
  const double size = canvas.tick_size();
  return SpacedTicks(axis, height, 2.2 * size,
                     [&](const Tick&, const Tick&) { return 1.3 * size; });
}

// Returns a label in one line or, if it is too long for that, in two.
std::vector<std::string> NameLines(const Canvas& canvas, const std::string& name, double length) {
  if (name.empty()) return {};
  const std::string shown = canvas.Fitted(name, length);
  if (shown == name || name.size() > kLongestName) return {shown};
  const std::size_t before = name.rfind(' ', name.size() / 2),
                    after = name.find(' ', name.size() / 2);
  if (before == std::string::npos && after == std::string::npos) return {shown};
  const bool late =
      before == std::string::npos || (after != std::string::npos && after + before < name.size());
  const std::size_t at = late ? after : before;
  return {canvas.Fitted(name.substr(0, at), length), canvas.Fitted(name.substr(at + 1), length)};
}

double LineHeight(const Canvas& canvas) { return 1.15 * canvas.size().font_size; }

double WidestText(const Canvas& canvas, const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks) {
    widest = std::max(widest, canvas.TextWidth(tick.text, canvas.tick_size()));
  }
  return widest;
}

double LeftMargin(const Canvas& canvas, const Axis& y, double height) {
  if (y.bare) return kTickLength;
  const auto lines = static_cast<double>(NameLines(canvas, y.label, height).size());
  const double name = lines > 0 ? lines * LineHeight(canvas) + kGap : 0;
  return name + WidestText(canvas, TicksAlong(canvas, y, height)) + kGap + kTickLength;
}

double BottomMargin(const Canvas& canvas, const Axis& x) {
  if (x.bare) return 0;
  const double name = x.label.empty() ? 0 : canvas.size().font_size + kGap;
  return kTickLength + kGap + kDigitHeight * canvas.tick_size() + name + 1;
}

void CheckRoom(bool across, double length) {
  constexpr double kLeast = 15;
  if (length < kLeast) throw CanvasTooSmall(across);
}

// Returns how far the number at the last tick extends beyond the end of the axis.
double RightMargin(const Canvas& canvas, const Axis& x, double width) {
  const std::vector<Tick> ticks = TicksAcross(canvas, x, width);
  if (ticks.empty() || x.bare) return 1;
  const double half = canvas.TextWidth(ticks.back().text, canvas.tick_size()) / 2;
  return std::max(1.0, half - width * (1 - x.Share(ticks.back().value)));
}

}  // namespace

void Extent::Add(double value) {
  if (!std::isfinite(value)) return;
  least = std::min(least, value);
  most = std::max(most, value);
}

void Extent::Add(std::span<const double> values) {
  for (double value : values) Add(value);
}

std::vector<double> ColumnOf(const Matrix& values, Eigen::Index column) {
  const auto numbers = values.col(column);
  return {numbers.begin(), numbers.end()};
}

double LeastShown(std::span<const double> values) {
  std::vector<double> sorted;
  for (double value : values) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  if (sorted.empty()) return -HUGE_VAL;
  std::sort(sorted.begin(), sorted.end());
  const double lower = sorted[sorted.size() / 4], upper = sorted[sorted.size() * 3 / 4];
  return lower - 3 * (upper - lower);
}

Axis AxisOf(Extent extent, const std::string& label, double margin) {
  if (extent.empty()) extent = {0, 1};
  const double size = std::max(std::abs(extent.least), std::abs(extent.most));
  const bool flat = !(extent.span() > 1e-9 * size);
  const double more = flat ? (size > 0 ? 0.1 * size : 1) : margin * extent.span();
  return {.from = extent.least - more, .to = extent.most + more, .label = label};
}

Panel::Panel(Canvas* canvas, const Box& inside, double edge, Axis x, Axis y)
    : canvas_(canvas), inside_(inside), edge_(edge), x_(std::move(x)), y_(std::move(y)) {}

Point Panel::At(double x, double y) const {
  // Places far outside are clamped to 20 lengths of an axis: file formats cannot hold large
  // numbers.
  const auto near = [](double share) { return std::clamp(share, -20.0, 20.0); };
  return {inside_.left + near(x_.Share(x)) * inside_.width(),
          inside_.bottom - near(y_.Share(y)) * inside_.height()};
}

void Panel::Line(std::span<const double> x, std::span<const double> y, const Stroke& stroke) const {
  std::vector<Point> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back(At(x[i], y[i]));
  canvas_->Clip(inside_);
  canvas_->Line(points, stroke);
  canvas_->Unclip();
}

void Panel::Band(std::span<const double> x, std::span<const double> low,
                 std::span<const double> high, const Colour& fill) const {
  std::vector<Point> corners;
  for (std::size_t i = 0; i < x.size(); ++i) corners.push_back(At(x[i], high[i]));
  for (std::size_t i = x.size(); i-- > 0;) corners.push_back(At(x[i], low[i]));
  canvas_->Clip(inside_);
  canvas_->Polygon(corners, fill);
  canvas_->Unclip();
}

void Panel::Marks(std::span<const double> x, std::span<const double> y, const Mark& mark) const {
  constexpr double kSame = 0.25;  // Marks closer than this, in points, count as one.
  std::set<std::pair<long, long>> drawn;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Point at = At(x[i], y[i]);
    const bool within = at.x >= inside_.left && at.x <= inside_.right && at.y >= inside_.top &&
                        at.y <= inside_.bottom;
    if (!within) continue;
    if (!drawn.insert({std::lround(at.x / kSame), std::lround(at.y / kSame)}).second) continue;
    canvas_->Draw(at, mark);
  }
}

void Panel::Bar(double left, double right, double height, const Colour& fill) const {
  const Point low = At(left, y_.from), high = At(right, height);
  canvas_->Rectangle({low.x + 0.3, high.y, high.x - 0.3, low.y}, fill);
}

void Panel::Vertical(double x, const Stroke& stroke) const {
  const double at = At(x, y_.from).x;
  if (!(at > inside_.left && at < inside_.right)) return;
  const Point ends[] = {{at, inside_.bottom}, {at, inside_.top}};
  canvas_->Line(ends, stroke);
}

void Panel::Frame() const {
  canvas_->Outline(inside_, {.width = kFrameWidth});
  FrameX();
  FrameY();
}

void Panel::FrameX() const {
  for (const Tick& tick : TicksAcross(*canvas_, x_, inside_.width())) {
    const double at = At(tick.value, y_.from).x;
    const Point ends[] = {{at, inside_.bottom}, {at, inside_.bottom + kTickLength}};
    canvas_->Line(ends, {.width = kFrameWidth});
    if (x_.bare) continue;
    canvas_->Text({at, inside_.bottom + kTickLength + kGap}, tick.text,
                  {Across::kCentre, Along::kTop, canvas_->tick_size()});
  }
  if (x_.bare || x_.label.empty()) return;
  const double below = kTickLength + 2 * kGap + kDigitHeight * canvas_->tick_size() + 1;
  canvas_->Text({(inside_.left + inside_.right) / 2, inside_.bottom + below},
                canvas_->Fitted(x_.label, inside_.width()), {Across::kCentre, Along::kTop});
}

void Panel::FrameY() const {
  const std::vector<Tick> ticks = TicksAlong(*canvas_, y_, inside_.height());
  const double half = kDigitHeight * canvas_->tick_size() / 2;
  for (const Tick& tick : ticks) {
    const double at = At(x_.from, tick.value).y;
    const Point ends[] = {{inside_.left - kTickLength, at}, {inside_.left, at}};
    canvas_->Line(ends, {.width = kFrameWidth});
    if (y_.bare) continue;
    // A number near an end of the axis moves inwards, away from the numbers of the next panel.
    const double inwards = std::clamp(at, inside_.top + half - 2, inside_.bottom - half + 2);
    canvas_->Text({inside_.left - kTickLength - kGap, inwards}, tick.text,
                  {Across::kRight, Along::kMiddle, canvas_->tick_size()});
  }
  if (y_.bare) return;
  double middle = edge_ + LineHeight(*canvas_) / 2;
  for (const std::string& line : NameLines(*canvas_, y_.label, inside_.height())) {
    canvas_->Text({middle, (inside_.top + inside_.bottom) / 2}, line,
                  {Across::kCentre, Along::kMiddle, 0, true});
    middle += LineHeight(*canvas_);
  }
}

std::vector<Panel> StackPanels(Canvas* canvas, const Box& area, const Axis& x,
                               const std::vector<Axis>& ys) {
  const auto count = static_cast<double>(ys.size());
  const double between = kBetweenPanels * (count - 1);
  const double height = (area.height() - BottomMargin(*canvas, x) - between) / count;
  double left = 0;
  for (const Axis& y : ys) left = std::max(left, LeftMargin(*canvas, y, height));
  const double width = area.width() - left;
  const double right = area.right - RightMargin(*canvas, x, width);
  CheckRoom(false, height);
  CheckRoom(true, right - area.left - left);
  std::vector<Panel> panels;
  double top = area.top;
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const Box inside{area.left + left, top, right, top + height};
    Axis own = x;
    own.bare = i + 1 < ys.size();
    panels.emplace_back(canvas, inside, area.left, own, ys[i]);
    top += height + kBetweenPanels;
  }
  return panels;
}

namespace {

// The place of a row or column of a grid of panels, along the vertical or horizontal direction.
struct Slot {
  double from, to;  // the ends of its panels, without labels
  double edge;      // the coordinate at which the titles or labels of the panels begin
};

std::vector<Slot> RowSlots(const Canvas& canvas, const Box& area, std::size_t columns,
                           const std::vector<GridCell>& cells, const std::vector<double>& shares,
                           double title_width) {
  std::vector<double> above(shares.size(), 0), below(shares.size(), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double &top = above[i / columns], &bottom = below[i / columns];
    const auto lines = static_cast<double>(NameLines(canvas, cells[i].title, title_width).size());
    if (lines > 0) top = std::max(top, lines * LineHeight(canvas) + kGap);
    // A panel in an upper row that has no panel below it needs no margin: its labels may use the
    // free space there.
    const bool covered = i + columns < cells.size() || i / columns + 1 == shares.size();
    if (covered) bottom = std::max(bottom, BottomMargin(canvas, cells[i].x));
  }
  double free = area.height() - kBetweenPanels * static_cast<double>(shares.size() - 1), all = 0;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    free -= above[r] + below[r];
    all += shares[r];
  }
  std::vector<Slot> slots;
  double top = area.top;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const double height = free * shares[r] / all;
    CheckRoom(false, height);
    slots.push_back({top + above[r], top + above[r] + height, top});
    top += above[r] + height + below[r] + kBetweenPanels;
  }
  return slots;
}

std::vector<Slot> ColumnSlots(const Canvas& canvas, const Box& area, std::size_t columns,
                              const std::vector<GridCell>& cells, const std::vector<Slot>& rows) {
  std::vector<double> left(columns, 0);
  double right = 0, free = area.width() - kBetweenPanels * static_cast<double>(columns - 1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Slot& row = rows[i / columns];
    double& own = left[i % columns];
    own = std::max(own, LeftMargin(canvas, cells[i].y, row.to - row.from));
  }
  for (double own : left) free -= own;
  for (std::size_t i = columns - 1; i < cells.size(); i += columns) {
    right = std::max(right, RightMargin(canvas, cells[i].x, free / static_cast<double>(columns)));
  }
  const double width = (free - right) / static_cast<double>(columns);
  CheckRoom(true, width);
  std::vector<Slot> slots;
  double edge = area.left;
  for (double own : left) {
    slots.push_back({edge + own, edge + own + width, edge});
    edge += own + width + kBetweenPanels;
  }
  return slots;
}

}  // namespace

std::vector<Panel> GridPanels(Canvas* canvas, const Box& area, std::size_t columns,
                              const std::vector<GridCell>& cells, std::vector<double> row_shares) {
  if (row_shares.empty()) row_shares.assign((cells.size() + columns - 1) / columns, 1);
  // The dependence is circular: titles wrap at the width of the columns, that width depends on the
  // widths of the axes' numbers, the numbers depend a little on the heights of the rows, and these
  // heights depend on how titles wrap. One pass with unwrapped titles gives widths that are good
  // enough.
  const std::vector<Slot> slots =
      ColumnSlots(*canvas, area, columns, cells,
                  RowSlots(*canvas, area, columns, cells, row_shares, area.width()));
  const double width = slots[0].to - slots[0].from;
  const std::vector<Slot> rows = RowSlots(*canvas, area, columns, cells, row_shares, width);
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Slot &row = rows[i / columns], &column = slots[i % columns];
    panels.emplace_back(canvas, Box{column.from, row.from, column.to, row.to}, column.edge,
                        cells[i].x, cells[i].y);
    const std::vector<std::string> lines = NameLines(*canvas, cells[i].title, width);
    double base = row.from - kGap - LineHeight(*canvas) * static_cast<double>(lines.size());
    for (const std::string& line : lines) {
      base += LineHeight(*canvas);
      canvas->Text({(column.from + column.to) / 2, base}, line, {Across::kCentre, Along::kBottom});
    }
  }
  return panels;
}

Panel OnePanel(Canvas* canvas, const Box& area, const Axis& x, const Axis& y) {
  return StackPanels(canvas, area, x, {y}).front();
}

Box WholeArea(const Canvas& canvas) {
  return {kEdge, kEdge, canvas.size().width - kEdge, canvas.size().height - kEdge};
}

}  // namespace gpode::report
