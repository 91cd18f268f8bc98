// The reader's choices for all channels: the trajectory, the range of time, and the layers that are
// shown.
import { extent, numbers } from "./arrays";
import type { Report } from "./report";
import { stage } from "./stage";

export type Layer = "observed" | "median" | "band50" | "band95" | "noise" | "draws" | "test";

export interface Range {
  from: number;
  to: number;
}

// The most grid points that are shown at first. gpode writes more of them where the states move
// fast.
const MOST_AT_FIRST = 1250;

export class View {
  trajectory = 0;
  readonly shown: Record<Layer, boolean> =
    { observed: true, median: true, band50: true, band95: true, noise: true, draws: false, test: true };
  private zoomed: Range | null = null;

  constructor(private readonly report: Report) {
    this.zoomed = this.first();
  }

  // Returns the range to begin with: all, or the last part of the data and the first of the forecast if all is too much to see.
  private first(): Range | null {
    const { grid, forecast_from } = this.report.trajectories[this.trajectory]!;
    const times = numbers(grid);
    if (times.length <= MOST_AT_FIRST || forecast_from === undefined || forecast_from === null) return null;
    const step = (times[times.length - 1]! - times[0]!) / (times.length - 1);
    const full = this.full();
    const [from, to] = [Math.max(full.from, forecast_from - 0.6 * MOST_AT_FIRST * step), Math.min(full.to, forecast_from + 0.4 * MOST_AT_FIRST * step)];
    return from > full.from || to < full.to ? { from, to } : null;
  }

  // Returns the range of all times of the chosen trajectory, with a margin.
  full(): Range {
    const { grid, times, test_times } = this.report.trajectories[this.trajectory]!;
    const found = extent(...[grid, times, test_times].map((array) => ends(numbers(array))));
    if (found === null) return { from: 0, to: 1 };
    const [from, to] = found;
    const margin = 0.012 * (to - from) || 0.5; // With a margin, no mark is cut in half.
    return { from: from - margin, to: to + margin };
  }

  range(): Range {
    return this.zoomed ?? this.full();
  }

  isZoomed(): boolean {
    return this.zoomed !== null;
  }

  setTrajectory(index: number): void {
    this.trajectory = index;
    this.zoomed = this.first();
    stage.refresh("channels");
  }

  toggle(layer: Layer): void {
    this.shown[layer] = !this.shown[layer];
    stage.refresh("channels");
  }

  reset(): void {
    this.zoomed = null;
    stage.refresh("channels");
  }

  zoomTo(range: Range): void {
    const full = this.full();
    const least = (full.to - full.from) * 1e-6;
    const from = Math.max(full.from, range.from);
    const to = Math.min(full.to, range.to);
    if (!(to - from > least)) return;
    this.zoomed = from <= full.from && to >= full.to ? null : { from, to };
    stage.refresh("channels");
  }

  // Shrinks the range about a fixed time if the factor is below one, and widens it otherwise.
  zoomBy(factor: number, about?: number): void {
    const { from, to } = this.range();
    const centre = about ?? (from + to) / 2;
    this.zoomTo({ from: centre - (centre - from) * factor, to: centre + (to - centre) * factor });
  }

  // Moves the visible range by a share of its length, but not beyond the data.
  pan(share: number): void {
    const full = this.full();
    const { from, to } = this.range();
    const wanted = share * (to - from);
    const step = Math.max(full.from - from, Math.min(full.to - to, wanted));
    if (step !== 0) this.zoomTo({ from: from + step, to: to + step });
  }
}

// Returns the extremes of times, which are their ends because they do not decrease.
function ends(times: ArrayLike<number>): number[] {
  return times.length === 0 ? [] : [times[0]!, times[times.length - 1]!];
}
