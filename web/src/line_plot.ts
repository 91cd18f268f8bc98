// Lines over steps, seconds or horizons, with a legend that names them.
import uPlot from "uplot";
import { extent, lowerBound, numbers } from "./arrays";
import { timeAxis, valueAxis } from "./axes";
import { el, nameText, tableBehind } from "./dom";
import { ABOVE, clipped, paintAbove } from "./marks";
import type { LineFigure } from "./report";
import { stage, type Plot } from "./stage";
import { axisLabel, format, short } from "./text";
import { color } from "./theme";
import { hideTooltip, showTooltip, type Row } from "./tooltip";

export interface Abscissa {
  label: string;
  values: ArrayLike<number>;
  marks: { name: string; at: number }[]; // vertical lines where something begins, such as a phase
}

const HEIGHT = 230;
const STYLES = 6; // the number of colours --line0, --line1, ... in style.css
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const MOST_IN_LEGEND = 12;

// Returns the figure with its legend. `abscissa` is called for every drawing, because the reader
// may change it.
export function lineFigure(figure: LineFigure, group: string, abscissa: () => Abscissa): HTMLElement {
  const host = el("div", { class: "plot", role: "img", "aria-label": describe(figure) });
  host.style.height = `${HEIGHT}px`;
  stage.add(host, group, () => new LinePlot(host, figure, abscissa));
  const result = el("figure", {}, el("figcaption", {}, el("h3", {}, nameText(figure.title))), legend(figure), host);
  if (figure.note) result.append(el("p", { class: "note" }, nameText(figure.note)));
  result.append(tableBehind(short(figure.title, 60), () => table(figure, abscissa())));
  return result;
}

const lineColor = (i: number) => color(`line${i % STYLES}`);
const dash = (i: number) => DASHES[Math.floor(i / STYLES) % DASHES.length]!;

function legend(figure: LineFigure): HTMLElement {
  const result = el("ul", { class: "legend" });
  figure.series.slice(0, MOST_IN_LEGEND).forEach((series, i) => {
    result.append(el("li", {}, el("i", { class: `swatch line line${i % STYLES} dash${Math.floor(i / STYLES) % DASHES.length}` }),
      nameText(short(series.name, 60))));
  });
  const rest = figure.series.length - MOST_IN_LEGEND;
  if (rest > 0) result.append(el("li", {}, `and ${rest} more: point at a line`));
  return result;
}

function describe(figure: LineFigure): string {
  const parts = figure.series.slice(0, MOST_IN_LEGEND).map((series) => {
    const values = numbers(series.values);
    return `${short(series.name, 40)} ends at ${format(values[values.length - 1] ?? NaN, 4)}`;
  });
  return `${short(figure.title, 80)}: ${parts.join(", ")}.`;
}

function table(figure: LineFigure, { label, values }: Abscissa): { head: string[]; rows: string[][] } {
  const every = Math.max(1, Math.ceil(values.length / 200));
  const rows: string[][] = [];
  for (let i = 0; i < values.length; i += every) {
    rows.push([format(values[i]!), ...figure.series.map((series) => format(numbers(series.values)[i] ?? NaN))]);
  }
  return { head: [label, ...figure.series.map((series) => short(series.name))], rows };
}

class LinePlot implements Plot {
  private u: uPlot | null = null;
  private points = false; // true while the tooltip is about this plot

  constructor(
    private readonly host: HTMLElement, private readonly figure: LineFigure, private readonly abscissa: () => Abscissa,
  ) {}

  draw(width: number): void {
    this.u?.destroy();
    const { label, values, marks } = this.abscissa();
    const columns = this.figure.series.map((series) => this.cleaned(numbers(series.values), values.length));
    const data = [Array.from(values), ...columns] as uPlot.AlignedData;
    this.u = new uPlot(this.options(width, label, marks, columns), data, this.host);
    this.host.dataset["lines"] = String(columns.length);
    this.host.dataset["points"] = String(values.length);
    this.host.dataset["abscissa"] = label;
  }

