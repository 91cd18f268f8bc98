// The section of channels over time. It has choices for all channels and one figure per channel.
import { channelData, tableOf } from "./channel_data";
import { ChannelPlot } from "./channel_plot";
import { calendarOf } from "./dates";
import { button, choice, el, nameText, section, tableBehind } from "./dom";
import { KEYS } from "./gestures";
import type { Channel, Report } from "./report";
import { stage } from "./stage";
import { axisLabel, short } from "./text";
import { View, type Layer } from "./view";

const LAYERS: { layer: Layer; mark: string; label: string; there: (channel: Channel) => boolean }[] = [
  { layer: "observed", mark: "dot", label: "observations", there: () => true },
  { layer: "median", mark: "line", label: "posterior median", there: (c) => c.series.some((s) => s.median) },
  { layer: "band50", mark: "band50", label: "50 % band", there: (c) => c.series.some((s) => s.low50) },
  { layer: "band95", mark: "band95", label: "95 % band", there: (c) => c.series.some((s) => s.low95) },
  { layer: "noise", mark: "noise", label: "95 % band of observations, with noise", there: (c) => c.series.some((s) => s.low95_noise) },
  { layer: "draws", mark: "draw", label: "single draws", there: (c) => c.series.some((s) => s.draws?.length) },
  { layer: "test", mark: "diamond", label: "test points, not trained on", there: (c) => c.series.some((s) => s.test) },
];

const SMALL = 4; // With more channels, the figures are small multiples.

export function channelsSection(report: Report): HTMLElement {
  const view = new View(report);
  const bands = report.meta.bands ?? "A band holds that share of the posterior's draws.";
  const result = section("channels", "Channels over time", bands);
  const figures = report.channels.map((_, i) => channelFigure(report, i, view));
  const small = report.channels.length > SMALL;
  result.append(
    toolbar(report, view, figures),
    ...(view.isZoomed() ? [el("p", { class: "note zoomed" }, "At first, the end of the data and the begin of the forecast are shown; “All” shows everything.")] : []),
    el("p", { class: "hint", id: "keys" },
      `Drag to zoom, double-click for all, shift and drag to move, ctrl and wheel to zoom. On the keyboard: ${KEYS}`),
    el("div", { class: small ? "figures small" : "figures" }, ...figures),
  );
  return result;
}

function channelFigure(report: Report, index: number, view: View): HTMLElement {
  const { name, unit } = report.channels[index]!;
  const height = report.channels.length > SMALL ? 210 : 300;
  const host = el("div", { class: "plot time", role: "img", tabindex: 0, "aria-describedby": "keys" });
  host.style.height = `${height}px`;
  const heading = el("h3", { title: name.length > 60 ? name.slice(0, 2000) : undefined }, nameText(unit ? `${name} (${short(unit, 20)})` : name));
  const calendar = calendarOf(report.meta);
  const timeLabel = axisLabel(report.meta.time_name ?? "time", calendar ? undefined : report.meta.time_unit, 60);
  const behind = tableBehind(`${short(name, 60)} over time`,
    () => tableOf(channelData(report, index, view.trajectory), timeLabel, calendar));
  stage.add(host, "channels", () => new ChannelPlot(host, report, index, view, height));
  const thinned = el("p", { class: "note if-thinned" }, "Too many points to show each: of every column of pixels the lowest and the highest.");
  return el("figure", { class: "channel", "data-unit": unit }, el("figcaption", {}, heading), host, thinned, behind);
}

function toolbar(report: Report, view: View, figures: HTMLElement[]): HTMLElement {
  const result = el("div", { class: "toolbar", role: "group", "aria-label": "What the plots show" });
  if (report.trajectories.length > 1) {
    const names = report.trajectories.map((trajectory) => short(trajectory.name, 60));
    result.append(choice("Trajectory", names, 0, (index) => view.setTrajectory(index)));
  }
  result.append(toggles(report, view), zoomButtons(view));
  if (figures.length > 12) result.append(finder(report, figures));
  return result;
}

function toggles(report: Report, view: View): HTMLElement {
  const result = el("div", { class: "toggles" });
  for (const { layer, mark, label, there } of LAYERS) {
    if (!report.channels.some(there)) continue;
    const box = el("input", { type: "checkbox", checked: view.shown[layer], "data-layer": layer });
    box.addEventListener("change", () => view.toggle(layer));
    result.append(el("label", { class: "toggle" }, box, el("i", { class: `swatch ${mark}` }), label));
  }
  return result;
}

function zoomButtons(view: View): HTMLElement {
  return el("div", { class: "buttons", role: "group", "aria-label": "Range of time" },
    button("\u2190", { "aria-label": "Earlier", title: "Earlier" }, () => view.pan(-0.5)),
    button("\u2212", { "aria-label": "Zoom out", title: "Zoom out" }, () => view.zoomBy(2)),
    button("+", { "aria-label": "Zoom in", title: "Zoom in" }, () => view.zoomBy(0.5)),
    button("\u2192", { "aria-label": "Later", title: "Later" }, () => view.pan(0.5)),
    button("All", { title: "The whole range of time", "data-zoom": "all" }, () => view.reset()));
}

function finder(report: Report, figures: HTMLElement[]): HTMLElement {
  const input = el("input", { type: "search", placeholder: "part of a name" });
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    figures.forEach((figure, i) => {
      const { name, unit } = report.channels[i]!;
      figure.hidden = !`${name} (${unit ?? ""})`.toLowerCase().includes(wanted);
    });
  });
  return el("label", { class: "choice" }, el("span", {}, "Find channels"), input);
}
