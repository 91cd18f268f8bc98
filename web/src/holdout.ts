// How well held-back data were forecast: one sentence, and a table by channel and horizon.
import { el, table } from "./dom";
import type { Holdout, HoldoutRow, Report } from "./report";
import { counted, format, formatCount, short } from "./text";

const MOST_OPEN = 6; // A longer table is behind a click.

export function holdoutOf(report: Report, holdout: Holdout): HTMLElement {
  const unit = report.meta.time_unit ? ` (${short(report.meta.time_unit, 12)})` : "";
  const head = ["channel", `horizon${unit}`, "values", "error", "error of the last value", "error of a linear model", "skill",
    "inside 90 % bands", "after widening"];
  const body = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Skill on held-back data" },
    table(head, holdout.rows.map((row) => cells(report, row))));
  const note = el("p", { class: "note" }, "Skill is 1 - MSE / MSE of the better simple forecast: 1 is perfect, 0 is no better than " +
    "the last value or a linear model. Errors are root mean squares.");
  return el("div", { class: "holdout" }, el("p", {}, describeHoldout(report, holdout)),
    el("details", { class: "more", open: holdout.rows.length <= MOST_OPEN }, el("summary", {}, "Skill by channel and horizon"), body, note));
}

// Returns a sentence on the skill of each channel or, if there are many, on how many have any.
export function describeHoldout(report: Report, { seen_times, held_times, rows }: Holdout): string {
  const skills = report.channels.map((channel, i) => ({ name: short(channel.name, 30), skill: skillOf(rows.filter((row) => row.channel === i)) }))
    .filter((one): one is { name: string; skill: number } => one.skill !== null);
  const what = `Forecasts of the last ${formatCount(held_times)} of ${counted(seen_times + held_times, "time")}, held back from training`;
  if (skills.length === 0) return `${what}, could not be compared.`;
  if (skills.length <= 4) return `${what}: skill ${skills.map(({ name, skill }) => `${format(skill, 2)} for ${name}`).join(", ")}.`;
  const better = skills.filter(({ skill }) => skill > 0).length;
  const sorted = skills.map(({ skill }) => skill).sort((a, b) => a - b);
  return `${what}: better than the last value and a linear model in ${better} of ${skills.length} channels; median skill ${format(sorted[sorted.length >> 1]!, 2)}.`;
}

// Returns the skill over all horizons of a channel, from the mean squared errors of its rows, or null if a value could not be
// forecast or the simple forecasts are exact.
function skillOf(rows: HoldoutRow[]): number | null {
  const mean = (error: (row: HoldoutRow) => number | null) =>
    rows.reduce((sum, row) => sum + row.values * (error(row) ?? Infinity) ** 2, 0);
  const simple = Math.min(mean((row) => row.persistence), mean((row) => row.linear));
  const skill = 1 - mean((row) => row.rmse) / simple;
  return rows.length > 0 && Number.isFinite(skill) ? skill : null;
}

function cells(report: Report, row: HoldoutRow): string[] {
  const number = (value: number | null, digits = 3) => (value === null ? "none" : format(value, digits));
  const share = (value: number | null) => (value === null ? "none" : `${Math.round(100 * value)} %`);
  return [short(report.channels[row.channel]?.name ?? "", 40), `${format(row.from, 3)} to ${format(row.to, 3)}`, formatCount(row.values),
    number(row.rmse), number(row.persistence), number(row.linear), number(row.skill, 2), share(row.inside), share(row.inside_widened)];
}
