// Example reports for tests and pictures. No model is learnt here: draws are simulations with other
// parameters and starts, so that plots look as they do for a model.
import { FORMAT, FORMAT_VERSION, type FieldGrid, type Insight, type NumberArray, type Report, type StatePaths } from "../src/report";
import { generator } from "./random";

type State = number[];
type System = (x: State) => State;

export function f32(values: ArrayLike<number>): NumberArray {
  return { f32: base64(Float32Array.from(values)) };
}

export function f64(values: ArrayLike<number>): NumberArray {
  return { f64: base64(Float64Array.from(values)) };
}

function base64(values: Float32Array | Float64Array): string {
  return Buffer.from(values.buffer).toString("base64");
}

function linspace(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
}

function integrate(f: System, start: State, times: number[]): State[] {
  const result: State[] = [];
  let [x, t] = [start, times[0]!];
  const add = (a: State, b: State, h: number) => a.map((value, i) => value + h * b[i]!);
  for (const time of times) {
    const steps = Math.max(1, Math.ceil((time - t) / 0.01));
    const h = (time - t) / steps;
    for (let i = 0; i < steps && h > 0; ++i) {
      const k1 = f(x);
      const k2 = f(add(x, k1, h / 2));
      const k3 = f(add(x, k2, h / 2));
      const k4 = f(add(x, k3, h));
      x = x.map((value, j) => value + (h / 6) * (k1[j]! + 2 * k2[j]! + 2 * k3[j]! + k4[j]!));
    }
    t = time;
    result.push(x);
  }
  return result;
}

function quantile(values: number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = p * (sorted.length - 1);
  const i = Math.min(Math.floor(at), sorted.length - 2);
  return sorted[i]! + (at - i) * (sorted[i + 1]! - sorted[i]!);
}

interface Setting {
  title: string;
  names: string[];
  units: string[];
  truth: System;
  guess: (normal: () => number) => System; // returns a draw of the field
  starts: State[];
  ranges: [number, number][];
  noise: number;
  until: number; // the time of the last observation
  end: number;
  observations: number;
}

const DRAWS = 64;
const SHOWN = 6;

function simulated(setting: Setting, seed: number): Report {
  const random = generator(seed);
  const fields = Array.from({ length: DRAWS }, () => setting.guess(random.normal));
  const times = linspace(0, setting.until, setting.observations);
  const grid = linspace(0, setting.end, 281);
  const testTimes = linspace(setting.until + 0.3, setting.end, 24);
  const column = (states: State[], i: number) => states.map((state) => state[i]!);
  const report: Report = { ...frameOf(setting, seed), trajectories: [], channels: [] };
  report.channels = setting.names.map((name, i) => ({ name, unit: setting.units[i] ?? "", series: [] }));
  const paths: StatePaths[] = [];
  setting.starts.forEach((start, k) => {
    const noisy = (states: State[]) => states.map((state) => state.map((value) => value + setting.noise * random.normal()));
    const observed = noisy(integrate(setting.truth, start, times));
    const test = noisy(integrate(setting.truth, start, [0, ...testTimes]).slice(1));
    const draws = fields.map((field) => integrate(field, start.map((value) => value + 0.12 * random.normal()), grid));
    report.trajectories.push({ name: `run ${k + 1}`, times: f64(times), grid: f64(grid), forecast_from: setting.until, test_times: testTimes });
    report.channels.forEach((channel, i) => {
      const band = (p: number) => f32(grid.map((_, t) => quantile(draws.map((draw) => draw[t]![i]!), p)));
      channel.series.push({
        observed: f64(column(observed, i).map((value, t) => (t % 17 === 16 ? NaN : value))),
        median: band(0.5), low50: band(0.25), high50: band(0.75), low95: band(0.025), high95: band(0.975),
        low95_noise: f32(grid.map((_, t) => quantile(draws.map((draw) => draw[t]![i]!), 0.025) - 2 * setting.noise)),
        high95_noise: f32(grid.map((_, t) => quantile(draws.map((draw) => draw[t]![i]!), 0.975) + 2 * setting.noise)),
        draws: draws.slice(0, SHOWN).map((draw) => f32(column(draw, i))),
        test: column(test, i),
      });
    });
    paths.push({
      median: setting.names.map((_, i) => f32(grid.map((_, t) => quantile(draws.map((draw) => draw[t]![i]!), 0.5)))),
      draws: draws.slice(0, SHOWN).map((draw) => setting.names.map((_, i) => f32(column(draw, i)))),
      observed: setting.names.map((_, i) => f64(column(observed, i))),
    });
  });
  const path = integrate(setting.truth, setting.starts[0]!, grid);
  const anchors = setting.names.length > 2
    ? [0, 70, 200].map((i) => ({ label: `run 1, time ${grid[i]!.toFixed(1)}`, state: path[i]! }))
    : [{ label: "", state: path[0]! }];
  report.states = {
    names: setting.names, units: setting.units, paths, anchors,
    inducing: setting.names.map((_, i) => Array.from({ length: 16 }, (_, m) => path[Math.floor(m * 17)]![i]!)),
    fields: fieldGrids(setting, fields, anchors.map((anchor) => anchor.state), path),
  };
  return report;
}

