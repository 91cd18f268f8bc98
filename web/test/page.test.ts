// Tests of the page in a real browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { numbers } from "../src/arrays";
import type { Report } from "../src/report";
import { format, short } from "../src/text";
import { openBrowser } from "./browser";
import { fillPage, hostile, HOSTILE_NAMES, huge, insight, threeStates, vanDerPol } from "./example";

const WIDTHS = [390, 1280];
const template = readFileSync("dist/report.html", "utf8");
let browser: Browser;
let folder: string;
let pages = 0;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpode-report-"));
  browser = await openBrowser();
});

after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

// Opens a report, runs checks on it, and checks that nothing was fetched and no error was logged.
async function visit(html: string, width: number, check: (page: Page) => Promise<void>, scheme: "light" | "dark" = "light"): Promise<void> {
  const file = join(folder, `${++pages}.html`);
  writeFileSync(file, html);
  const address = pathToFileURL(file).href;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, deviceScaleFactor: 1, reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error.stack)));
  page.on("request", (request) => {
    if (request.url() !== address && !request.url().startsWith("data:")) complaints.push(`request for ${request.url()}`);
  });
  try {
    await page.goto(address);
    await page.waitForSelector("#page[data-ready]");
    await check(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

const visitReport = (report: Report, width: number, check: (page: Page) => Promise<void>, scheme?: "light" | "dark") =>
  visit(fillPage(template, report), width, check, scheme);

const channel = (page: Page, index: number) => page.locator(".plot.time").nth(index);

async function data(page: Page, index: number): Promise<Record<string, string>> {
  const plot = channel(page, index);
  await plot.scrollIntoViewIfNeeded();
  await page.waitForFunction((i) => document.querySelectorAll<HTMLElement>(".plot.time")[i]?.dataset["points"] !== undefined, index);
  return plot.evaluate((element) => ({ ...(element as HTMLElement).dataset }) as Record<string, string>);
}

async function seeAll(page: Page): Promise<void> {
  for (const plot of await page.locator(".plot").all()) {
    await plot.scrollIntoViewIfNeeded();
    await plot.locator("canvas, svg").first().waitFor();
  }
}

// Returns the position of a time in a channel's plot, and of the plot's middle, in pixels of the
// window.
async function placeOf(page: Page, index: number, time: number): Promise<{ x: number; y: number }> {
  const [from, to] = (await data(page, index))["range"]!.split(" ").map(Number) as [number, number];
  const box = await settledBox(channel(page, index).locator(".u-over"));
  return { x: box.x + ((time - from) / (to - from)) * box.width, y: box.y + box.height / 2 };
}

// Returns the box of an element after it has stopped moving: plots that become visible above it may
// still move it.
async function settledBox(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  for (let last = (await element.boundingBox())!; ; ) {
    await element.page().waitForTimeout(60);
    const now = (await element.boundingBox())!;
    if (now.y === last.y) return now;
    last = now;
  }
}

async function fitsWidth(page: Page): Promise<void> {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide! <= window!, `the page is ${wide} pixels wide, the window ${window}`);
}

for (const width of WIDTHS) {
  test(`every plot has its marks, at ${width} pixels`, () => visitReport(vanDerPol(), width, async (page) => {
    await fitsWidth(page);
    for (const index of [0, 1]) {
      const { observed, points, test: tests, bands, median, draws } = await data(page, index);
      assert.deepEqual({ observed, points, tests, bands, median, draws },
        { observed: "48", points: "48", tests: "24", bands: "2", median: "1", draws: "0" });
    }
    await seeAll(page);
    assert.equal(await page.locator("#portrait .observed circle").count(), 50);
    assert.equal(await page.locator("#portrait .inducing path").count(), 16);
    assert.equal(await page.locator("#portrait .median").count(), 2);
    assert.ok((await page.locator("#portrait .streamlines path:not(.arrow)").count()) > 20);
    assert.ok((await page.locator("#portrait .uncertainty path").count()) >= 3);
    const lines = await page.locator("#training .plot").evaluateAll((plots) => plots.map((plot) => (plot as HTMLElement).dataset["lines"]));
    assert.deepEqual(lines, ["4", "2", "4", "2"]);
    assert.equal(await page.locator("#calibration .bar").count(), 10);
    assert.equal(await page.locator("#calibration circle").count(), 3);
    assert.equal(await page.locator(".relevance .heat").count(), 4);
    await fitsWidth(page);
  }));

  test(`hovering shows the value of the data, at ${width} pixels`, () => visitReport(vanDerPol(), width, async (page) => {
    const report = vanDerPol();
    const [times, values] = [numbers(report.trajectories[0]!.times), numbers(report.channels[1]!.series[0]!.observed)];
    for (const i of [0, 20, 49]) {
      const { x, y } = await placeOf(page, 1, times[i]!);
      await page.mouse.move(x, y);
      const text = await page.locator("#tooltip").innerText();
      assert.ok(text.includes(`time (s) ${format(times[i]!)}`), text);
      assert.ok(text.includes(format(values[i]!)), text);
    }
    const box = (await page.locator("#tooltip").boundingBox())!;
    assert.ok(box.x >= 0 && box.x + box.width <= width);
  }));

  test(`toggles take marks away and bring them back, at ${width} pixels`, () => visitReport(vanDerPol(), width, async (page) => {
    const ink = () => channel(page, 0).locator("canvas").evaluate((canvas) => {
      const { width: w, height: h } = canvas as HTMLCanvasElement;
      const pixels = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, w, h).data;
      let count = 0;
      for (let i = 0; i < pixels.length; i += 4) if (pixels[i]! === 0x22 && pixels[i + 1]! === 0x27 && pixels[i + 2]! === 0x2d) ++count;
      return count;
    });
    await data(page, 0);
    const toggle = (layer: string) => page.locator(`#channels input[data-layer=${layer}]`).click();
    const before = await ink();
    assert.ok(before > 48 * 5, `${before} pixels of observations`);
    await toggle("observed");
    assert.equal(await ink(), 0);
    assert.equal((await data(page, 0))["points"], "0");
    await toggle("observed");
    assert.equal(await ink(), before);
    for (const [layer, key, value] of [["band95", "bands", "1"], ["draws", "draws", "6"], ["test", "test", "0"], ["median", "median", "0"]] as const) {
      await toggle(layer);
      assert.equal((await data(page, 0))[key], value);
    }
  }));

  test(`axis and anchor choices change the portrait, at ${width} pixels`, () => visitReport(threeStates(), width, async (page) => {
    const portrait = page.locator("#portrait .portrait");
    await portrait.scrollIntoViewIfNeeded();
    const label = (which: number) => portrait.locator(".axes text").evaluateAll((texts, k) => texts[texts.length - k]!.textContent, 2 - which);
    const lines = () => portrait.locator(".streamlines path").first().getAttribute("d");
    await portrait.locator("svg").waitFor();
    const selects = page.locator("#portrait select");
    assert.deepEqual([await label(0), await label(1)], ["left", "right"]);
    const first = await lines();
    await selects.nth(0).selectOption({ label: "up" });
    assert.deepEqual([await label(0), await label(1)], ["up", "right"]);
    assert.notEqual(await lines(), first);
    await selects.nth(1).selectOption({ label: "up" }); // This is on the other axis, so they swap.
    assert.deepEqual([await label(0), await label(1)], ["right", "up"]);
    const second = await lines();
    await selects.nth(2).selectOption({ index: 2 });
    assert.notEqual(await lines(), second);
    const draws = page.locator("#portrait input[data-layer=draws]");
    await draws.click();
    assert.equal(await portrait.locator(".draw").count(), 18);
    await draws.click();
    assert.equal(await portrait.locator(".draw").count(), 0);
  }));

  test(`hostile names show as text, at ${width} pixels`, () => visitReport(hostile(), width, async (page) => {
    await seeAll(page);
    assert.equal(await page.evaluate(() => (window as { hacked?: number }).hacked), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 1);
    const headings = await page.locator("#channels h3").evaluateAll((all) => all.map((heading) => heading.textContent));
    // HTML cannot contain a null character, but JSON can.
    assert.deepEqual(headings, HOSTILE_NAMES.map((name) => (name ? `${name} (${short(name, 20)})` : "(no name)")));
    await fitsWidth(page);
    const { x, y } = await placeOf(page, 0, 3);
    await page.mouse.move(x, y);
    const text = await page.locator("#tooltip").innerText();
    assert.ok(text.includes("<script>"), text);
  }));
}

