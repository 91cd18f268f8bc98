// Takes a picture of the beginning of a page.
// usage: node test/run.mjs picture.ts PAGE PICTURE WIDTH HEIGHT [light|dark]
import { pathToFileURL } from "node:url";
import { openBrowser } from "./browser";

const [page, picture, width, height, scheme] = process.argv.slice(2) as [string, string, string, string, ("light" | "dark")?];
const browser = await openBrowser();
const context = await browser.newContext({ viewport: { width: Number(width), height: Number(height) }, colorScheme: scheme ?? "light", reducedMotion: "reduce" });
const tab = await context.newPage();
await tab.goto(pathToFileURL(page).href);
await tab.waitForSelector("#page[data-ready]");
await tab.waitForTimeout(500);
await tab.screenshot({ path: picture });
await browser.close();
