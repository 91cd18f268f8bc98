// The plot of one channel over time.
import uPlot from "uplot";
import { countFinite } from "./arrays";
import { timeAxis, valueAxis } from "./axes";
import { channelData, describe, nearest, neighbour, rowsAt, valueRange, within, type ChannelData, type Near } from "./channel_data";
import { calendarOf, formatDate } from "./dates";
import { attachGestures } from "./gestures";
import { ABOVE, paintForecastRegion, paintObserved, paintTest, type Painted } from "./marks";
import type { Report } from "./report";
import type { Plot } from "./stage";
import { axisLabel, format, short } from "./text";
import { color } from "./theme";
import { hideTooltip, say, showTooltip } from "./tooltip";
import type { View } from "./view";

const SNAP = 24; // pixels within which the pointer selects an observation
const TIE = 1.5; // Observations within this many pixels in time are told apart by their value.

const MANY = 300; // With more observations than this, lines and bands are painted over them.
const NONE: Painted = { points: 0, seen: 0 };

export class ChannelPlot implements Plot {
  private u: uPlot | null = null;
  private painted = { observed: NONE, test: NONE };
  private data!: ChannelData;
  private built = "";
  private points = false; // true while the tooltip belongs to this plot; drawing must not hide the tooltip of another plot
  private marked: Near | null = null;
  private readonly ring = document.createElement("i");

  constructor(
    private readonly host: HTMLElement, private readonly report: Report, private readonly channel: number,
    private readonly view: View, private readonly height: number,
  ) {
    this.ring.className = "ring";
    attachGestures(host, view, {
      timeAt: (clientX) => this.timeAt(clientX),
      step: (direction) => this.step(direction),
    });
  }

  draw(width: number): void {
    const wanted = JSON.stringify([this.view.trajectory, this.view.shown]);
    if (wanted !== this.built) this.build(width);
    this.built = wanted;
    const u = this.u!;
    const { from, to } = this.view.range();
    u.batch(() => {
      if (u.width !== width) u.setSize({ width, height: this.height });
      u.setScale("x", { min: from, max: to });
    });
    u.redraw(true, true);
  }

  private build(width: number): void {
    this.u?.destroy();
    this.data = channelData(this.report, this.channel, this.view.trajectory);
    const name = short(this.report.channels[this.channel]!.name, 80);
    this.host.setAttribute("aria-label", describe(name, this.data, calendarOf(this.report.meta)));
    this.u = new uPlot(this.options(width), this.columns(), this.host);
    this.u.over.append(this.ring);
    this.ring.hidden = true;
  }

  // Returns the columns for uPlot: grid, edges of bands from the widest to the narrowest, draws, median.
  private columns(): uPlot.AlignedData {
    const { grid, highNoise, lowNoise, high95, low95, high50, low50, draws, median } = this.data;
    const gaps = (values: ArrayLike<number>) =>
      Array.from({ length: grid.length }, (_, i) => (Number.isFinite(values[i]) ? values[i]! : null));
    return [Array.from(grid), ...[highNoise, lowNoise, high95, low95, high50, low50, ...draws, median].map(gaps)] as uPlot.AlignedData;
  }

  private series(): uPlot.Series[] {
    const { shown } = this.view;
    const edge = (show: boolean): uPlot.Series => ({ show, width: 0, points: { show: false } });
    const rim = (): uPlot.Series =>
      ({ show: shown.noise, width: 1, dash: [2, 3], alpha: 0.8, stroke: () => color("median"), points: { show: false } });
    const line = (show: boolean, name: string, width: number, alpha = 1): uPlot.Series =>
      ({ show, width, alpha, stroke: () => color(name), points: { show: false } });
    return [
      {}, rim(), rim(), edge(shown.band95), edge(shown.band95), edge(shown.band50), edge(shown.band50),
      ...this.data.draws.map(() => line(shown.draws, "draws", 1, 0.75)),
      line(shown.median, "median", 2),
    ];
  }