test("buttons, keys and dragging zoom all channels together, and back", () => visitReport(vanDerPol(), 1280, async (page) => {
  const range = async (index = 0) => (await data(page, index))["range"]!.split(" ").map(Number) as [number, number];
  const span = async (index = 0) => {
    const [from, to] = await range(index);
    return to - from;
  };
  const all = await span();
  const near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 0.02 * all, `${a} is not ${b}`);
  await page.getByRole("button", { name: "Zoom in" }).click();
  near(await span(0), all / 2);
  near(await span(1), all / 2);
  await page.getByRole("button", { name: "Later" }).click();
  near((await range())[0], 7);
  await page.getByRole("button", { name: "All" }).click();
  near(await span(), all);
  await channel(page, 0).focus();
  await page.keyboard.press("+");
  near(await span(), all / 2);
  await page.keyboard.press("0");
  near(await span(), all);
  const [from, to] = [await placeOf(page, 0, 2), await placeOf(page, 0, 6)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  near((await range())[0], 2);
  near((await range(1))[1], 6);
  await page.keyboard.down("Shift");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  assert.ok((await range())[0] < 1.9, "moved to earlier times");
  await page.mouse.dblclick(to.x, to.y);
  near(await span(), all);
}));

test("the keyboard goes from observation to observation and says them", () => visitReport(vanDerPol(), 1280, async (page) => {
  const values = numbers(vanDerPol().channels[0]!.series[0]!.observed);
  await data(page, 0);
  await channel(page, 0).focus();
  for (const value of [values[0]!, values[1]!]) {
    await page.keyboard.press("ArrowRight");
    assert.ok((await page.locator("[role=status]").innerText()).includes(`observed ${format(value)}`));
  }
  await page.keyboard.press("ArrowLeft");
  assert.ok((await page.locator("[role=status]").innerText()).includes(`observed ${format(values[0]!)}`));
}));

