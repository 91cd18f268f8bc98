// The decoded data of one channel along one trajectory, and the text that describes them at a time.
import { countFinite, extent, interpolate, lowerBound, numbers, type Numbers } from "./arrays";
import { formatDate, type Calendar } from "./dates";
import type { Report } from "./report";
import { format } from "./text";
import type { Row } from "./tooltip";
import type { Layer, Range } from "./view";

export interface ChannelData {
  times: Numbers;
  observed: Numbers;
  grid: Numbers;
  median: Numbers;
  low50: Numbers;
  high50: Numbers;
  low95: Numbers;
  high95: Numbers;
  lowNoise: Numbers; // the 95 % band of observations
  highNoise: Numbers;
  draws: Numbers[];
  testTimes: Numbers;
  test: Numbers;
  forecastFrom: number | null;
}

export function channelData(report: Report, channel: number, trajectory: number): ChannelData {
  const along = report.trajectories[trajectory]!;
  const series = report.channels[channel]!.series[trajectory]!;
  return {
    times: numbers(along.times),
    observed: numbers(series.observed),
    grid: numbers(along.grid),
    median: numbers(series.median),
    low50: numbers(series.low50),
    high50: numbers(series.high50),
    low95: numbers(series.low95),
    high95: numbers(series.high95),
    lowNoise: numbers(series.low95_noise),
    highNoise: numbers(series.high95_noise),
    draws: (series.draws ?? []).map(numbers),
    testTimes: numbers(along.test_times),
    test: numbers(series.test),
    forecastFrom: along.forecast_from ?? null,
  };
}

// Returns the values within a range of times, and one more on either side.
export function within(times: Numbers, values: Numbers, range: Range): Numbers {
  const first = Math.max(0, lowerBound(times, range.from) - 1);
  return values.subarray(first, lowerBound(times, range.to) + 1);
}

// How far the axis may reach beyond the data, over the extent of the data.
const REACH = 1;

