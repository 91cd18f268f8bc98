// Bundles TypeScript files of this folder and runs them.
// usage: node test/run.mjs                   all tests, *.test.ts
//        node test/run.mjs FILE [ARGUMENT…]  one file: a test, or a script such as screenshots.ts
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [only, ...rest] = process.argv.slice(2);
const names = only ? [basename(only)] : readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const out = join(here, "..", "dist", "test");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  entryPoints: names.map((name) => join(here, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  packages: "external",
  logLevel: "warning",
});
const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const mode = names.every((name) => name.endsWith(".test.ts")) ? ["--test", "--test-reporter=spec"] : [];
process.exit(spawnSync(process.execPath, [...mode, ...files, ...rest], { stdio: "inherit" }).status ?? 1);
