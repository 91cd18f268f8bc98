#include <algorithm>
#include <utility>

#include "report/draw/figure.h"

namespace gpode::report {
namespace {

constexpr double kLongKey = 1.6, kShortKey = 0.6;
constexpr double kKeyGap = 3, kItemGap = 9, kLineSpacing = 1.35, kBelow = 4;

double Middle(const Box& box) { return (box.top + box.bottom) / 2; }
double Centre(const Box& box) { return (box.left + box.right) / 2; }

}  // namespace

Key LineKey(const Stroke& stroke) {
  const auto draw = [stroke](Canvas* canvas, const Box& box) {
    const Point ends[] = {{box.left, Middle(box)}, {box.right, Middle(box)}};
    canvas->Line(ends, stroke);
  };
  return {draw, kLongKey};
}

Key UprightLineKey(const Stroke& stroke) {
  const auto draw = [stroke](Canvas* canvas, const Box& box) {
    const Point ends[] = {{Centre(box), box.bottom}, {Centre(box), box.top}};
    canvas->Line(ends, stroke);
  };
  return {draw, kShortKey};
}

Key MarkKey(const Mark& mark) {
  const auto draw = [mark](Canvas* canvas, const Box& box) {
    canvas->Draw({Centre(box), Middle(box)}, mark);
  };
  return {draw, kShortKey};
}

Key ArrowKey(const Stroke& stroke) {
  const auto draw = [stroke](Canvas* canvas, const Box& box) {
    const Point ends[] = {{box.left, Middle(box)}, {box.right - 2, Middle(box)}};
    canvas->Line(ends, stroke);
    canvas->ArrowHead({box.right, Middle(box)}, 0, 4, stroke.colour);
  };
  return {draw, kLongKey};
}

Key BandKey(const Colour& outer, const Colour& inner) {
  const auto draw = [outer, inner](Canvas* canvas, const Box& box) {
    canvas->Rectangle(box, outer);
    const double quarter = box.height() / 4;
    canvas->Rectangle({box.left, box.top + quarter, box.right, box.bottom - quarter}, inner);
  };
  return {draw, kLongKey};
}

Legend::Legend(Canvas* canvas, std::vector<LegendItem> items)
    : canvas_(canvas), items_(std::move(items)) {}

Box Legend::Draw(const Box& area) const {
  const double line = kLineSpacing * canvas_->size().font_size;
  double left = area.left, top = area.top;
  for (const LegendItem& item : items_) {
    const double key = item.key.width * canvas_->size().font_size,
                 before = item.key.draw ? key + kKeyGap : 0;
    const std::string label = canvas_->Fitted(item.label, area.width() - before);
    const double width = before + canvas_->TextWidth(label);
    if (left > area.left && left + width > area.right) {
      left = area.left;
      top += line;
    }
    if (item.key.draw)
      item.key.draw(canvas_, {left, top + 0.2 * line, left + key, top + 0.8 * line});
    canvas_->Text({left + before, top + line / 2}, label);
    left += width + kItemGap;
  }
  Box rest = area;
  if (!items_.empty()) rest.top = top + line + kBelow;
  return rest;
}

}  // namespace gpode::report
