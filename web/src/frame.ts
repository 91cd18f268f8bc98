// Axes of a plot in SVG: a frame with ticks, grid and labels, and the maps from values to pixels.
import { ticks } from "d3-array";
import { svg } from "./dom";
import { formatTick } from "./text";

export interface FrameOptions {
  width: number;
  height: number;
  x: [number, number];
  y: [number, number];
  xLabel: string;
  yLabel: string;
  percent?: boolean; // true if both axes are shares, shown in per cent
}

export interface Frame {
  root: SVGSVGElement;
  plot: SVGGElement; // the group that is clipped to the frame
  over: SVGGElement; // the group above it, which is not clipped
  left: number;
  top: number;
  width: number;
  height: number;
  toX(value: number): number;
  toY(value: number): number;
  fromX(pixel: number): number;
  fromY(pixel: number): number;
}

let clips = 0;

export function frame(options: FrameOptions): Frame {
  const show = (value: number) => (options.percent ? `${formatTick(Math.round(value * 1000) / 10)} %` : formatTick(value));
  const yTicks = ticks(options.y[0], options.y[1], Math.max(2, Math.floor(options.height / 55)));
  const widest = Math.max(...yTicks.map((value) => show(value).length), 1);
  const margin = { left: 28 + 7 * widest, right: 22, top: 8, bottom: 42 };
  const width = Math.max(40, options.width - margin.left - margin.right);
  const height = Math.max(40, options.height - margin.top - margin.bottom);
  const id = `clip${++clips}`;
  const plot = svg("g", { "clip-path": `url(#${id})` });
  const over = svg("g");
  const result: Frame = {
    root: svg("svg", { width: options.width, height: options.height, "aria-hidden": "true" }),
    plot, over, left: margin.left, top: margin.top, width, height,
    toX: (value) => margin.left + ((value - options.x[0]) / (options.x[1] - options.x[0])) * width,
    toY: (value) => margin.top + height - ((value - options.y[0]) / (options.y[1] - options.y[0])) * height,
    fromX: (pixel) => options.x[0] + ((pixel - margin.left) / width) * (options.x[1] - options.x[0]),
    fromY: (pixel) => options.y[0] + ((margin.top + height - pixel) / height) * (options.y[1] - options.y[0]),
  };
  const axes = svg("g", { class: "axes" });
  const xTicks = ticks(options.x[0], options.x[1], Math.max(2, Math.floor(width / 75)));
  for (const value of xTicks) drawXTick(axes, result, value, show(value));
  for (const value of yTicks) drawYTick(axes, result, value, show(value));
  drawLabels(axes, result, options);
  const clip = svg("clipPath", { id }, svg("rect", { x: margin.left, y: margin.top, width, height }));
  result.root.append(svg("defs", {}, clip), axes, plot, over);
  return result;
}

function drawXTick(axes: SVGElement, f: Frame, value: number, text: string): void {
  const x = f.toX(value);
  axes.append(
    svg("line", { class: "grid", x1: x, x2: x, y1: f.top, y2: f.top + f.height + 4 }),
    svg("text", { x, y: f.top + f.height + 17, "text-anchor": "middle" }, text));
}

function drawYTick(axes: SVGElement, f: Frame, value: number, text: string): void {
  const y = f.toY(value);
  axes.append(
    svg("line", { class: "grid", x1: f.left - 4, x2: f.left + f.width, y1: y, y2: y }),
    svg("text", { x: f.left - 7, y: y + 4, "text-anchor": "end" }, text));
}

function drawLabels(axes: SVGElement, f: Frame, options: FrameOptions): void {
  const middle = f.top + f.height / 2;
  axes.append(
    svg("rect", { class: "edge", x: f.left, y: f.top, width: f.width, height: f.height }),
    svg("text", { x: f.left + f.width / 2, y: f.top + f.height + 35, "text-anchor": "middle" }, options.xLabel),
    svg("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${middle}) rotate(-90)` }, options.yLabel));
}

// Returns a path through points in pixels, with gaps at coordinates that are not numbers.
export function pathThrough(points: Iterable<[number, number]>): string {
  let path = "";
  let down = false;
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      down = false;
      continue;
    }
    path += `${down ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    down = true;
  }
  return path;
}
