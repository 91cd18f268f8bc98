// Measures how long a large report takes to open and to scroll.
// usage: node test/run.mjs huge.ts [CHANNELS [OBSERVATIONS]]    needs dist/report.html
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser } from "./browser";
import { fillPage, huge } from "./example";

const [channels, observations] = [Number(process.argv[2] ?? 100), Number(process.argv[3] ?? 100000)];
const folder = mkdtempSync(join(tmpdir(), "gpode-report-"));
const file = join(folder, "huge.html");
writeFileSync(file, fillPage(readFileSync("dist/report.html", "utf8"), huge(channels, observations)));
console.log(`${channels} channels of ${observations} observations: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const start = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => document.querySelector<HTMLElement>(".plot.time")?.dataset["points"] !== undefined);
  console.log(`open, first plots drawn: ${((performance.now() - start) / 1000).toFixed(2)} s`);
  // Measures the waits between frames while scrolling through the whole page.
  const frames = await page.evaluate(async () => {
    const gaps: number[] = [];
    let last = performance.now();
    for (let y = 0; y < document.documentElement.scrollHeight; y += 120) {
      scrollTo({ top: y, behavior: "instant" });
      await new Promise(requestAnimationFrame);
      gaps.push(performance.now() - last);
      last = performance.now();
    }
    return gaps.sort((a, b) => a - b);
  });
  const at = (p: number) => frames[Math.floor(p * (frames.length - 1))]!.toFixed(0);
  console.log(`scrolling, ${frames.length} frames: median ${at(0.5)} ms, 95 % under ${at(0.95)} ms, longest ${at(1)} ms`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