  private cleaned(values: ArrayLike<number>, length: number): (number | null)[] {
    const good = (value: number | undefined) => Number.isFinite(value) && (!this.figure.log || value! > 0);
    return Array.from({ length }, (_, i) => (good(values[i]) ? values[i]! : null));
  }

  private options(width: number, label: string, marks: Abscissa["marks"], columns: (number | null)[][]): uPlot.Options {
    const y: uPlot.Scale = this.figure.log ? { distr: 3, range: logRange } : { range: () => settledRange(columns) };
    return {
      width,
      height: HEIGHT,
      padding: [marks.length > 0 ? ABOVE : 10, 20, 0, 0],
      legend: { show: false },
      scales: { x: { time: false }, y },
      axes: [timeAxis(short(label, 54)), valueAxis(axisLabel(this.figure.y_name, this.figure.unit, 30))],
      series: [{}, ...columns.map((column, i): uPlot.Series => ({
        stroke: () => lineColor(i),
        dash: dash(i),
        width: 1.6,
        points: { show: column.length < 30, size: 6, fill: () => lineColor(i), stroke: () => lineColor(i) },
      }))],
      cursor: { y: false, points: { size: 6, fill: (_, i) => lineColor(i - 1), stroke: (_, i) => lineColor(i - 1) },
        drag: { x: false, y: false } },
      hooks: { draw: [(u) => paintMarks(u, marks)], setCursor: [(u) => this.hover(u, label)] },
    };
  }

  private hover(u: uPlot, label: string): void {
    const { left, top } = u.cursor;
    if (left === undefined || top === undefined || left < 0) {
      if (this.points) hideTooltip();
      this.points = false;
      return;
    }
    this.points = true;
    const x = u.data[0]!;
    const i = nearestIndex(x as number[], u.posToVal(left, "x"));
    const rows = this.figure.series.map((series, k): Row => ({
      name: short(series.name, 40),
      value: format((u.data[k + 1]![i] as number | null) ?? NaN),
      mark: `line line${k % STYLES} dash${Math.floor(k / STYLES) % DASHES.length}`,
    }));
    const box = u.over.getBoundingClientRect();
    showTooltip(`${label} ${format(x[i]!)}`, closest(rows, u, i, top), box.left + u.valToPos(x[i]!, "x"), box.top + top);
  }
}

// Returns all lines or, if there are many, those nearest to the pointer.
function closest(rows: Row[], u: uPlot, i: number, top: number): Row[] {
  if (rows.length <= MOST_IN_LEGEND) return rows;
  const away = rows.map((_, k) => {
    const value = u.data[k + 1]![i] as number | null;
    return value === null ? Infinity : Math.abs(u.valToPos(value, "y") - top);
  });
  return rows.map((_, k) => k).sort((a, b) => away[a]! - away[b]!).slice(0, 6).map((k) => rows[k]!);
}

function nearestIndex(x: number[], wanted: number): number {
  const i = Math.min(lowerBound(x, wanted), x.length - 1);
  return i > 0 && wanted - x[i - 1]! < x[i]! - wanted ? i - 1 : i;
}

function logRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low > 0)) return [0.1, 10];
  return [below(low / 1.05), 1 / below(1 / (high * 1.05))];
}

// Returns the largest of 1, 2 and 5 times a power of ten that is not above a value.
function below(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1);
}

// Returns the range of values without the first tenth, because the first steps of a run are often
// far off.
function settledRange(columns: (number | null)[][]): [number, number] {
  const settled = columns.map((column) => column.slice(column.length > 40 ? Math.floor(column.length / 10) : 0)
    .map((value) => value ?? NaN));
  const [low, high] = extent(...settled) ?? [0, 1];
  const margin = 0.08 * (high - low) || Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

function paintMarks(u: uPlot, marks: Abscissa["marks"]): void {
  let free = 0;
  for (const { name, at } of marks) {
    const x = u.valToPos(at, "x", true);
    clipped(u, (ctx, ratio) => {
      ctx.strokeStyle = color("soft");
      ctx.lineWidth = ratio;
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
    });
    free = paintAbove(u, short(name, 24), x, free);
  }
}
