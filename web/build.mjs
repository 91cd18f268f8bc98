// Bundles src/ into one self-contained page.
// usage: node build.mjs [OUTPUT]    default: dist/report.html
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "dist", "report.html");
const PLACEHOLDER = "__GPODE_REPORT__";

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "ascii", // With ASCII, the page works with any encoding that a server declares.
    legalComments: "inline", // keeps the licences of uPlot and D3 with their code
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

// Replaces the placeholders in one pass by a function, so that no text within a part is taken for a
// placeholder or for a special replacement pattern.
function fill(template, parts) {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}

const script = await bundle("src/main.ts");
const style = await bundle("src/style.css");
if (/<\/(script|style)/i.test(script + style)) throw new Error("a bundle would end its own element");
const page = fill(readFileSync(join(here, "src", "template.html"), "utf8"), {
  script,
  style,
  // The policy allows only these scripts and styles and forbids fetching anything.
  policy: `default-src 'none'; img-src data:; script-src ${hash(script)}; style-src ${hash(style)}`,
  data: PLACEHOLDER,
});
if (page.split(PLACEHOLDER).length !== 2) throw new Error("the page must have one place for the data");
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`web: ${output}, ${Math.round(page.length / 1024)} KiB`);
