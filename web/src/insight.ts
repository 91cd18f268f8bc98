// The sections of analyses: pictures, formulas and tables that the program has made.
import { el, nameText, section, table } from "./dom";
import type { Insight } from "./report";
import { short } from "./text";

export function insightSection(insight: Insight): HTMLElement {
  const result = section(insight.id, insight.title, insight.intro ?? "");
  const figures = el("div", { class: "figures" });
  for (const picture of insight.pictures ?? []) figures.append(pictureOf(picture));
  for (const text of insight.texts ?? []) figures.append(textOf(text));
  for (const one of insight.tables ?? []) figures.append(tableOf(one));
  result.append(figures);
  return result;
}

// The picture is an image, so that nothing in it is run.
function pictureOf({ title, svg }: { title: string; svg: string }): HTMLElement {
  const image = el("img", { class: "picture", src: `data:image/svg+xml;base64,${svg}`, alt: title });
  return el("figure", {}, el("figcaption", {}, el("h3", {}, nameText(title))), image);
}

function textOf({ title, text }: { title: string; text: string }): HTMLElement {
  return el("figure", {}, el("figcaption", {}, el("h3", {}, nameText(title))),
    el("div", { class: "command" }, el("pre", { tabindex: 0 }, text.trimEnd())));
}

function tableOf({ title, head, rows, note }: NonNullable<Insight["tables"]>[number]): HTMLElement {
  const result = el("figure", {}, el("figcaption", {}, el("h3", {}, nameText(title))),
    el("div", { class: "scroll results", tabindex: 0, role: "region", "aria-label": title },
      table(head.map((text) => (text === "" ? "" : short(text, 40))), rows)));
  if (note) result.append(el("p", { class: "note" }, note));
  return result;
}
