// The plot of the field of a single state: its rate of change against the state.
import { extent, numbers } from "./arrays";
import { svg } from "./dom";
import { frame, pathThrough } from "./frame";
import { rateUnit, stateLabel } from "./portrait_view";
import type { Report } from "./report";
import type { Plot } from "./stage";
import type { Point } from "./streamlines";
import { short } from "./text";

export class FieldLinePlot implements Plot {
  constructor(private readonly host: HTMLElement, private readonly report: Report) {}

  draw(width: number): void {
    const states = this.report.states!;
    const grid = states.fields[0];
    if (grid === undefined) return;
    const [mean, sd] = [numbers(grid.dx), numbers(grid.sd_dx)];
    const [from, to] = grid.x_range;
    const low = Array.from(mean, (value, i) => value - 2 * sd[i]!);
    const high = Array.from(mean, (value, i) => value + 2 * sd[i]!);
    const label = stateLabel(states, 0);
    const f = frame({ width, height: 300, x: [from, to], y: extent(low, high, [0]) ?? [0, 1], xLabel: label,
      yLabel: `rate of change of ${short(states.names[0] ?? "", 24)} (${rateUnit(this.report, 0)})` });
    const at = (values: ArrayLike<number>) => (_: unknown, i: number): Point =>
      [f.toX(from + ((to - from) * i) / (mean.length - 1)), f.toY(values[i]!)];
    const edge = Array.from(mean, at(high)).concat(Array.from(mean, at(low)).reverse());
    f.plot.append(
      svg("path", { class: "field-band", d: `${pathThrough(edge)}Z` }),
      svg("line", { class: "zero", x1: f.left, x2: f.left + f.width, y1: f.toY(0), y2: f.toY(0) }),
      svg("path", { class: "median", d: pathThrough(Array.from(mean, at(mean))) }));
    const inducing = svg("g", { class: "inducing" });
    for (const value of numbers(states.inducing?.[0])) {
      inducing.append(svg("path", { d: `M${f.toX(value)} ${f.top + f.height}v-8` }));
    }
    f.plot.append(inducing);
    this.host.replaceChildren(f.root);
    this.host.setAttribute("aria-label", `Rate of change against ${label}, mean and two standard deviations.`);
  }
}