test("every plot has a role and a label, every control a name", () => visitReport(threeStates(), 1280, async (page) => {
  await seeAll(page);
  for (const plot of await page.locator(".plot").all()) {
    assert.equal(await plot.getAttribute("role"), "img");
    assert.ok(((await plot.getAttribute("aria-label")) ?? "").length > 20);
  }
  for (const control of await page.locator("button, select, input").all()) {
    const name = await control.evaluate((element) =>
      element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent ?? "");
    assert.ok(name.trim().length > 0);
  }
  const table = page.locator("#channels .behind").first();
  await table.locator("summary").click();
  const report = threeStates();
  const first = numbers(report.channels[0]!.series[0]!.observed)[0]!;
  assert.ok((await table.locator("tbody tr").first().innerText()).includes(format(first)));
}));

test("another trajectory shows its own observations", () => visitReport(threeStates(), 1280, async (page) => {
  const values = numbers(threeStates().channels[0]!.series[2]!.observed);
  await data(page, 0);
  await page.locator("#channels select").selectOption({ index: 2 });
  const { x, y } = await placeOf(page, 0, 0);
  await page.mouse.move(x, y);
  assert.ok((await page.locator("#tooltip").innerText()).includes(format(values[0]!)));
}));

test("training is shown over steps or seconds", () => visitReport(vanDerPol(), 1280, async (page) => {
  const plot = page.locator("#training .plot").first();
  await plot.scrollIntoViewIfNeeded();
  await plot.locator("canvas").waitFor();
  assert.equal(await plot.getAttribute("data-abscissa"), "step");
  await page.locator("#training select").selectOption({ label: "seconds" });
  assert.equal(await plot.getAttribute("data-abscissa"), "time of training (s)");
}));

