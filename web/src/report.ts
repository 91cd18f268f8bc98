// The data of a report, as docs/report.md describes them.

// Numbers are a list in which null is a missing number, or little-endian floats in base64 in which
// NaN is a missing number.
export type NumberArray = (number | null)[] | { f32: string } | { f64: string };

export interface Fact {
  name: string;
  value: string;
}

export interface HoldoutRow {
  channel: number;
  from: number;
  to: number;
  values: number;
  rmse: number | null;
  persistence: number | null;
  linear: number | null;
  skill: number | null;
  inside: number | null;
  inside_widened: number | null;
}

export interface Holdout {
  seen_times: number;
  held_times: number;
  rows: HoldoutRow[];
}

export interface Meta {
  title: string;
  version: string;
  seed?: string;
  command?: string;
  time_name?: string;
  time_unit?: string;
  time_origin?: number; // if times stand for dates: seconds from 1970 to time 0, and seconds per unit of time
  time_seconds?: number;
  bands?: string;
  verdict?: string;
  holdout?: Holdout;
  facts?: Fact[];
  comments?: string[];
  warnings?: string[];
  all_warnings?: string[];
  timing?: { name: string; seconds?: number; value?: string }[];
}

export interface Trajectory {
  name: string;
  times: NumberArray;
  grid: NumberArray;
  forecast_from?: number | null;
  test_times?: NumberArray;
}

export interface ChannelSeries {
  observed: NumberArray;
  median?: NumberArray;
  low50?: NumberArray;
  high50?: NumberArray;
  low95?: NumberArray;
  high95?: NumberArray;
  low95_noise?: NumberArray;
  high95_noise?: NumberArray;
  draws?: NumberArray[];
  test?: NumberArray;
}

export interface Channel {
  name: string;
  unit?: string;
  series: ChannelSeries[];
}

export interface Anchor {
  label: string;
  state: number[];
}

export interface FieldGrid {
  x: number;
  y: number | null;
  anchor: number;
  x_range: [number, number];
  y_range?: [number, number];
  columns: number;
  rows: number;
  dx: NumberArray;
  dy?: NumberArray;
  sd_dx: NumberArray;
  sd_dy?: NumberArray;
}

export interface StatePaths {
  times?: NumberArray;
  median: NumberArray[];
  draws?: NumberArray[][];
  observed?: NumberArray[];
}

export interface States {
  names: string[];
  units?: string[];
  note?: string;
  inducing?: NumberArray[];
  paths: StatePaths[];
  anchors: Anchor[];
  fields: FieldGrid[];
}

export interface LineSeries {
  name: string;
  values: NumberArray;
}

export interface LineFigure {
  title: string;
  y_name: string;
  unit?: string;
  log?: boolean;
  note?: string;
  series: LineSeries[];
}

export interface Training {
  steps: NumberArray;
  seconds?: NumberArray;
  phases?: { name: string; from: number }[];
  plots: LineFigure[];
}

export interface Calibration {
  note?: string;
  scores?: { name: string; value: number | null; note?: string }[];
  coverage?: { name: string; count?: number; nominal: NumberArray; observed: NumberArray }[];
  pit?: { counts: NumberArray };
  horizon?: { times: NumberArray; plots: LineFigure[] };
}

export interface Learned {
  facts?: Fact[];
  lengthscales?: number[][];
  state_spread?: number[];
  amplitudes?: number[];
  noise?: { channel: number; sd: number; spread?: number }[];
}

// A section about what the model implies, made by an analysis.
export interface Insight {
  id: string;
  title: string;
  intro?: string;
  tables?: { title: string; head: string[]; rows: string[][]; note?: string }[];
  texts?: { title: string; text: string }[];
  pictures?: { title: string; svg: string }[]; // the file in base64
}

export interface Report {
  format: string;
  format_version: number;
  meta: Meta;
  trajectories: Trajectory[];
  channels: Channel[];
  states?: States;
  training?: Training;
  calibration?: Calibration;
  learned?: Learned;
  insight?: Insight[];
}

export const FORMAT = "gpode-report";
export const FORMAT_VERSION = 1;

// Parses the page's data. Throws an Error whose message is a sentence for the reader of the page.
export function parseReport(text: string): Report {
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch {
    throw new Error("This page holds no report: its data are not JSON. Was the file cut off?");
  }
  if (report?.format !== FORMAT) throw new Error("This page holds no report.");
  if (report.format_version !== FORMAT_VERSION) {
    throw new Error(`The report has format ${report.format_version}; this page reads format ${FORMAT_VERSION}.`);
  }
  return report;
}
