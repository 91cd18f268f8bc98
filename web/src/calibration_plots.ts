// Plots of coverage against nominal level, and of the histogram of PIT values.
import { numbers } from "./arrays";
import { svg } from "./dom";
import { frame, pathThrough, type Frame } from "./frame";
import type { Calibration } from "./report";
import type { Plot } from "./stage";
import type { Point } from "./streamlines";
import { format, short } from "./text";
import { hideTooltip, showTooltip } from "./tooltip";

const HEIGHT = 300;

export class CoveragePlot implements Plot {
  constructor(private readonly host: HTMLElement, private readonly lines: NonNullable<Calibration["coverage"]>) {}

  draw(width: number): void {
    const f = frame({ width, height: HEIGHT, x: [0, 1], y: [0, 1], xLabel: "nominal level of the band",
      yLabel: "share of values inside", percent: true });
    const count = this.lines[0]?.count;
    if (count) f.plot.append(svg("path", { class: "chance", d: chanceBand(f, count) }));
    f.plot.append(svg("path", { class: "diagonal", d: pathThrough([[f.toX(0), f.toY(0)], [f.toX(1), f.toY(1)]]) }));
    this.lines.forEach((line, i) => this.drawLine(f, line, i));
    this.host.replaceChildren(f.root);
    this.host.setAttribute("aria-label", this.describe());
  }

  private drawLine(f: Frame, line: NonNullable<Calibration["coverage"]>[number], index: number): void {
    const [nominal, observed] = [numbers(line.nominal), numbers(line.observed)];
    const points = Array.from(nominal, (level, i): Point => [f.toX(level), f.toY(observed[i]!)]);
    f.plot.append(svg("path", { class: `curve stroke${index % 6}`, d: pathThrough(points) }));
    points.forEach(([x, y], i) => {
      const dot = svg("circle", { class: `fill${index % 6}`, cx: x, cy: y, r: 4 });
      hoverable(dot, () => [short(line.name, 40), `${format(nominal[i]! * 100, 4)} % band`, `${format(observed[i]! * 100, 4)} % inside`]);
      f.over.append(dot);
    });
  }

  private describe(): string {
    const parts = this.lines.flatMap((line) => Array.from(numbers(line.nominal), (level, i) =>
      `${format(level * 100, 3)} %: ${format(numbers(line.observed)[i]! * 100, 3)} %`));
    return `Coverage against nominal level. ${parts.slice(0, 12).join(", ")}.`;
  }
}

// Returns the outline of the range in which the share of n independent values inside a band lies
// with a probability of 95 %, by the normal approximation, if each is inside with probability p.
function chanceBand(f: Frame, n: number): string {
  const levels = Array.from({ length: 51 }, (_, i) => i / 50);
  const spread = (p: number) => 1.96 * Math.sqrt((p * (1 - p)) / n);
  const high = levels.map((p): Point => [f.toX(p), f.toY(p + spread(p))]);
  const low = levels.map((p): Point => [f.toX(p), f.toY(p - spread(p))]);
  return `${pathThrough(high.concat(low.reverse()))}Z`;
}

export class PitPlot implements Plot {
  constructor(private readonly host: HTMLElement, private readonly pit: NonNullable<Calibration["pit"]>) {}

  draw(width: number): void {
    const counts = numbers(this.pit.counts);
    const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
    const level = total / counts.length;
    const spread = 1.96 * Math.sqrt(level * (1 - 1 / counts.length));
    const most = Math.max(...counts, level + spread, 1);
    const f = frame({ width, height: HEIGHT, x: [0, 1], y: [0, most * 1.08], xLabel: "rank of the value in its forecast",
      yLabel: "number of values" });
    counts.forEach((count, i) => {
      const [left, right] = [f.toX(i / counts.length) + 1, f.toX((i + 1) / counts.length) - 1];
      const bar = svg("rect", { class: "bar", x: left, width: Math.max(1, right - left), y: f.toY(count), height: f.toY(0) - f.toY(count) });
      hoverable(bar, () => [`ranks ${format(i / counts.length, 3)} to ${format((i + 1) / counts.length, 3)}`, "values", format(count)]);
      f.plot.append(bar);
    });
    const across = (y: number, name: string) => svg("line", { class: name, x1: f.left, x2: f.left + f.width, y1: f.toY(y), y2: f.toY(y) });
    f.plot.append(across(level, "diagonal"), across(level + spread, "limit"), across(level - spread, "limit"));
    this.host.replaceChildren(f.root);
    this.host.setAttribute("aria-label",
      `Histogram of ${format(total)} values by their rank in the forecast, ${counts.length} bars: ${Array.from(counts).join(", ")}.`);
  }
}

function hoverable(element: SVGElement, text: () => [string, string, string]): void {
  element.addEventListener("mousemove", (event) => {
    const [head, name, value] = text();
    showTooltip(head, [{ name, value }], event.clientX, event.clientY);
  });
  element.addEventListener("mouseleave", hideTooltip);
}