test("the verdict comes first, then held-back skill, then every warning", async () => {
  const report = vanDerPol();
  const row = { channel: 0, values: 10, rmse: 0.5, persistence: 1, linear: 2, inside: 0.6, inside_widened: 0.9, skill: 0.75 };
  report.meta.holdout = { seen_times: 40, held_times: 10, rows: [{ ...row, from: 0, to: 1 }, { ...row, from: 1, to: 2, rmse: null, skill: null },
    { ...row, channel: 1, from: 0, to: 1 }] };
  report.meta.warnings = Array.from({ length: 9 }, (_, i) => `warning number ${i}`);
  await visitReport(report, 390, async (page) => {
    const kinds = await page.locator("#top > *").evaluateAll((all) => all.map((one) => one.className || one.tagName));
    assert.deepEqual(kinds.slice(0, 5), ["H1", "verdict", "holdout", "warnings", "lead"]);
    assert.equal(await page.locator(".verdict").textContent(), report.meta.verdict);
    assert.match(await page.locator(".holdout > p").innerText(), /the last 10 of 50 times.*: skill 0.75 for y\./);
    assert.equal(await page.locator(".holdout tbody tr").count(), 3);
    assert.match(await page.locator(".holdout tbody tr").nth(1).innerText(), /1 to 2\s+10\s+none\s+1\s+2\s+none\s+60 %\s+90 %/);
    assert.equal(await page.locator(".warnings li:visible").count(), 6);
    await page.locator(".warnings summary").click();
    assert.equal(await page.locator(".warnings li:visible").count(), 9);
    await fitsWidth(page);
  });
});

test("sections of analyses appear when computed, pictures without their scripts", async () => {
  await visitReport(vanDerPol(), 1280, async (page) => assert.equal(await page.locator("#dynamics").count(), 0));
  for (const width of WIDTHS) {
    await visitReport({ ...vanDerPol(), insight: [insight()] }, width, async (page) => {
      const section = page.locator("#dynamics");
      assert.equal(await page.locator('nav a[href="#dynamics"]').textContent(), "Dynamics");
      assert.match(await section.locator("pre").innerText(), /dx\/dt = 1.01\*y\ndy\/dt/);
      assert.deepEqual(await section.locator("td").allTextContents(), ["1", "1.00", "-0.02 (-0.1 to 0.1)", "spiral 1.00"]);
      const image = section.locator("img");
      assert.ok(await image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth === 460));
      assert.ok(await image.evaluate((one) => one.getBoundingClientRect().right <= innerWidth));
      assert.equal(await page.evaluate(() => (window as { hacked?: number }).hacked), undefined);
    });
  }
});

test("light and dark follow the system, then the reader", () => visitReport(vanDerPol(), 1280, async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.getByRole("button", { name: "Use light colours" }).click();
  assert.equal(await paper(), "rgb(255, 255, 255)");
  await page.reload();
  await page.waitForSelector("#page[data-ready]");
  assert.equal(await paper(), "rgb(255, 255, 255)");
  await page.getByRole("button", { name: "Use dark colours" }).click();
  assert.equal(await paper(), dark);
  assert.notEqual(dark, "rgb(255, 255, 255)");
}, "dark"));

test("paper gets all plots, in light colours", () => visitReport(huge(30, 100), 1280, async (page) => {
  const drawn = () => page.locator(".plot.time canvas").count();
  await page.evaluate(() => {
    addEventListener("beforeprint", () => (document.body.dataset["seen"] = document.documentElement.dataset["theme"]));
  });
  const paper = await page.pdf({ format: "A4", printBackground: true });
  assert.ok(paper.length > 50000);
  assert.equal(await page.evaluate(() => document.body.dataset["seen"]), "light");
  assert.equal(await drawn(), 30);
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
}, "dark"));

test("all plots are drawn although nothing scrolls, also after a choice", () => visitReport(huge(30, 100), 1280, async (page) => {
  const hosts = await page.locator(".plot").count();
  await page.waitForFunction((count) => document.querySelectorAll(".plot canvas, .plot svg").length === count, hosts);
  await page.locator("#channels input[data-layer=observed]").click();
  await page.waitForFunction(() => Array.from(document.querySelectorAll<HTMLElement>(".plot.time")).every((plot) => plot.dataset["points"] === "0"));
  assert.equal(await page.evaluate(() => scrollY), 0);
}));