// Returns means and standard deviations of the field over the draws. The deviations grow with the
// distance from the data.
function fieldGrids(setting: Setting, fields: System[], anchors: State[], path: State[]): FieldGrid[] {
  const result: FieldGrid[] = [];
  const n = 26;
  for (let x = 0; x < setting.names.length; ++x) {
    for (let y = x + 1; y < setting.names.length; ++y) {
      anchors.forEach((anchor, index) => result.push(fieldGrid(setting, fields, anchor, index, path, x, y, n)));
    }
  }
  return result;
}

function fieldGrid(
  setting: Setting, fields: System[], anchor: State, index: number, path: State[], x: number, y: number, n: number,
): FieldGrid {
  const columns: number[][] = [[], [], [], []];
  const [rangeX, rangeY] = [setting.ranges[x]!, setting.ranges[y]!];
  for (const b of linspace(rangeY[0], rangeY[1], n)) {
    for (const a of linspace(rangeX[0], rangeX[1], n)) {
      const state = anchor.map((value, i) => (i === x ? a : i === y ? b : value));
      const values = fields.slice(0, 16).map((field) => field(state));
      const away = Math.min(...path.map((p) => Math.hypot((p[x]! - a) / (rangeX[1] - rangeX[0]), (p[y]! - b) / (rangeY[1] - rangeY[0]))));
      [x, y].forEach((d, k) => {
        const mean = values.reduce((sum, value) => sum + value[d]!, 0) / values.length;
        const variance = values.reduce((sum, value) => sum + (value[d]! - mean) ** 2, 0) / values.length;
        columns[k]!.push(mean);
        columns[k + 2]!.push(Math.sqrt(variance) + away * away * 12 * (rangeX[1] - rangeX[0]));
      });
    }
  }
  const [dx, dy, sd_dx, sd_dy] = columns.map(f32) as [NumberArray, NumberArray, NumberArray, NumberArray];
  return { x, y, anchor: index, x_range: rangeX, y_range: rangeY, columns: n, rows: n, dx, dy, sd_dx, sd_dy };
}

