// Tests of the parts that need no browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { extent, interpolate, lowerBound, numbers } from "../src/arrays";
import { valueRange, type ChannelData } from "../src/channel_data";
import { calendarOf, dateTicks, formatDate } from "../src/dates";
import { Field, fieldOf } from "../src/field";
import { parseReport } from "../src/report";
import { streamlines, type Point } from "../src/streamlines";
import { axisLabel, format, formatSeconds, short } from "../src/text";
import { thin } from "../src/thin";
import { f32, f64, fillPage, vanDerPol } from "./example";
import { generator } from "./random";

test("numbers are decoded from lists and base64, missing ones as NaN", () => {
  assert.deepEqual(Array.from(numbers([1, null, -2.5])), [1, NaN, -2.5]);
  assert.deepEqual(Array.from(numbers(f64([0.1, NaN, 1e300]))), [0.1, NaN, 1e300]);
  assert.deepEqual(Array.from(numbers(f32([0.5, -1024]))), [0.5, -1024]);
  assert.equal(numbers(undefined).length, 0);
});

test("bytes are little-endian floats", () => {
  assert.deepEqual(Array.from(numbers({ f32: "AACAPw==" })), [1]);
  assert.deepEqual(Array.from(numbers({ f64: "AAAAAAAA8D8=" })), [1]);
});

test("times that stand for dates", () => {
  const hours = calendarOf({ title: "", version: "", time_origin: 1078941600, time_seconds: 3600 })!;
  assert.equal(formatDate(6.5, hours), "2004-03-11 00:30");
  assert.deepEqual(dateTicks(0, 12, hours, 4).map((tick) => tick.text), ["03-10 18:00", "03-11 00:00", "03-11 06:00"]);
  assert.deepEqual(dateTicks(0, 12, hours, 4).map((tick) => tick.value), [0, 6, 12]);
  assert.deepEqual(dateTicks(0, 24 * 100, hours, 4).map((tick) => tick.text), ["2004-04", "2004-05", "2004-06"]);
  assert.deepEqual(dateTicks(0, 1e-6, hours, 4), []);
  assert.equal(calendarOf({ title: "", version: "" }), undefined);
});

test("search, extremes and interpolation", () => {
  assert.equal(lowerBound([1, 2, 2, 3], 2), 1);
  assert.equal(lowerBound([1, 2], 5), 2);
  assert.deepEqual(extent([NaN, 3, -1], [7, Infinity]), [-1, 7]);
  assert.equal(extent([NaN]), null);
  assert.equal(interpolate([0, 2], [10, 20], 1), 15);
  assert.equal(interpolate([0, 2], [10, 20], 2), 20);
  assert.ok(Number.isNaN(interpolate([0, 2], [10, 20], 2.1)));
});

test("few points are all kept, but for missing ones", () => {
  const kept = thin([0, 1, 2, 3], [5, NaN, 6, 7], 0, 2, 10, 100);
  assert.deepEqual(kept, { all: true, indices: [0, 2], seen: 2 });
});

test("thinning keeps the extremes of every column", () => {
  const random = generator(3);
  const n = 20000;
  const times = Array.from({ length: n }, (_, i) => i / n);
  const values = times.map(() => random.normal());
  const columns = 100;
  const kept = thin(times, values, 0, 1, columns, 500);
  assert.equal(kept.seen, n);
  assert.ok(!kept.all && kept.indices.length <= 2 * (columns + 1));
  for (let column = 0; column < columns; ++column) {
    const inside = (i: number) => Math.floor(times[i]! * columns) === column;
    const all = values.filter((_, i) => inside(i));
    const shown = kept.indices.filter(inside).map((i) => values[i]!);
    assert.deepEqual(extent(shown), extent(all));
  }
  assert.deepEqual([...kept.indices].sort((a, b) => a - b), kept.indices);
});

test("streamlines stay in the box, apart from each other, and follow the field", () => {
  const [width, height, distance] = [400, 300, 20];
  const circle = (x: number, y: number): Point => [-(y - 150), x - 200];
  const lines = streamlines(circle, width, height, distance);
  assert.ok(lines.length > 8);
  lines.forEach((line, k) => {
    for (const [x, y] of line) assert.ok(x >= 0 && y >= 0 && x <= width && y <= height);
    const radii = line.map(([x, y]) => Math.hypot(x - 200, y - 150));
    assert.ok(Math.max(...radii) - Math.min(...radii) < 2, "a circle");
    for (const other of lines.slice(k + 1)) {
      for (const [x, y] of line) for (const [a, b] of other) assert.ok(Math.hypot(x - a, y - b) > 0.4 * distance);
    }
  });
});