test("axes follow data and bands, not draws or bands that run away", async () => {
  const report = vanDerPol();
  const series = report.channels[0]!.series[0]!;
  const grid = numbers(report.trajectories[0]!.grid);
  const values = async (page: Page) => (await data(page, 0))["values"]!.split(" ").map(Number) as [number, number];
  await visitReport(report, 1280, async (page) => {
    const [low, high] = await values(page);
    await page.locator("#channels input[data-layer=draws]").click();
    assert.deepEqual(await values(page), [low, high]);
    await page.locator("#channels input[data-layer=noise]").click();
    assert.equal((await data(page, 0))["noise"], "0");
    const [lowWithout, highWithout] = await values(page);
    assert.ok(lowWithout > low && highWithout < high, "the band of observations has room");
  });
  series.draws = [Array.from(grid, (time) => 1e6 * time)];
  series.high95 = Array.from(grid, (time) => (time > 10 ? 1e5 : 2));
  series.median = Array.from(grid, (time) => (time > 13 ? 1e4 : 0));
  await visitReport(report, 1280, async (page) => {
    await page.locator("#channels input[data-layer=draws]").click();
    const [low, high] = await values(page);
    assert.ok(high - low < 15, `from ${low} to ${high}`);
  });
});

test("many test points do not hide the forecast", async () => {
  const report = vanDerPol();
  const grid = Array.from(numbers(report.trajectories[0]!.grid)).filter((time) => time > 7);
  const times = grid.flatMap((time) => [time, time + 0.005, time + 0.01, time + 0.015]);
  report.trajectories[0]!.test_times = times;
  for (const channel of report.channels) {
    const series = channel.series[0]!;
    series.median = numbers(report.trajectories[0]!.grid).length ? Array.from(numbers(report.trajectories[0]!.grid), () => 0) : [];
    series.test = times.map(() => 0);
  }
  await visitReport(report, 1280, async (page) => {
    await data(page, 0);
    // The median, #0072b2, is level: its pixels are as many along the test points as along the data.
    const blue = await channel(page, 0).locator("canvas").evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const pixels = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height).data;
      const columns = new Set<number>();
      for (let i = 0; i < pixels.length; i += 4) if (pixels[i] === 0 && pixels[i + 1] === 0x72 && pixels[i + 2] === 0xb2) columns.add((i / 4) % width);
      return { share: columns.size / width };
    });
    assert.ok(blue.share > 0.75, `${blue.share} of the columns show the median`);
  });
});

test("a long trajectory is first shown at the end of its data", async () => {
  const report = vanDerPol();
  const along = report.trajectories[0]!;
  along.grid = Array.from({ length: 14001 }, (_, i) => i / 1000);
  for (const { series } of report.channels) series[0] = { observed: series[0]!.observed };
  await visitReport(report, 1280, async (page) => {
    const range = async () => (await data(page, 0))["range"]!.split(" ").map(Number) as [number, number];
    const [from, to] = await range();
    assert.ok(from > 6 && from < 7 && to > 7 && to < 8, `${from} to ${to}`);
    assert.equal(await page.locator(".zoomed").count(), 1);
    await page.getByRole("button", { name: "All" }).click();
    assert.ok((await range())[0] <= 0);
  });
});

test("dates are in the table and the description", async () => {
  const report = vanDerPol();
  [report.meta.time_origin, report.meta.time_seconds] = [1078876800, 86400]; // 2004-03-10
  await visitReport(report, 1280, async (page) => {
    await data(page, 0);
    assert.match((await channel(page, 0).getAttribute("aria-label"))!, /forecast from 2004-03-17/);
    const table = page.locator("#channels .behind").first();
    await table.locator("summary").click();
    assert.match(await table.locator("tbody tr").first().innerText(), /^2004-03-10\s/);
    assert.match(await table.locator("thead").innerText(), /^time\s/);
  });
});

test("a path has times of its own", async () => {
  const report = vanDerPol();
  const path = report.states!.paths[0]!;
  path.times = [5, 6, 7, 8, 9];
  path.median = [[0, 1, 1, 0, 0], [0, 0, 1, 1, 0]];
  report.states!.note = "A part of the path.";
  await visitReport(report, 1280, async (page) => {
    await page.locator("#portrait svg").waitFor();
    const points = (d: string | null) => (d ?? "").split(/[ML]/).length - 1;
    assert.equal(points(await page.locator("#portrait .median").nth(0).getAttribute("d")), 3);
    assert.equal(points(await page.locator("#portrait .ahead").getAttribute("d")), 3);
    assert.match(await page.locator("#portrait figure").innerText(), /A part of the path/);
  });
});

