// Takes pictures of the examples.
// usage: node test/run.mjs screenshots.ts FOLDER    needs dist/report.html
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBrowser } from "./browser";
import { fillPage, hostile, threeStates, vanDerPol } from "./example";

const folder = process.argv[2] ?? "dist/pictures";
mkdirSync(folder, { recursive: true });
const template = readFileSync("dist/report.html", "utf8");
const browser = await openBrowser();
const views = [
  { name: "light", width: 1280, scheme: "light" as const, reports: ["vdp", "three"] },
  { name: "dark", width: 1280, scheme: "dark" as const, reports: ["vdp", "three"] },
  { name: "phone", width: 390, scheme: "light" as const, reports: ["vdp", "hostile"] },
];
const reports = { vdp: vanDerPol(), three: threeStates(), hostile: hostile() } as const;
for (const [name, report] of Object.entries(reports)) writeFileSync(join(folder, `${name}.html`), fillPage(template, report));
for (const { name, width, scheme, reports: wanted } of views) {
  for (const report of wanted) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, deviceScaleFactor: 1 });
    const page = await context.newPage();
    page.on("console", (message) => console.log(message.text()));
    page.on("pageerror", (error) => console.log(error.stack));
    await page.goto(pathToFileURL(join(folder, `${report}.html`)).href);
    // The viewport is so high that all plots become visible and are drawn.
    await page.setViewportSize({ width, height: 6000 });
    await page.waitForTimeout(400);
    for (const part of ["top", "channels", "portrait", "training", "calibration", "learned", "repeat"]) {
      await page.locator(`#${part}`).screenshot({ path: join(folder, `${report}-${name}-${part}.png`) });
    }
    if (name === "light") await page.pdf({ path: join(folder, `${report}.pdf`), format: "A4", printBackground: true });
    await context.close();
  }
}
await browser.close();
