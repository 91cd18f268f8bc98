#include "report/plot/design_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/draw/figure.h"

namespace gpode::report {
namespace {

constexpr std::array kColours = {kBlue, kVermillion, kGreen, kPurple, kOrange, kSkyBlue};
constexpr Mark kSeen{.colour = {0.55, 0.55, 0.55}, .radius = 1.0};
constexpr double kStartRadius = 4.5, kRingRadius = 6.5, kKeyRadius = 2.8, kLeastShade = 0.08;
const Stroke kChosen{.colour = kGrey, .width = 0.7, .dashes = {2, 2}};

Colour ChannelColour(std::size_t k) { return kColours[k % kColours.size()]; }

// Returns a colour from nearly white to blue for a share of the best reduction.
Colour Shade(double share) {
  const double depth = kLeastShade + (1 - kLeastShade) * std::clamp(share, 0.0, 1.0);
  const auto mix = [depth](double to) { return 1 + depth * (to - 1); };
  return {mix(kBlue.red), mix(kBlue.green), mix(kBlue.blue)};
}

std::vector<std::string> ChannelsOf(const Design& design) {
  std::vector<std::string> channels;
  for (const DesignCandidate& one : design.candidates) {
    if (std::ranges::find(channels, one.channel) == channels.end()) channels.push_back(one.channel);
  }
  return channels;
}

std::string LabelOf(const std::string& channel) {
  return channel == "all" ? "all channels" : channel;
}

void PlotTimes(const Design& design, const std::string& time, const Box& whole, Canvas* canvas) {
  const std::vector<std::string> channels = ChannelsOf(design);
  Extent x, y;
  y.Add(0);
  for (const DesignCandidate& candidate : design.candidates) {
    if (candidate.start) continue;
    x.Add(candidate.time);
    y.Add(100 * candidate.reduction);
  }
  std::vector<LegendItem> items;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    items.push_back({LabelOf(channels[k]), LineKey({.colour = ChannelColour(k), .width = 1.2})});
  }
  items.push_back({"chosen", UprightLineKey(kChosen)});
  const Box area = Legend(canvas, items).Draw(whole);
  const Panel panel =
      OnePanel(canvas, area, AxisOf(x, time), AxisOf(y, "expected reduction of variance (%)"));
  for (const DesignCandidate& one : design.batch) {
    if (!one.start) panel.Vertical(one.time, kChosen);
  }
  for (std::size_t k = 0; k < channels.size(); ++k) {
    std::vector<double> times, shares;
    for (const DesignCandidate& candidate : design.candidates) {
      if (candidate.start || candidate.channel != channels[k]) continue;
      times.push_back(candidate.time);
      shares.push_back(100 * candidate.reduction);
    }
    panel.Line(times, shares, {.colour = ChannelColour(k), .width = 1.2});
    panel.Marks(times, shares, {.colour = ChannelColour(k), .radius = 1.4});
  }
  panel.Frame();
}

// Returns the best reduction by each start over the channels, in per cent.
std::vector<double> StartReductions(const Design& design) {
  std::vector<double> best(static_cast<std::size_t>(design.starts.rows()), 0);
  for (const DesignCandidate& one : design.candidates) {
    if (one.start) best[*one.start] = std::max(best[*one.start], 100 * one.reduction);
  }
  return best;
}

// Draws the reduction over the only state.
void PlotLineOfStarts(const Design& design, const Matrix& seen, const Box& whole, Canvas* canvas) {
  const std::vector<double> reductions = StartReductions(design),
                            starts = ColumnOf(design.starts, 0), states = ColumnOf(seen, 0);
  Extent x, y;
  x.Add(starts);
  x.Add(states);
  y.Add(0);
  y.Add(reductions);
  const Mark mark{.colour = kBlue, .radius = 2};
  const Box area = Legend(canvas, {{"new start", MarkKey(mark)},
                                   {"chosen", UprightLineKey(kChosen)},
                                   {"data", MarkKey(kSeen)}})
                       .Draw(whole);
  const Panel panel = OnePanel(canvas, area, AxisOf(x, design.states[0]),
                               AxisOf(y, "expected reduction of variance (%)"));
  for (const DesignCandidate& one : design.batch) {
    if (one.start) panel.Vertical(starts[*one.start], kChosen);
  }
  panel.Marks(states, std::vector<double>(states.size(), 0), kSeen);
  panel.Marks(starts, reductions, mark);
  panel.Frame();
}

// Draws the starts in the plane of the first two states.
void PlotPlaneOfStarts(const Design& design, const Matrix& seen, const Box& whole, Canvas* canvas) {
  const std::vector<double> reductions = StartReductions(design),
                            across = ColumnOf(design.starts, 0), along = ColumnOf(design.starts, 1);
  const double most = std::ranges::max(reductions);
  Extent x, y;
  x.Add(across);
  y.Add(along);
  x.Add(ColumnOf(seen, 0));
  y.Add(ColumnOf(seen, 1));
  const Mark best{.shape = MarkShape::kDot, .colour = Shade(1), .radius = kKeyRadius},
      least{.shape = MarkShape::kDot, .colour = Shade(0), .radius = kKeyRadius},
      ring{.shape = MarkShape::kCircle, .colour = kBlack, .radius = kRingRadius},
      ring_key{.shape = MarkShape::kCircle, .colour = kBlack, .radius = kKeyRadius};
  const Box area =
      Legend(canvas,
             {{fmt::format("new start that reduces the variance by {:.3g} %", most), MarkKey(best)},
              {"by 0 %", MarkKey(least)},
              {"chosen", MarkKey(ring_key)},
              {"data", MarkKey(kSeen)}})
          .Draw(whole);
  const Panel panel =
      OnePanel(canvas, area, AxisOf(x, design.states[0], 0.08), AxisOf(y, design.states[1], 0.08));
  panel.Marks(ColumnOf(seen, 0), ColumnOf(seen, 1), kSeen);
  for (std::size_t k = 0; k < reductions.size(); ++k) {
    panel.Marks({&across[k], 1}, {&along[k], 1},
                {.shape = MarkShape::kDot,
                 .colour = Shade(most > 0 ? reductions[k] / most : 0),
                 .radius = kStartRadius});
  }
  for (const DesignCandidate& one : design.batch) {
    if (one.start) panel.Marks({&across[*one.start], 1}, {&along[*one.start], 1}, ring);
  }
  panel.Frame();
}

}  // namespace

void PlotDesign(const Design& design, const Matrix& seen, const std::string& time, Canvas* canvas) {
  const Box whole = WholeArea(*canvas);
  const bool has_times = std::ranges::any_of(
      design.candidates, [](const DesignCandidate& one) { return !one.start.has_value(); });
  const bool has_starts = design.starts.rows() > 0;
  Box upper = whole, lower = whole;
  if (has_times && has_starts) upper.bottom = lower.top = 0.42 * whole.bottom + 0.58 * whole.top;
  if (has_times) PlotTimes(design, time, upper, canvas);
  if (!has_starts) return;
  if (design.states.size() == 1) return PlotLineOfStarts(design, seen, lower, canvas);
  PlotPlaneOfStarts(design, seen, lower, canvas);
}

}  // namespace gpode::report