function frameOf(setting: Setting, seed: number): Omit<Report, "trajectories" | "channels"> {
  const random = generator(seed + 1);
  const steps = linspace(0, 8000, 200);
  const decay = (from: number, to: number, rate: number, noise: number) =>
    f32(steps.map((step) => to + (from - to) * Math.exp(-step / rate) + noise * random.normal()));
  const names = setting.names;
  return {
    format: FORMAT, format_version: FORMAT_VERSION,
    meta: {
      title: setting.title, version: "0.1.0", seed: String(seed),
      command: `gpode fit data.csv --seed ${seed} -o model.gpode && gpode report model.gpode test.csv -o report.html`,
      time_name: "time", time_unit: "s",
      bands: "Bands of the posterior, without observation noise: 50 and 95 % of draws lie inside at every time.",
      verdict: "Bands: often too narrow with this posterior; --holdout 0.2 checks and widens them.",
      comments: ["An example for looking at the page: draws are simulations, nothing was learnt."],
      warnings: ["The last 2 of 64 draws diverged after time 12 and are left out of the bands."],
      timing: [{ name: "training", seconds: 12.84 }, { name: "forecasts", seconds: 0.412 }],
      facts: [{ name: "method", value: "shooting" }, { name: "kernel", value: "squared exponential" }, { name: "inducing points", value: "16" }],
    },
    training: {
      steps, seconds: f32(steps.map((step) => step * 0.0016)),
      phases: [{ name: "shooting", from: 0 }, { name: "whole trajectories", from: 5600 }],
      plots: [
        { title: "The bound and its terms", y_name: "nats", note: "The bound is the sum of the others.", series: [
          { name: "bound", values: decay(-4000, 105, 600, 6) }, { name: "log likelihood", values: decay(-3900, 152, 600, 5) },
          { name: "constraint", values: decay(-120, -18, 900, 2) }, { name: "KL of the inducing values", values: decay(-5, -29, 700, 1) }] },
        { title: "Noise", y_name: "standard deviation", log: true, series: names.map((name, i) => ({ name, values: decay(0.5 + 0.1 * i, 0.2 + 0.03 * i, 1500, 0.002) })) },
        { title: "Lengthscales", y_name: "lengthscale", log: true, series: names.flatMap((from) => names.map((to, j) => ({ name: `${to} for d ${from}/dt`, values: decay(1, 1.2 + 0.5 * j, 1800, 0.004) }))) },
        { title: "Gaps between segments", y_name: "share of spread", log: true, series: [
          { name: "root mean square gap", values: decay(0.3, 0.008, 900, 0.0002) }, { name: "tolerance", values: f32(steps.map((step) => Math.max(0.01, 0.1 * Math.exp(-step / 2400)))) }] },
      ],
    },
    calibration: {
      note: "The test points against the forecasts made before them: 48 values.",
      scores: [{ name: "MNLL", value: 0.1234, note: "mean negative log likelihood, in nats" }, { name: "RMSE", value: 0.2211, note: "root mean squared error of the mean" }],
      coverage: [{ name: "with noise", count: 48, nominal: [0.5, 0.9, 0.95], observed: [0.458, 0.875, 0.958] }],
      pit: { counts: [6, 4, 5, 3, 6, 4, 5, 5, 3, 7] },
      horizon: { times: linspace(1, 7, 7), plots: [{ title: "Error by horizon", y_name: "error", series: [
        { name: "root mean squared error", values: [0.15, 0.18, 0.2, 0.24, 0.23, 0.3, 0.33] }, { name: "CRPS", values: [0.1, 0.11, 0.12, 0.14, 0.14, 0.17, 0.19] }] }] },
    },
    learned: {
      facts: [{ name: "kernel", value: "squared exponential, one lengthscale per state and rate" }],
      lengthscales: names.map((_, d) => names.map((_, j) => 1.1 + 1.4 * ((d * 2 + j) % 3))),
      state_spread: names.map(() => 1.4),
      amplitudes: names.map((_, i) => 3 + i),
      noise: names.map((_, i) => ({ channel: i, sd: 0.2 + 0.03 * i, spread: 1.4 })),
    },
  };
}

export function vanDerPol(seed = 1): Report {
  const oscillator = (mu: number): System => ([x, y]) => [y!, -x! + mu * (1 - x! * x!) * y!];
  return simulated({
    title: "Van der Pol oscillator", names: ["x", "y"], units: ["mm", "mm/s"], truth: oscillator(0.5),
    guess: (normal) => oscillator(0.5 + 0.14 * normal()), starts: [[-1.5, 2.5]], ranges: [[-3.2, 3.2], [-3.6, 3.6]],
    noise: 0.2, until: 7, end: 14, observations: 50,
  }, seed);
}

export function threeStates(seed = 2): Report {
  const rossler = (c: number): System => ([x, y, z]) => [-y! - z!, x! + 0.2 * y!, 0.2 + z! * (x! - c)];
  return simulated({
    title: "Three states, three runs", names: ["left", "right", "up"], units: ["", "", ""], truth: rossler(3),
    guess: (normal) => rossler(3 + 0.15 * normal()), starts: [[1, 1, 0], [-2, 1, 0.2], [3, -3, 0.1]], ranges: [[-6, 7], [-7, 5], [-1, 9]],
    noise: 0.25, until: 12, end: 20, observations: 90,
  }, seed);
}

