// The phase portrait: the vector field of two states, its uncertainty, and trajectories.
import { contours } from "d3-contour";
import { numbers } from "./arrays";
import { calendarOf, formatDate } from "./dates";
import { svg } from "./dom";
import { fieldOf, type Field } from "./field";
import { frame, pathThrough, type Frame } from "./frame";
import { forecastIndex, pathTimes, rateUnit, stateLabel, type PortraitView } from "./portrait_view";
import type { Report, StatePaths, States } from "./report";
import type { Plot } from "./stage";
import { streamlines, type Point } from "./streamlines";
import { format, short } from "./text";
import { hideTooltip, showTooltip, type Row } from "./tooltip";

// Levels of the shading: the field's standard deviation relative to its median speed.
export const LEVELS = [0.05, 0.1, 0.2, 0.5, 1, 2];
const SNAP = 16; // pixels within which the pointer selects a trajectory

// A point of a median trajectory, in pixels.
interface Near {
  point: Point;
  time: number;
  name: string;
}

export class PortraitPlot implements Plot {
  private frame!: Frame;
  private field: Field | undefined;
  private near: Near[] = [];

  constructor(private readonly host: HTMLElement, private readonly report: Report, private readonly view: PortraitView) {
    host.addEventListener("mousemove", (event) => this.hover(event));
    host.addEventListener("mouseleave", hideTooltip);
  }

  private get states(): States {
    return this.report.states!;
  }

  draw(width: number): void {
    const { x, y, anchor, shown } = this.view;
    this.field = fieldOf(this.states, x, y, anchor);
    const field = this.field;
    if (field === undefined) {
      this.host.replaceChildren("The report has no field for these two states.");
      return;
    }
    const height = Math.round(Math.min(560, Math.max(300, width * 0.75)));
    this.host.style.height = `${height}px`;
    this.frame = frame({ width, height, x: field.x, y: field.y, xLabel: stateLabel(this.states, x), yLabel: stateLabel(this.states, y) });
    if (shown.uncertainty) this.drawUncertainty(field);
    if (shown.streamlines) this.drawStreamlines(field);
    this.near = [];
    this.states.paths.forEach((paths, trajectory) => this.drawPaths(paths, trajectory));
    if (shown.inducing) this.drawInducing();
    if (this.states.names.length > 2) this.drawAnchor();
    this.host.replaceChildren(this.frame.root);
    this.host.setAttribute("aria-label", this.describe());
  }

  private describe(): string {
    const { x, y, anchor } = this.view;
    const held = this.states.names.length > 2 ? `, the other states held at ${short(this.states.anchors[anchor]?.label ?? "", 60)}` : "";
    return `Phase portrait of ${stateLabel(this.states, x)} and ${stateLabel(this.states, y)}${held}: streamlines of the mean field, ` +
      `shading for its uncertainty, ${this.states.paths.length} trajectories.`;
  }

  private drawUncertainty(field: Field): void {
    const { left, top, width, height } = this.frame;
    const grid = contours().size([field.columns, field.rows]).thresholds(LEVELS);
    const group = svg("g", { class: "uncertainty" });
    const toPixel = ([i, j]: number[]): Point =>
      [left + ((i! - 0.5) / (field.columns - 1)) * width, top + height - ((j! - 0.5) / (field.rows - 1)) * height];
    grid(field.uncertainty()).forEach((level, index) => {
      const path = level.coordinates.flat().map((ring) => `${pathThrough(ring.map(toPixel))}Z`).join("");
      if (path) group.append(svg("path", { d: path, class: `haze${index}`, "fill-rule": "evenodd" }));
    });
    this.frame.plot.append(group);
  }

  private drawStreamlines(field: Field): void {
    const { left, top, width, height } = this.frame;
    const direction = field.inPixels(width, height);
    const group = svg("g", { class: "streamlines", transform: `translate(${left} ${top})` });
    for (const line of streamlines(direction, width, height, Math.max(14, Math.min(24, width / 28)))) {
      group.append(svg("path", { d: pathThrough(line) }));
      for (const i of arrowPlaces(line.length)) {
        group.append(svg("path", { class: "arrow", d: arrow(line[i - 1]!, line[i]!, line[i + 1]!) }));
      }
    }
    this.frame.plot.append(group);
  }

  private drawPaths(paths: StatePaths, trajectory: number): void {
    const { x, y, shown } = this.view;
    const line = (columns: Parameters<typeof numbers>[0][]): Point[] => {
      const [xs, ys] = [numbers(columns[x]), numbers(columns[y])];
      return Array.from(xs, (value, i): Point => [this.frame.toX(value), this.frame.toY(ys[i]!)]);
    };
    if (shown.draws) for (const draw of paths.draws ?? []) this.add("draw", line(draw));
    if (shown.paths) this.drawMedian(line(paths.median), trajectory);
    if (shown.observed && paths.observed) {
      const group = svg("g", { class: "observed" });
      for (const [px, py] of line(paths.observed)) {
        if (Number.isFinite(px) && Number.isFinite(py)) group.append(svg("circle", { cx: px.toFixed(1), cy: py.toFixed(1), r: 2.4 }));
      }
      this.frame.plot.append(group);
    }
  }