test("of many channels, points are thinned with their extremes", () => visitReport(huge(100, 5000), 1280, async (page) => {
  const { observed, points } = await data(page, 0);
  assert.equal(observed, "5000");
  assert.ok(Number(points) < 1500);
  assert.ok(await page.locator("#channels .if-thinned").first().isVisible());
  // The one outlier of the channel is at 9 + 99, far above the wave.
  const last = await data(page, 99);
  assert.equal(last["observed"], "5000");
  const { x, y } = await placeOf(page, 99, (14 * Math.floor(99.5 * 50)) / 5000);
  await page.mouse.move(x, y - 70); // At the middle of the plot, other points would be nearer.
  const text = await page.locator("#tooltip").innerText();
  assert.ok(text.includes("108"), text);
  await page.getByLabel("Find channels").fill("channel 42");
  assert.equal(await page.locator("figure.channel:visible").count(), 1);
}));

test("a report with the least that it may have", async () => {
  const { format: name, format_version } = vanDerPol();
  const least: Report = { format: name, format_version, meta: { title: "least", version: "0" },
    trajectories: [{ name: "", times: [0], grid: [] }], channels: [{ name: "x", series: [{ observed: [1] }] }] };
  await visitReport(least, 1280, async (page) => {
    assert.equal((await data(page, 0))["observed"], "1");
    assert.deepEqual(await page.locator("section").evaluateAll((all) => all.map((part) => part.id)), ["channels", "repeat"]);
  });
});

test("a field of one state is a line", async () => {
  const report = vanDerPol();
  report.states = { names: ["x"], paths: [], anchors: [], inducing: [[-1, 1]], fields: [
    { x: 0, y: null, anchor: 0, x_range: [-2, 2], columns: 5, rows: 1, dx: [4, 1, 0, -1, -4], sd_dx: [1, 0.2, 0.1, 0.2, 1] }] };
  await visitReport(report, 1280, async (page) => {
    await page.locator("#portrait .plot").scrollIntoViewIfNeeded();
    await page.locator("#portrait svg .median").waitFor();
    assert.equal(await page.locator("#portrait .inducing path").count(), 2);
  });
});

test("the example of the documentation opens", async () => {
  const text = readFileSync("../docs/report.md", "utf8").match(/```json\n([^`]*)```/)![1]!;
  await visitReport(JSON.parse(text) as Report, 1280, async (page) => {
    const { observed, bands } = await data(page, 0);
    assert.deepEqual({ observed, bands }, { observed: "2", bands: "2" });
  });
});

test("fingers zoom and move along time", () => visitReport(vanDerPol(), 390, async (page) => {
  const range = async () => (await data(page, 0))["range"]!.split(" ").map(Number) as [number, number];
  const { x, y } = await placeOf(page, 0, 7);
  const device = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
    device.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((place, id) => ({ x: place, y, id })) });
  const [from, to] = await range();
  await touch("touchStart", x - 30, x + 30);
  for (const wider of [40, 50, 60]) await touch("touchMove", x - wider, x + wider);
  await touch("touchEnd");
  const [zoomedFrom, zoomedTo] = await range();
  assert.ok(zoomedTo - zoomedFrom < 0.7 * (to - from), "two fingers zoom");
  await touch("touchStart", x);
  for (const along of [20, 40, 60]) await touch("touchMove", x + along);
  await touch("touchEnd");
  assert.ok((await range())[0] < zoomedFrom, "one finger moves");
}));

test("a page without data says so", async () => {
  const page = await browser.newPage();
  await page.setContent(template);
  assert.match(await page.locator("[role=alert]").innerText(), /holds no report/);
  await page.close();
});

// The tests below open reports that the program writes, of the demo's data and with hostile names.
const program = process.env["GPODE"];
const withProgram = { skip: program === undefined ? "GPODE does not name the program" : false };

const quoted = (name: string) => `"${name.replace(/"/g, '""')}"`;

function reportOfProgram(channel: string, time = "time", ...options: string[]): { html: string; rows: [number, number][]; tests: number } {
  const run = (...words: string[]) => execFileSync(program!, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  run("simulate", "vdp", "--noise", "0.05", "--truth-until", "14", "-o", "vdp.csv");
  for (const file of ["vdp.csv", "vdp.truth.csv"]) {
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replace("time,x1,x2", () => `${quoted(time)},${quoted(channel)},x2`));
  }
  run("fit", "vdp.csv", "--iterations", "300", "-o", "vdp.gpode");
  run("report", "vdp.gpode", "vdp.truth.csv", "--until", "14", "-o", "vdp.html", ...options);
  const table = (file: string) => readFileSync(join(folder, file), "utf8").trim().split("\n").slice(-rowsOf(file)).map((line) => line.split(",").map(Number));
  return {
    html: readFileSync(join(folder, "vdp.html"), "utf8"),
    rows: table("vdp.csv").map((row) => [row[0]!, row[1]!]),
    tests: table("vdp.truth.csv").length,
  };
}

