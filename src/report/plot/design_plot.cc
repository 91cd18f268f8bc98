#include "report/plot/design_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/draw/figure.h"

namespace gpode::report {

void PlotDesign(const Design& design, const std::string& time, Canvas* canvas) {
  constexpr std::array kColours = {kBlue, kVermillion, kGreen, kPurple, kOrange, kSkyBlue};
  const Stroke chosen{.colour = kGrey, .width = 0.7, .dashes = {2, 2}};
  std::vector<std::string> channels;
  Extent x, y;
  y.Add(0);
  for (const DesignCandidate& candidate : design.candidates) {
    x.Add(candidate.time);
    y.Add(100 * candidate.reduction);
    if (std::ranges::find(channels, candidate.channel) == channels.end()) {
      channels.push_back(candidate.channel);
    }
  }
  const auto colour = [&](std::size_t k) { return kColours[k % kColours.size()]; };
  std::vector<LegendItem> items;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    items.push_back({channels[k] == "all" ? "all channels" : channels[k],
                     LineKey({.colour = colour(k), .width = 1.2})});
  }
  items.push_back({"chosen", UprightLineKey(chosen)});
  const Box area = Legend(canvas, items).Draw(WholeArea(*canvas));
  const Panel panel =
      OnePanel(canvas, area, AxisOf(x, time), AxisOf(y, "expected reduction of variance (%)"));
  for (const DesignCandidate& one : design.batch) panel.Vertical(one.time, chosen);
  for (std::size_t k = 0; k < channels.size(); ++k) {
    std::vector<double> times, shares;
    for (const DesignCandidate& candidate : design.candidates) {
      if (candidate.channel != channels[k]) continue;
      times.push_back(candidate.time);
      shares.push_back(100 * candidate.reduction);
    }
    panel.Line(times, shares, {.colour = colour(k), .width = 1.2});
    panel.Marks(times, shares, {.colour = colour(k), .radius = 1.4});
  }
  panel.Frame();
}

}  // namespace gpode::report
