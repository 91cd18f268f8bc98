#include "report/draw/braille_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpode/error.h"
#include "report/draw/printable.h"

namespace gpode::report {
namespace {

constexpr std::size_t kDotsAcross = 2, kDotsDown = 4;  // dots of a character
constexpr std::size_t kLabelWidth = 6;                 // characters of a number beside the y axis

// Returns the smallest step that is 1, 2 or 5 times a power of ten and divides `range` into at most
// `most` pieces.
double RoundStep(double range, double most) {
  const double power = std::pow(10.0, std::floor(std::log10(range / most)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (range / (factor * power) <= most) return factor * power;
  }
  return 10 * power;
}

// Returns at most about `most` round numbers within [low, high].
std::vector<double> Ticks(double low, double high, double most) {
  const double step = RoundStep(high - low, most);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i) ticks.push_back(i * step + 0.0);
  return ticks;
}

// Returns the braille character (U+2800 to U+28FF) with these dots, one per bit, in UTF-8.
std::string Braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace

BrailleCanvas::BrailleCanvas(std::size_t columns, std::size_t rows, const Window& window)
    : columns_(columns), rows_(rows), window_(window), cells_(columns * rows) {
  GPODE_CHECK(columns > 0 && rows > 0 && window.left < window.right && window.bottom < window.top);
}

double BrailleCanvas::Across(double x) const {
  const double share = (x - window_.left) / (window_.right - window_.left);
  return share * static_cast<double>(columns_ * kDotsAcross);
}

double BrailleCanvas::Down(double y) const {
  const double share = (window_.top - y) / (window_.top - window_.bottom);
  return share * static_cast<double>(rows_ * kDotsDown);
}

BrailleCanvas::Cell* BrailleCanvas::CellAt(double across, double down) {
  const double column = std::floor(across / kDotsAcross), row = std::floor(down / kDotsDown);
  const bool inside = column >= 0 && row >= 0 && column < static_cast<double>(columns_) &&
                      row < static_cast<double>(rows_);
  if (!inside) return nullptr;
  return &cells_[static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(column)];
}

void BrailleCanvas::Dot(double across, double down, int colour) {
  constexpr unsigned kBit[kDotsDown][kDotsAcross] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
  Cell* cell = CellAt(across, down);
  if (cell == nullptr) return;
  cell->dots |= kBit[static_cast<std::size_t>(down) % kDotsDown]
                    [static_cast<std::size_t>(across) % kDotsAcross];
  cell->mark.clear();
  cell->colour = colour;
}

void BrailleCanvas::Curve(const Matrix& points, const Pen& pen) {
  const double longest = static_cast<double>(kDotsAcross * columns_ + kDotsDown * rows_);
  double until_dot = 0;
  for (Eigen::Index i = 1; i < points.rows(); ++i) {
    const double x = Across(points(i - 1, 0)), y = Down(points(i - 1, 1));
    const double dx = Across(points(i, 0)) - x, dy = Down(points(i, 1)) - y;
    const double length = std::hypot(dx, dy);
    // Skips pieces that are not finite, and pieces longer than the canvas, which are mostly outside
    // of it and could have very many dots.
    if (!(length > 0 && length < longest)) continue;
    for (; until_dot <= length; until_dot += pen.spacing) {
      Dot(x + dx * until_dot / length, y + dy * until_dot / length, pen.colour);
    }
    until_dot -= length;
  }
}

void BrailleCanvas::Mark(double x, double y, std::string_view character, int colour) {
  if (Cell* cell = CellAt(Across(x), Down(y))) *cell = {0, std::string(character), colour};
}

std::string BrailleCanvas::RowText(std::size_t row, bool coloured) const {
  std::string text;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Cell& cell = cells_[row * columns_ + column];
    const std::string blank_or_dots = cell.dots == 0 ? " " : Braille(cell.dots);
    const std::string& character = cell.mark.empty() ? blank_or_dots : cell.mark;
    text += coloured && cell.colour != 0 ? fmt::format("\033[{}m{}\033[0m", cell.colour, character)
                                         : character;
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::vector<Tick> BrailleCanvas::XTicks() const {
  if (window_.calendar.IsSet()) {
    constexpr std::size_t kMostDates = 4;
    Axis axis{.from = window_.left, .to = window_.right};
    axis.calendar = window_.calendar;
    return TicksOf(axis, kMostDates);
  }
  std::vector<Tick> ticks;
  for (const double tick : Ticks(window_.left, window_.right, 7)) {
    ticks.push_back({tick, fmt::format("{:.4g}", tick)});
  }
  return ticks;
}

// Returns the axis and, below it, the numbers and the right-aligned label, which is shortened if it
// is longer than the axis.
std::string BrailleCanvas::XAxis(std::string_view label, std::size_t indent) const {
  const std::string shown = Shortened(label, columns_);
  const std::size_t width = PrintableCharacters(shown).size();
  std::vector<std::string> axis(columns_, "─");
  std::string numbers(columns_, ' ');
  for (const auto& [tick, text] : XTicks()) {
    const auto column = static_cast<std::size_t>(Across(tick) / kDotsAcross);
    const std::size_t start = column - std::min(column, text.size() / 2);
    if (column >= columns_ || start + text.size() + width + 1 > columns_) continue;
    axis[column] = "┬";
    numbers.replace(start, text.size(), text);
  }
  numbers.replace(columns_ - width, width, shown);
  std::string text = std::string(indent, ' ') + "└";
  for (const std::string& piece : axis) text += piece;
  return text + "\n" + std::string(indent + 1, ' ') + numbers + "\n";
}

std::string BrailleCanvas::Framed(std::string_view x_label, std::string_view y_label,
                                  bool coloured) const {
  std::vector<std::string> numbers(rows_);
  for (const double tick : Ticks(window_.bottom, window_.top, static_cast<double>(rows_) / 3)) {
    const auto row = static_cast<std::size_t>(Down(tick) / kDotsDown);
    if (row < rows_) numbers[row] = fmt::format("{:.4g}", tick);
  }
  const std::size_t width = PrintableCharacters(y_label).size();
  std::string text = std::string(kLabelWidth - std::min(kLabelWidth, width), ' ');
  text.append(y_label) += '\n';
  for (std::size_t row = 0; row < rows_; ++row) {
    text += fmt::format("{:>{}} {}{}\n", numbers[row], kLabelWidth,
                        numbers[row].empty() ? "│" : "┤", RowText(row, coloured));
  }
  return text + XAxis(x_label, kLabelWidth + 1);
}

}  // namespace gpode::report