  private options(width: number): uPlot.Options {
    const { name, unit } = this.report.channels[this.channel]!;
    const { time_name, time_unit } = this.report.meta;
    const calendar = calendarOf(this.report.meta);
    return {
      width,
      height: this.height,
      padding: [ABOVE, 20, 0, 0],
      legend: { show: false },
      series: this.series(),
      bands: [
        { series: [1, 2], fill: () => color("noise") },
        { series: [3, 4], fill: () => color("band95") },
        { series: [5, 6], fill: () => color("band50") },
      ],
      scales: { x: { time: false }, y: { range: () => valueRange(this.data, this.view.range(), this.view.shown) } },
      axes: [timeAxis(axisLabel(time_name ?? "time", calendar ? undefined : time_unit, 40), calendar), valueAxis(axisLabel(name, unit, this.height / 10))],
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false },
        bind: {
          mousedown: (_u, _target, handler) => (event) => (event.shiftKey ? null : handler(event)),
          dblclick: () => () => {
            this.view.reset();
            return null;
          },
        },
      },
      hooks: {
        drawClear: [(u) => paintForecastRegion(u, this.data.forecastFrom, this.view.full().to)],
        // Test points, and observations if there are many, are painted before the lines, so that they do not hide the forecast.
        drawAxes: [(u) => this.paintBelow(u)],
        draw: [(u) => this.paintAbove(u)],
        setSelect: [(u) => this.select(u)],
        setCursor: [(u) => this.hover(u)],
      },
    };
  }

  private hasManyMarks(): boolean {
    return countFinite(within(this.data.times, this.data.observed, this.view.range())) > MANY;
  }

  private paintBelow(u: uPlot): void {
    const range = this.view.range();
    this.painted = { observed: NONE, test: this.view.shown.test ? paintTest(u, this.data, range) : NONE };
    if (this.view.shown.observed && this.hasManyMarks()) this.painted.observed = paintObserved(u, this.data, range);
  }

  private paintAbove(u: uPlot): void {
    if (this.view.shown.observed && !this.hasManyMarks()) this.painted.observed = paintObserved(u, this.data, this.view.range());
    this.noteMarks(this.painted.observed.points, this.painted.observed.seen, this.painted.test.points);
  }

  // Records what was drawn as attributes, for tests and for the note under the plot.
  private noteMarks(points: number, seen: number, test: number): void {
    const { shown } = this.view;
    const set = this.host.dataset;
    set["observed"] = String(seen);
    set["points"] = String(points);
    set["test"] = String(test);
    set["draws"] = String(shown.draws ? this.data.draws.length : 0);
    set["bands"] = String(this.data.low95.length === 0 ? 0 : Number(shown.band50) + Number(shown.band95));
    set["noise"] = String(Number(shown.noise && this.data.lowNoise.length > 0));
    const { min, max } = this.u?.scales["y"] ?? {};
    set["values"] = `${format(min ?? NaN)} ${format(max ?? NaN)}`;
    set["median"] = String(Number(shown.median && this.data.median.length > 0));
    const { from, to } = this.view.range();
    set["range"] = `${format(from)} ${format(to)}`;
    this.host.classList.toggle("thinned", points < seen);
  }

  private select(u: uPlot): void {
    const { left, width } = u.select;
    if (width < 4) return;
    this.view.zoomTo({ from: u.posToVal(left, "x"), to: u.posToVal(left + width, "x") });
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private timeAt(clientX: number): number {
    const u = this.u!;
    return u.posToVal(clientX - u.over.getBoundingClientRect().left, "x");
  }

  private hover(u: uPlot): void {
    const { left, top } = u.cursor;
    if (left === undefined || top === undefined || left < 0) {
      this.ring.hidden = true;
      if (this.points) hideTooltip();
      this.points = false;
      return;
    }
    const time = u.posToVal(left, "x");
    const pixel = u.posToVal(left + 1, "x") - time;
    this.marked = nearest(this.data, time, u.posToVal(top, "y"), SNAP * pixel, TIE * pixel, this.view.shown);
    this.show(u, this.marked?.time ?? time, top);
  }

  private show(u: uPlot, time: number, top: number): string {
    const rows = rowsAt(this.data, time, this.view.shown);
    const calendar = calendarOf(this.report.meta);
    const head = calendar
      ? formatDate(time, calendar)
      : `${axisLabel(this.report.meta.time_name ?? "time", this.report.meta.time_unit, 40)} ${format(time)}`;
    const { left: x, top: y } = u.over.getBoundingClientRect();
    this.ring.hidden = this.marked === null;
    if (this.marked !== null) {
      this.ring.style.left = `${u.valToPos(this.marked.time, "x")}px`;
      this.ring.style.top = `${u.valToPos(this.marked.value, "y")}px`;
    }
    this.points = true;
    if (rows.length > 0) showTooltip(head, rows, x + u.valToPos(time, "x"), y + top);
    else hideTooltip();
    return `${head}: ${rows.map((row) => `${row.name} ${row.value}`).join(", ")}`;
  }

  // Moves the cursor to the next or previous observation, for the keyboard.
  private step(direction: 1 | -1): void {
    const u = this.u!;
    const { from, to } = this.view.range();
    const start = this.marked?.time ?? (direction === 1 ? from - (to - from) * 1e-9 : to + (to - from) * 1e-9);
    const next = neighbour(this.data, start, direction);
    if (next === null) return;
    this.marked = next;
    if (next.time < from || next.time > to) this.view.pan(next.time < from ? -0.5 : 0.5);
    say(this.show(u, next.time, u.valToPos(next.value, "y")));
  }
}