// Returns the number of data rows of a file. Lines cannot be counted instead, because names may
// contain line breaks.
const rowsOf = (file: string) => (file === "vdp.csv" ? 50 : 99);

test("the demo's report shows its data file", withProgram, async () => {
  const { html, rows, tests } = reportOfProgram("x1");
  assert.ok(html.length < 3e6, `${html.length} bytes`);
  for (const width of WIDTHS) {
    await visit(html, width, async (page) => {
      await fitsWidth(page);
      assert.equal(await page.locator(".plot.time").count(), 2);
      const { points, test: shown, bands, median } = await data(page, 0);
      assert.deepEqual({ points, shown, bands, median }, { points: String(rows.length), shown: String(tests), bands: "2", median: "1" });
      for (const [time, value] of [rows[0]!, rows[25]!, rows[49]!]) {
        const { x, y } = await placeOf(page, 0, time);
        await page.mouse.move(x, y);
        const text = await page.locator("#tooltip").innerText();
        assert.ok(text.includes(format(value)), `${value} is missing from ${text}`);
      }
      await seeAll(page);
      assert.equal(await page.locator("#portrait .observed circle").count(), rows.length);
      assert.equal(await page.locator("#portrait .inducing path").count(), 16);
      assert.ok((await page.locator("#portrait .streamlines path:not(.arrow)").count()) > 20);
      assert.equal(await page.locator("#calibration .bar").count(), 20);
      assert.equal(await page.locator(".relevance .heat").count(), 4);
    });
  }
});

test("names and a title that mean harm are shown as text", withProgram, async () => {
  const name = `<script>window.harm=1</script>"'\n<img src=x onerror=alert(1)>${"long ".repeat(2000)}`.trim();
  const title = `</script><script>window.harm=2</script>"'\n&amp;`;
  for (const width of WIDTHS) {
    await visit(reportOfProgram(name, "time", "--title", title).html, width, async (page) => {
      await seeAll(page);
      // The page shows a name in one line.
      assert.equal(await page.locator("#channels h3").first().textContent(), name.replace("\n", " "));
      assert.equal(await page.locator("h1").textContent(), title);
      assert.equal(await page.evaluate(() => "harm" in window), false);
      assert.equal(await page.locator("img").count(), 0);
      await fitsWidth(page);
    });
  }
});

test("units of the data file are on the axes, and training is shown over seconds", withProgram, async () => {
  const { html } = reportOfProgram("voltage [mV]", "t (ms)");
  await visit(html, 1280, async (page) => {
    const plot = channel(page, 0);
    await plot.scrollIntoViewIfNeeded();
    const { x, y } = await placeOf(page, 0, 1);
    await page.mouse.move(x, y);
    assert.match(await page.locator("#tooltip").innerText(), /^t \(ms\) /);
    assert.equal(await page.locator("#channels h3").first().textContent(), "voltage (mV)");
    await seeAll(page);
    const labels = await page.locator("#portrait .axes text").evaluateAll((all) => all.map((one) => one.textContent));
    assert.ok(labels.includes("voltage (mV)"), labels.join());
    await page.locator("#portrait .portrait").scrollIntoViewIfNeeded();
    const portrait = await settledBox(page.locator("#portrait .portrait"));
    await page.mouse.move(portrait.x + portrait.width / 2, portrait.y + portrait.height / 2);
    assert.match(await page.locator("#tooltip").innerText(), /rate of voltage\s.* mV\/ms/);
    const bound = page.locator("#training .plot").first();
    await page.locator("#training select").selectOption({ label: "seconds" });
    assert.equal(await bound.getAttribute("data-abscissa"), "time of training (s)");
    assert.ok(Number(await bound.getAttribute("data-points")) > 100);
    assert.match(await page.locator("#repeat").innerText(), /steps per second[\s\S]*thread/);
  });
});