// Returns the range of values to show: that of the data, widened for the bands and the median, but not so far that these would
// flatten the data if they run away. Draws never widen it.
export function valueRange(data: ChannelData, range: Range, shown: Record<Layer, boolean>): [number, number] {
  const onGrid = (values: Numbers, layer: Layer) => (shown[layer] ? within(data.grid, values, range) : []);
  const seen = extent(
    shown.observed ? within(data.times, data.observed, range) : [],
    shown.test ? within(data.testTimes, data.test, range) : [],
  );
  const middle = onGrid(data.median, "median");
  const bands = extent(middle, onGrid(data.low50, "band50"), onGrid(data.high50, "band50"), onGrid(data.low95, "band95"),
    onGrid(data.high95, "band95"), onGrid(data.lowNoise, "noise"), onGrid(data.highNoise, "noise"));
  let [low, high] = seen ?? extent(middle) ?? bands ?? [0, 1];
  if (bands) {
    const all = extent(data.observed, data.test) ?? [low, high];
    const reach = REACH * (Math.max(high - low, all[1] - all[0]) || 1);
    [low, high] = [Math.max(Math.min(low, bands[0]), low - reach), Math.min(Math.max(high, bands[1]), high + reach)];
  }
  const margin = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

export interface Near {
  time: number;
  value: number;
  layer: "observed" | "test";
}

// Returns the observation or test point nearest to a time, if one is closer than `reach`. If
// several are within `tie` of the time, or equally far, returns the one whose value is nearest to
// `value`.
export function nearest(
  data: ChannelData, time: number, value: number, reach: number, tie: number, shown: Record<Layer, boolean>,
): Near | null {
  let best: Near | null = null;
  let [bestTime, bestValue] = [reach, Infinity];
  const look = (times: Numbers, values: Numbers, layer: Near["layer"]) => {
    for (let i = lowerBound(times, time - reach); i < times.length && times[i]! <= time + reach; ++i) {
      const awayInTime = Math.max(0, Math.abs(times[i]! - time) - tie);
      const awayInValue = Math.abs(values[i]! - value); // A missing value makes this NaN.
      if (awayInTime > bestTime || (awayInTime === bestTime && !(awayInValue < bestValue))) continue;
      if (!Number.isFinite(values[i])) continue;
      best = { time: times[i]!, value: values[i]!, layer };
      [bestTime, bestValue] = [awayInTime, awayInValue];
    }
  };
  if (shown.observed) look(data.times, data.observed, "observed");
  if (shown.test) look(data.testTimes, data.test, "test");
  return best;
}

// Returns the next observation or test point after a time (direction 1) or before it (-1).
export function neighbour(data: ChannelData, time: number, direction: 1 | -1): Near | null {
  let best: Near | null = null;
  const look = (times: Numbers, values: Numbers, layer: Near["layer"]) => {
    let i = lowerBound(times, time);
    if (direction === 1) while (i < times.length && !(times[i]! > time && Number.isFinite(values[i]))) ++i;
    else for (--i; i >= 0 && !Number.isFinite(values[i]); ) --i;
    const found = times[i];
    if (found === undefined) return;
    if (best === null || (found - best.time) * direction < 0) best = { time: found, value: values[i]!, layer };
  };
  look(data.times, data.observed, "observed");
  look(data.testTimes, data.test, "test");
  return best;
}

function atTime(times: Numbers, values: Numbers, time: number): string[] {
  const result: string[] = [];
  for (let i = lowerBound(times, time); i < times.length && times[i] === time && result.length < 4; ++i) {
    if (Number.isFinite(values[i])) result.push(format(values[i]!));
  }
  return result;
}

function between(data: ChannelData, low: Numbers, high: Numbers, time: number): string | null {
  const ends = [interpolate(data.grid, low, time), interpolate(data.grid, high, time)];
  return ends.every(Number.isFinite) ? `${format(ends[0]!, 4)} to ${format(ends[1]!, 4)}` : null;
}

export function rowsAt(data: ChannelData, time: number, shown: Record<Layer, boolean>): Row[] {
  const rows: Row[] = [];
  const add = (layer: Layer, name: string, value: string | null, mark: string) => {
    if (shown[layer] && value !== null) rows.push({ name, value, mark });
  };
  for (const value of atTime(data.times, data.observed, time)) add("observed", "observed", value, "dot");
  for (const value of atTime(data.testTimes, data.test, time)) add("test", "test", value, "diamond");
  const middle = interpolate(data.grid, data.median, time);
  add("median", "median", Number.isFinite(middle) ? format(middle, 4) : null, "line");
  add("band50", "50 % band", between(data, data.low50, data.high50, time), "band50");
  add("band95", "95 % band", between(data, data.low95, data.high95, time), "band95");
  add("noise", "95 %, with noise", between(data, data.lowNoise, data.highNoise, time), "noise");
  return rows;
}

const MOST_ROWS = 200;

// Returns the table behind a plot: times, observations and forecasts.
export function tableOf(data: ChannelData, timeLabel: string, calendar?: Calendar): { head: string[]; rows: string[][]; note?: string } {
  const all = Array.from(new Set([...sample(data.times), ...sample(data.testTimes), ...sample(data.grid, 40)])).sort((a, b) => a - b);
  const every = { observed: true, median: true, band50: true, band95: true, noise: true, draws: true, test: true };
  const names = ["observed", "test", "median", "50 % band", "95 % band", ...(data.lowNoise.length > 0 ? ["95 %, with noise"] : [])];
  const rows = all.map((time) => {
    const found = rowsAt(data, time, every);
    return [calendar ? formatDate(time, calendar) : format(time), ...names.map((name) => found.find((row) => row.name === name)?.value ?? "")];
  });
  const count = data.times.length + data.testTimes.length;
  const thinned = data.times.length > MOST_ROWS || data.testTimes.length > MOST_ROWS;
  const head = [timeLabel, ...names];
  return thinned ? { head, rows, note: `Evenly spaced rows out of ${count} times.` } : { head, rows };
}

function sample(times: Numbers, most = MOST_ROWS): number[] {
  if (times.length <= most) return Array.from(times);
  return Array.from({ length: most }, (_, i) => times[Math.round((i * (times.length - 1)) / (most - 1))]!);
}

export function describe(name: string, data: ChannelData, calendar?: Calendar): string {
  const seen = extent(data.observed);
  const parts = [`${name} over time: ${countFinite(data.observed)} observations`];
  if (seen) parts.push(`from ${format(seen[0], 4)} to ${format(seen[1], 4)}`);
  const tests = countFinite(data.test);
  if (tests > 0) parts.push(`${tests} test points`);
  if (data.median.length > 0) parts.push("posterior median with 50 and 95 % bands");
  if (data.forecastFrom !== null) parts.push(`forecast from ${calendar ? formatDate(data.forecastFrom, calendar) : format(data.forecastFrom, 4)}`);
  return `${parts.join(", ")}.`;
}
