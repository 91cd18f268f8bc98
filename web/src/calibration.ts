// The calibration section, which shows whether 90 % bands hold 90 % of the values.
import { numbers } from "./arrays";
import { CoveragePlot, PitPlot } from "./calibration_plots";
import { el, nameText, section, table, tableBehind } from "./dom";
import { lineFigure } from "./line_plot";
import type { Calibration, Report } from "./report";
import { stage, type Plot } from "./stage";
import { axisLabel, format, short } from "./text";

const GROUP = "calibration";

export function calibrationSection(report: Report, calibration: Calibration): HTMLElement {
  const result = section("calibration", "Calibration", calibration.note ?? "Forecasts against what was seen.");
  if (calibration.scores?.length) result.append(scores(calibration.scores));
  const figures = el("div", { class: "figures" });
  if (calibration.coverage?.length) figures.append(coverage(calibration.coverage));
  if (calibration.pit) figures.append(pit(calibration.pit));
  if (calibration.horizon) {
    const { times, plots } = calibration.horizon;
    const label = axisLabel(`${short(report.meta.time_name ?? "time", 12)} since the last observation`, report.meta.time_unit, 54);
    const abscissa = () => ({ label, values: numbers(times), marks: [] });
    for (const plot of plots) figures.append(lineFigure(plot, GROUP, abscissa));
  }
  result.append(figures);
  return result;
}

function scores(rows: NonNullable<Calibration["scores"]>): HTMLElement {
  const body = rows.map(({ name, value, note }) => [short(name, 60), value === null ? "none" : format(value, 4), short(note ?? "", 160)]);
  return el("div", { class: "scroll scores" }, table(["score", "value", "what it is"], body));
}

function figure(title: string, height: number, note: string, build: (host: HTMLElement) => Plot, behind: HTMLElement): HTMLElement {
  const host = el("div", { class: "plot", role: "img" });
  host.style.height = `${height}px`;
  stage.add(host, GROUP, () => build(host));
  return el("figure", {}, el("figcaption", {}, el("h3", {}, title)), host, el("p", { class: "note" }, note), behind);
}

function coverage(lines: NonNullable<Calibration["coverage"]>): HTMLElement {
  const behind = tableBehind("coverage", () => ({
    head: ["band", ...lines.map((line) => short(line.name))],
    rows: Array.from(numbers(lines[0]!.nominal), (level, i) =>
      [`${format(level * 100, 4)} %`, ...lines.map((line) => `${format(numbers(line.observed)[i]! * 100, 4)} %`)]),
  }));
  const result = figure("Coverage", 300,
    "Below the diagonal: bands too narrow, the model too sure. Above: too wide. Shaded: what chance alone does to 95 % of well calibrated models with as many independent values.",
    (host) => new CoveragePlot(host, lines), behind);
  const legend = el("ul", { class: "legend" });
  lines.forEach((line, i) => legend.append(el("li", {}, el("i", { class: `swatch line line${i % 6}` }), nameText(short(line.name, 60)))));
  result.querySelector("figcaption")!.after(legend);
  return result;
}

function pit(histogram: NonNullable<Calibration["pit"]>): HTMLElement {
  const counts = numbers(histogram.counts);
  const behind = tableBehind("PIT histogram", () => ({
    head: ["rank from", "to", "values"],
    rows: Array.from(counts, (count, i) => [format(i / counts.length, 3), format((i + 1) / counts.length, 3), format(count)]),
  }));
  return figure("Where values fall in their forecasts (PIT)", 300,
    "Level: well calibrated. A valley: bands too narrow. A hill: too wide. A slope: too high or too low. Dashed: level; dotted: between these chance alone leaves 95 % of the bars, were the values independent.",
    (host) => new PitPlot(host, histogram), behind);
}
