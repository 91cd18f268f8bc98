// The section of learnt parameters: the kernel's parameters, relevance of states, noise.
import { el, nameText, section } from "./dom";
import { rateUnit } from "./portrait_view";
import type { Fact, Learned, Report } from "./report";
import { format, short } from "./text";

export function learnedSection(report: Report, learned: Learned): HTMLElement {
  const result = section("learned", "What was learnt", "");
  if (learned.facts?.length) result.append(factList(learned.facts));
  const figures = el("div", { class: "figures" });
  if (learned.lengthscales?.length && report.states) figures.append(relevance(report, report.states.names, learned, learned.lengthscales));
  if (learned.noise?.length) figures.append(noise(report, learned.noise));
  result.append(figures);
  return result;
}

export function factList(facts: Fact[]): HTMLElement {
  const result = el("dl", { class: "facts" });
  for (const { name, value } of facts) result.append(el("div", {}, el("dt", {}, nameText(name)), el("dd", {}, nameText(value))));
  return result;
}

// Returns a table cell in one of eleven colours by its value, which is also written in it.
function cell(value: number, most: number, detail: string): HTMLElement {
  const step = most > 0 ? Math.round((10 * value) / most) : 0;
  return el("td", { class: `heat heat${Math.max(0, Math.min(10, step))}`, title: detail }, format(value, 2));
}

function relevance(report: Report, names: string[], learned: Learned, lengthscales: number[][]): HTMLElement {
  const shared = lengthscales.length === 1 && names.length > 1;
  const spread = learned.state_spread ?? names.map(() => 1);
  const relevances = lengthscales.map((row) => row.map((length, j) => (spread[j] ?? 1) / length));
  const most = Math.max(...relevances.flat().filter(Number.isFinite), 0);
  const head = el("tr", {}, el("th", { scope: "col" }, "rate of change of"), ...names.map((name) => el("th", { scope: "col" }, nameText(short(name, 30)))),
    ...(learned.amplitudes ? [el("th", { scope: "col" }, "size of the field")] : []));
  const rows = relevances.map((row, d) => {
    const cells = row.map((value, j) => cell(value, most, `lengthscale ${format(lengthscales[d]![j]!, 4)}`));
    const size = learned.amplitudes ? [el("td", {}, `${format(learned.amplitudes[d] ?? NaN, 3)} ${rateUnit(report, d)}`)] : [];
    return el("tr", {}, el("th", { scope: "row" }, nameText(shared ? "all states" : short(names[d] ?? "", 30))), ...cells, ...size);
  });
  return el("figure", {},
    el("figcaption", {}, el("h3", {}, "Which state matters for which rate")),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Relevance of states" },
      el("table", { class: "relevance" }, el("thead", {}, head), el("tbody", {}, ...rows))),
    el("p", { class: "note" }, learned.state_spread
      ? "Spread of a state over its lengthscale: over how many lengthscales the data reach. Near zero: the rate hardly depends on that state."
      : "One over the lengthscale. Small: the rate hardly depends on that state."));
}

function noise(report: Report, rows: NonNullable<Learned["noise"]>): HTMLElement {
  const most = Math.max(...rows.map(({ sd, spread }) => (spread ? sd / spread : 0)));
  const body = rows.map(({ channel, sd, spread }) => {
    const { name, unit } = report.channels[channel] ?? { name: `channel ${channel}` };
    return el("tr", {}, el("th", { scope: "row" }, nameText(short(name, 60))),
      el("td", {}, `${format(sd, 3)}${unit ? ` ${short(unit, 20)}` : ""}`),
      ...(spread ? [el("td", {}, bar(sd / spread / (most || 1)), ` ${format((100 * sd) / spread, 3)} %`)] : [el("td", {})]));
  });
  const head = el("tr", {}, ...["channel", "standard deviation", "as a share of the channel's spread"].map((text) => el("th", { scope: "col" }, text)));
  return el("figure", {},
    el("figcaption", {}, el("h3", {}, "Noise of the observations")),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Noise of the observations" },
      el("table", { class: "noise" }, el("thead", {}, head), el("tbody", {}, ...body))));
}

function bar(share: number): HTMLElement {
  const result = el("i", { class: "share" });
  result.style.width = `${Math.round(60 * share)}px`;
  return result;
}
