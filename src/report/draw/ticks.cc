#include "report/draw/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/draw/date_ticks.h"

namespace gpode::report {
namespace {

std::string Superscript(int number) {
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (char c : std::to_string(std::abs(number))) text += kDigits[c - '0'];
  return text;
}

// Returns the text of a number with a typographic minus sign instead of a hyphen.
std::string Signed(const std::string& text) {
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

int Exponent(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

// Returns the texts of all numbers in the same notation: with as many decimals as the step needs
// or, if numbers are very large or small, as multiples of one power of ten.
std::vector<std::string> Texts(const std::vector<double>& values, double step) {
  double largest = 0;
  for (double v : values) largest = std::max(largest, std::abs(v));
  const int high = largest > 0 ? Exponent(largest) : 0, low = Exponent(step);
  const bool powers = high >= 5 || low <= -5;
  const int power = powers ? high : 0, decimals = std::clamp(power - low, 0, 12);
  std::vector<std::string> texts;
  for (double v : values) {
    const std::string digits = Signed(fmt::format("{:.{}f}", v / std::pow(10, power), decimals));
    texts.push_back(!powers  ? digits
                    : v == 0 ? "0"
                             : fmt::format("{}×10{}", digits, Superscript(power)));
  }
  return texts;
}

// Returns the smallest round step that divides `span` into at most `most` parts; at least 1 if
// `whole`.
double StepOf(double span, std::size_t most, bool whole) {
  const double least = span / static_cast<double>(most);
  double step = RoundDown(least);
  const double mantissa = step / std::pow(10, Exponent(step));
  if (step < least) step *= mantissa > 1.5 && mantissa < 3 ? 2.5 : 2;
  return whole ? std::max(step, 1.0) : step;
}

std::vector<Tick> LinearTicks(const Axis& axis, std::size_t most) {
  const double step = StepOf(axis.to - axis.from, most, axis.whole);
  const double slack = 1e-9 * (axis.to - axis.from);
  std::vector<double> values;
  for (double k = std::ceil((axis.from - slack) / step); k * step <= axis.to + slack; ++k) {
    if (values.size() > 2 * most) break;  // adding the step no longer changes such large numbers
    values.push_back(k == 0 ? 0 : k * step);
  }
  const std::vector<std::string> texts = Texts(values, step);
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < values.size(); ++i) ticks.push_back({values[i], texts[i]});
  return ticks;
}

std::string PowerText(double value, int exponent) {
  if (exponent >= -3 && exponent <= 4) return fmt::format("{:.{}f}", value, std::max(0, -exponent));
  const double mantissa = std::round(value / std::pow(10, exponent));
  return mantissa == 1 ? "10" + Superscript(exponent)
                       : fmt::format("{:g}×10{}", mantissa, Superscript(exponent));
}

// Returns ticks at these mantissas times powers of ten, whose exponents are multiples of `every`.
std::vector<Tick> PowerTicks(const Axis& axis, const std::vector<int>& mantissas, int every) {
  std::vector<Tick> ticks;
  for (int e = Exponent(axis.from); e <= Exponent(axis.to) + 1; ++e) {
    if ((e % every + every) % every != 0) continue;
    for (int m : mantissas) {
      const double value = m * std::pow(10, e);
      const double share = axis.Share(value);
      if (share >= -1e-9 && share <= 1 + 1e-9) ticks.push_back({value, PowerText(value, e)});
    }
  }
  return ticks;
}

std::vector<Tick> MarkedTicks(const Axis& axis) {
  std::vector<Tick> ticks;
  for (double value : axis.marks) ticks.push_back({value, Signed(fmt::format("{:g}", value))});
  return ticks;
}

}  // namespace

double Axis::Share(double value) const {
  if (!logarithmic) return (value - from) / (to - from);
  return value > 0 ? std::log(value / from) / std::log(to / from) : std::nan("");
}

double RoundDown(double value) {
  const double power = std::pow(10, Exponent(value));
  const double mantissa = value / power * (1 + 1e-9);
  return power * (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1);
}

std::vector<Tick> TicksOf(const Axis& axis, std::size_t most) {
  most = std::max<std::size_t>(most, 2);
  if (!axis.marks.empty()) return MarkedTicks(axis);
  if (axis.calendar.IsSet()) return DateTicks(axis, most);
  if (!axis.logarithmic) return LinearTicks(axis, most);
  std::vector<Tick> ticks = PowerTicks(axis, {1, 2, 5}, 1);
  for (int every = 1; ticks.size() > most && every < 400; ++every) {
    ticks = PowerTicks(axis, {1}, every);
  }
  return ticks.size() >= 2 ? ticks : LinearTicks(axis, most);
}

}  // namespace gpode::report