  private add(name: string, points: Point[]): void {
    this.frame.plot.append(svg("path", { class: name, d: pathThrough(points) }));
  }

  // Draws a trajectory: solid along the data, dashed along the forecast, with a ring at the start.
  private drawMedian(points: Point[], trajectory: number): void {
    const { name } = this.report.trajectories[trajectory]!;
    const split = forecastIndex(this.report, trajectory);
    this.add("median", points.slice(0, split + 1));
    if (split + 1 < points.length) this.add("median ahead", points.slice(split));
    const start = points.find(([x]) => Number.isFinite(x));
    if (start) this.frame.plot.append(svg("circle", { class: "start", cx: start[0], cy: start[1], r: 4.5 }));
    const times = pathTimes(this.report, trajectory);
    points.forEach((point, i) => this.near.push({ point, time: times[i]!, name }));
  }

  private drawInducing(): void {
    const [xs, ys] = [numbers(this.states.inducing?.[this.view.x]), numbers(this.states.inducing?.[this.view.y])];
    const group = svg("g", { class: "inducing" });
    xs.forEach((value, i) => {
      const [x, y] = [this.frame.toX(value), this.frame.toY(ys[i]!)];
      group.append(svg("path", { d: `M${x - 4} ${y}H${x + 4}M${x} ${y - 4}V${y + 4}` }));
    });
    this.frame.plot.append(group);
  }

  private drawAnchor(): void {
    const state = this.states.anchors[this.view.anchor]?.state;
    if (state === undefined) return;
    const [x, y] = [this.frame.toX(state[this.view.x]!), this.frame.toY(state[this.view.y]!)];
    this.frame.plot.append(svg("path", { class: "anchor", d: `M${x - 7} ${y}L${x} ${y - 7}L${x + 7} ${y}L${x} ${y + 7}Z` }));
  }

  private hover(event: MouseEvent): void {
    if (this.field === undefined) return;
    const box = this.host.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const close = this.closest(px, py);
    const [atX, atY] = close?.point ?? [px, py];
    const rows = this.fieldRows(this.field, this.frame.fromX(atX), this.frame.fromY(atY));
    if (rows === null) return hideTooltip();
    const calendar = calendarOf(this.report.meta);
    const time = (at: number) => (calendar ? formatDate(at, calendar) : `${short(this.report.meta.time_name ?? "time", 20)} ${format(at, 4)}`);
    const head = close ? `${short(close.name, 40)}, ${time(close.time)}` : "field";
    showTooltip(head, rows, event.clientX, event.clientY);
  }

  private fieldRows(field: Field, x: number, y: number): Row[] | null {
    const dx = field.at(field.dx, x, y);
    if (dx === null) return null;
    const { x: across, y: up } = this.view;
    const name = (state: number) => short(this.states.names[state]!, 20);
    const value = (number: number, state: number) => {
      const unit = this.states.units?.[state];
      return unit ? `${format(number, 4)} ${short(unit, 12)}` : format(number, 4);
    };
    const rate = (mean: number, sd: number, state: number) =>
      `${format(mean, 3)} \u00b1 ${format(sd, 2)} ${rateUnit(this.report, state)}`;
    return [
      { name: name(across), value: value(x, across) },
      { name: name(up), value: value(y, up) },
      { name: `rate of ${name(across)}`, value: rate(dx, field.at(field.sdDx, x, y)!, across) },
      { name: `rate of ${name(up)}`, value: rate(field.at(field.dy, x, y)!, field.at(field.sdDy, x, y)!, up) },
    ];
  }

  private closest(px: number, py: number): Near | null {
    let best: Near | null = null;
    let distance = SNAP;
    for (const candidate of this.near) {
      const away = Math.hypot(candidate.point[0] - px, candidate.point[1] - py);
      if (away < distance) [best, distance] = [candidate, away];
    }
    return best;
  }
}

// Returns evenly spaced indices of a line with `length` points at which arrows are drawn, about one
// for 110 points.
function arrowPlaces(length: number): number[] {
  const count = Math.max(1, Math.round(length / 110));
  return Array.from({ length: count }, (_, k) => Math.floor(((k + 0.5) * length) / count)).filter((i) => i > 0 && i + 1 < length);
}

function arrow(before: Point, at: Point, next: Point): string {
  const [dx, dy] = [next[0] - before[0], next[1] - before[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const corner = (along: number, across: number) =>
    `${(at[0] + along * ux - across * uy).toFixed(1)} ${(at[1] + along * uy + across * ux).toFixed(1)}`;
  return `M${corner(3.5, 0)}L${corner(-2.5, 3)}L${corner(-2.5, -3)}Z`;
}
