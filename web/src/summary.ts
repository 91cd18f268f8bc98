// The head of the page: title, verdict on the bands, skill on held-back data, warnings, the most important numbers; and the
// section with the command that repeats the run.
import { countFinite, numbers } from "./arrays";
import { button, el, nameText, section } from "./dom";
import { holdoutOf } from "./holdout";
import { factList } from "./learned";
import type { Fact, Report } from "./report";
import { counted, formatSeconds } from "./text";

export function headOf(report: Report): HTMLElement {
  const { meta } = report;
  const result = el("header", { id: "top" }, el("h1", {}, nameText(meta.title)));
  if (meta.verdict) result.append(el("p", { class: "verdict", role: "note" }, nameText(meta.verdict)));
  if (meta.holdout?.rows.length) result.append(holdoutOf(report, meta.holdout));
  if (meta.warnings?.length) result.append(warnings(meta.warnings, meta.all_warnings));
  result.append(el("p", { class: "lead" }, lead(report)));
  for (const comment of meta.comments ?? []) result.append(el("p", { class: "comment" }, nameText(comment)));
  if (meta.facts?.length) result.append(factList(meta.facts));
  return result;
}

function lead(report: Report): string {
  const parts = [counted(report.channels.length, "channel"), counted(report.trajectories.length, "trajectory")];
  const times = report.trajectories.reduce((sum, trajectory) => sum + lengthOf(trajectory.times), 0);
  parts.push(counted(times, "observation time"));
  if (report.states) parts.push(counted(report.states.names.length, "state"));
  return `${parts.join(", ")}. Written by gpode ${report.meta.version}.`;
}

const lengthOf = (array: Parameters<typeof numbers>[0]) => (Array.isArray(array) ? array.length : countFinite(numbers(array)));

const MOST_OPEN = 6; // With more warnings, or rows of skill, the others are behind a click.

// Returns the warnings. If they summarise others, those are behind a click, and so are all but the first few.
function warnings(texts: string[], all?: string[]): HTMLElement {
  const list = (some: string[]) => el("ul", {}, ...some.map((text) => el("li", {}, nameText(text))));
  const result = el("div", { class: "warnings", role: "note", "aria-label": "Warnings" },
    el("strong", {}, texts.length === 1 ? "Warning" : `${texts.length} warnings`), list(texts.slice(0, MOST_OPEN)));
  const behind = (label: string, some: string[]) => result.append(el("details", { class: "more" }, el("summary", {}, label), list(some)));
  if (texts.length > MOST_OPEN) behind(`${texts.length - MOST_OPEN} more`, texts.slice(MOST_OPEN));
  if (all?.length) behind(`all ${all.length}, one by one`, all);
  return result;
}

export function repeatSection(report: Report): HTMLElement {
  const { seed, command, timing, version } = report.meta;
  const result = section("repeat", "To repeat it", "");
  if (command) {
    const text = el("code", { tabindex: 0 }, command);
    result.append(el("div", { class: "command" }, el("pre", {}, text), copyButton(command, text)));
  }
  const facts: Fact[] = [{ name: "gpode", value: version }];
  if (seed !== undefined) facts.push({ name: "seed", value: seed });
  for (const { name, seconds, value } of timing ?? []) {
    facts.push({ name, value: seconds === undefined ? value ?? "" : formatSeconds(seconds) });
  }
  result.append(factList(facts));
  return result;
}

// Copies the text, or selects it if the browser forbids the clipboard, as it may for files.
function copyButton(text: string, shown: HTMLElement): HTMLElement {
  const result = button("Copy", {}, () => {
    const select = () => getSelection()?.selectAllChildren(shown);
    if (navigator.clipboard === undefined) return select();
    navigator.clipboard.writeText(text).then(() => {
      result.textContent = "Copied";
      setTimeout(() => (result.textContent = "Copy"), 1500);
    }, select);
  });
  return result;
}