// Returns a section of an analysis whose picture holds a script, which must not run.
export function insight(): Insight {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="460" height="300"><script>window.hacked = 1</script><rect width="460" height="300" fill="#0072b2"/></svg>';
  return {
    id: "dynamics", title: "Dynamics", intro: "Fixed points of 128 draws of the field.",
    pictures: [{ title: "Basins of attraction", svg: Buffer.from(svg).toString("base64") }],
    texts: [{ title: "Formulas", text: "dx/dt = 1.01*y\ndy/dt = -x + 0.48*y - 0.46*x^2*y\n" }],
    tables: [{ title: "Fixed points", head: ["", "probability", "x", "type"], rows: [["1", "1.00", "-0.02 (-0.1 to 0.1)", "spiral 1.00"]], note: "Medians with 90 % bands." }],
  };
}

export const EVIL = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">`;
export const HOSTILE_NAMES = [
  EVIL, `"quoted" 'name' & &lt;entity&gt;`, "line one\nline two\ttab\r\nline three", "x".repeat(10000),
  "</script><!--<script>", "\u202eright to left", "", "__proto__", "\u0000\u0007bell", "{{script}} __GPODE_REPORT__",
];

// Returns the Van der Pol report with every text replaced by a hostile one.
export function hostile(): Report {
  const report = vanDerPol();
  const channel = report.channels[0]!;
  report.channels = HOSTILE_NAMES.map((name) => ({ ...channel, name, unit: name }));
  report.trajectories[0]!.name = EVIL;
  report.meta = {
    ...report.meta, title: EVIL, command: `${EVIL}\n${"y".repeat(10000)}`, comments: HOSTILE_NAMES, warnings: HOSTILE_NAMES,
    facts: HOSTILE_NAMES.map((name) => ({ name, value: name })), time_name: EVIL, time_unit: EVIL, bands: EVIL,
  };
  report.states!.names = [EVIL, "z".repeat(10000)];
  for (const plot of report.training!.plots) {
    plot.title = plot.y_name = plot.note = EVIL;
    for (const series of plot.series) series.name = HOSTILE_NAMES[3]!;
  }
  report.learned!.noise = HOSTILE_NAMES.map((_, i) => ({ channel: i, sd: 0.2, spread: 1 }));
  report.insight = [{ ...insight(), title: EVIL, intro: EVIL, pictures: [], texts: HOSTILE_NAMES.map((name) => ({ title: name, text: name })),
    tables: [{ title: EVIL, head: HOSTILE_NAMES, rows: [HOSTILE_NAMES], note: EVIL }] }];
  return report;
}

// Returns a report of many channels with many observations. Each channel has one outlier, whose
// time and height depend on the channel.
export function huge(channels: number, observations: number): Report {
  const random = generator(7);
  const report = vanDerPol();
  const times = Float64Array.from({ length: observations }, (_, i) => (14 * i) / observations);
  const wave = Float32Array.from({ length: observations }, () => 0.2 * random.normal());
  const first = report.channels[0]!.series[0]!;
  report.meta.title = `${channels} channels, ${observations} observations each`;
  report.trajectories[0]!.times = f64(times);
  report.channels = Array.from({ length: channels }, (_, k) => {
    const values = wave.map((noise, i) => noise + 2 * Math.sin(times[i]! + k / 10));
    values[Math.floor(((k + 0.5) * observations) / channels)] = 9 + k;
    return { name: `channel ${k}`, unit: "V", series: [{ ...first, observed: f32(values) }] };
  });
  report.learned!.noise = report.channels.map((_, i) => ({ channel: i, sd: 0.2, spread: 1.4 }));
  return report;
}

// Fills the page with a report. The data are escaped as the program does it, so that no text can
// close the element that holds them.
export function fillPage(page: string, report: Report): string {
  const json = JSON.stringify(report).replace(/</g, "\\u003c");
  const [before, after] = page.split("__GPODE_REPORT__") as [string, string];
  return before + json + after;
}
