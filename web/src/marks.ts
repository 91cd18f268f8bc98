// Marks on the canvas of a channel's plot that uPlot does not draw by itself.
import type uPlot from "uplot";
import type { ChannelData } from "./channel_data";
import { FONT } from "./axes";
import { color } from "./theme";
import { thin } from "./thin";
import type { Range } from "./view";

// The room above a plot for paintAbove, in CSS pixels.
export const ABOVE = 20;

export function clipped(u: uPlot, paint: (ctx: CanvasRenderingContext2D, ratio: number) => void): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  paint(ctx, devicePixelRatio);
  ctx.restore();
}

// Shades the part of the plot that is a forecast, beneath everything else.
export function paintForecastRegion(u: uPlot, from: number | null, to: number): void {
  if (from === null || !(from < to)) return;
  clipped(u, (ctx, ratio) => {
    const { left, top, width, height } = u.bbox;
    const x = Math.max(left, u.valToPos(from, "x", true));
    if (x >= left + width) return;
    ctx.fillStyle = color("forecast");
    ctx.fillRect(x, top, left + width - x, height);
    ctx.strokeStyle = color("soft");
    ctx.lineWidth = ratio;
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
  });
  paintAbove(u, "forecast", Math.max(u.bbox.left, u.valToPos(from, "x", true)));
}

// Writes a word in the margin above the plot, to the right of x in canvas pixels, or to its left if
// there is no room. Writes nothing if the word would begin to the left of `free`. Returns the x
// from which the margin is free afterwards.
export function paintAbove(u: uPlot, text: string, x: number, free = 0): number {
  const { ctx, bbox } = u;
  if (x < bbox.left || x > bbox.left + bbox.width) return free;
  ctx.save();
  ctx.font = FONT.replace(/\d+/, (size) => String(Number(size) * devicePixelRatio));
  ctx.textBaseline = "bottom";
  ctx.fillStyle = color("soft");
  const wide = ctx.measureText(text).width;
  const left = x + wide > bbox.left + bbox.width ? x - wide : x;
  ctx.textAlign = "left";
  if (left >= free) ctx.fillText(text, left, bbox.top - 3 * devicePixelRatio);
  ctx.restore();
  return left >= free ? left + wide + 8 * devicePixelRatio : free;
}

export interface Painted {
  points: number; // the number of marks on the canvas
  seen: number; // the number of observations in the range
}

// Draws dots or, if there are many, one bar per column of pixels from the lowest to the highest.
export function paintObserved(u: uPlot, data: ChannelData, range: Range): Painted {
  const columns = Math.max(50, Math.round(u.bbox.width / devicePixelRatio / 2));
  const kept = thin(data.times, data.observed, range.from, range.to, columns, 4 * columns);
  clipped(u, (ctx, ratio) => {
    ctx.fillStyle = ctx.strokeStyle = color("observed");
    const radius = (kept.indices.length > 300 ? 1.3 : 2.4) * ratio;
    const at = (i: number): [number, number] =>
      [u.valToPos(data.times[i]!, "x", true), u.valToPos(data.observed[i]!, "y", true)];
    if (!kept.all) paintBars(ctx, kept.indices.map(at), ratio);
    ctx.beginPath();
    for (const i of kept.indices) {
      const [x, y] = at(i);
      ctx.moveTo(x + radius, y);
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
    }
    ctx.fill();
  });
  return { points: kept.indices.length, seen: kept.seen };
}

function paintBars(ctx: CanvasRenderingContext2D, points: [number, number][], ratio: number): void {
  ctx.globalAlpha = 0.3;
  ctx.lineWidth = 2 * ratio;
  ctx.beginPath();
  for (let i = 0; i + 1 < points.length; ++i) {
    const [x, y] = points[i]!;
    const [next, other] = points[i + 1]!;
    if (next - x >= 2 * ratio) continue;
    ctx.moveTo((x + next) / 2, y);
    ctx.lineTo((x + next) / 2, other);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
}

// Draws test points as open diamonds, so that they differ from observations not only by colour; if there are many, as small ones
// and one bar per column of pixels.
export function paintTest(u: uPlot, data: ChannelData, range: Range): Painted {
  const columns = Math.max(50, Math.round(u.bbox.width / devicePixelRatio / 2));
  const kept = thin(data.testTimes, data.test, range.from, range.to, columns, 2 * columns);
  clipped(u, (ctx, ratio) => {
    const dense = kept.indices.length > 200;
    const size = (dense ? 1.8 : 3.6) * ratio;
    const at = (i: number): [number, number] =>
      [u.valToPos(data.testTimes[i]!, "x", true), u.valToPos(data.test[i]!, "y", true)];
    ctx.strokeStyle = color("test");
    if (!kept.all) paintBars(ctx, kept.indices.map(at), ratio);
    ctx.beginPath();
    for (const i of kept.indices) {
      const [x, y] = at(i);
      ctx.moveTo(x - size, y);
      ctx.lineTo(x, y - size);
      ctx.lineTo(x + size, y);
      ctx.lineTo(x, y + size);
      ctx.closePath();
    }
    ctx.fillStyle = color("paper");
    if (!dense) ctx.fill();
    ctx.lineWidth = (dense ? 1 : 1.4) * ratio;
    ctx.stroke();
  });
  return { points: kept.indices.length, seen: kept.seen };
}