test("a field that is zero or not a number has no streamlines", () => {
  assert.deepEqual(streamlines(() => [0, 0], 100, 100, 20), []);
  assert.deepEqual(streamlines(() => [NaN, 1], 100, 100, 20), []);
});

test("a field read with its axes swapped is the transposed field", () => {
  const states = vanDerPol().states!;
  const straight = fieldOf(states, 0, 1, 0)!;
  const turned = fieldOf(states, 1, 0, 0)!;
  assert.equal(straight.at(straight.dx, 0.7, -1.1), turned.at(turned.dy, -1.1, 0.7));
  assert.equal(straight.at(straight.sdDy, 0.7, -1.1), turned.at(turned.sdDx, -1.1, 0.7));
  assert.equal(fieldOf(states, 0, 2, 0), undefined);
});

test("a field is linear between grid points, and nothing outside", () => {
  const field = new Field([0, 1], [0, 2], 2, 2, Float64Array.of(0, 1, 2, 3), new Float64Array(4), new Float64Array(4), new Float64Array(4));
  assert.equal(field.at(field.dx, 0.5, 1), 1.5);
  assert.equal(field.at(field.dx, 1, 2), 3);
  assert.equal(field.at(field.dx, 1.01, 1), null);
});

test("bands that run away do not flatten the observations", () => {
  const none = new Float64Array(0);
  const data: ChannelData = {
    times: Float64Array.of(0, 1), observed: Float64Array.of(0, 1), grid: Float64Array.of(0, 1), median: Float64Array.of(0, 1),
    low50: none, high50: none, low95: Float64Array.of(-1e9, -1e9), high95: Float64Array.of(2, 2), draws: [], testTimes: none, test: none,
    lowNoise: none, highNoise: none, forecastFrom: null,
  };
  const shown = { observed: true, median: true, band50: true, band95: true, noise: true, draws: true, test: true };
  const [low, high] = valueRange(data, { from: 0, to: 1 }, shown);
  assert.ok(low > -3 && low < -1 && high > 2 && high < 3);
});

test("numbers and names as text", () => {
  assert.equal(format(0.1 + 0.2), "0.3");
  assert.equal(format(-1234567.89), "-1234570");
  assert.equal(format(NaN), "none");
  assert.equal(formatSeconds(0.0123), "12.3 ms");
  assert.equal(formatSeconds(7325), "2 h 2 min");
  assert.equal(short("a\n b\t"), "a b");
  assert.equal(short("x".repeat(10000), 10), `${"x".repeat(9)}\u2026`);
  assert.equal(short(" "), "(no name)");
  assert.equal(axisLabel("speed", "m/s", 20), "speed (m/s)");
  assert.ok(axisLabel("x".repeat(99), "y".repeat(99), 30).length <= 30);
});

test("no text of the data ends the element that holds them", () => {
  const report = vanDerPol();
  report.meta.title = "</script><script>";
  const page = fillPage("<script>__GPODE_REPORT__</script>", report);
  assert.equal(page.split("<").length, 3);
  assert.equal(parseReport(page.slice(8, -9)).meta.title, report.meta.title);
});

test("the documentation names every field", () => {
  const fields = readFileSync("src/report.ts", "utf8").matchAll(/^  (\w+)\??: /gm);
  const text = readFileSync("../docs/report.md", "utf8");
  const names = new Set(Array.from(fields, (match) => match[1]!));
  assert.ok(names.size > 50);
  for (const name of names) assert.match(text, new RegExp(`\\b${name}\\b`), `docs/report.md lacks ${name}`);
});

test("data of another format are refused with a sentence", () => {
  assert.throws(() => parseReport("{"), /not JSON/);
  assert.throws(() => parseReport("null"), /no report/);
  assert.throws(() => parseReport(`{"format": "gpode-report", "format_version": 99}`), /format 99/);
});
