// Functions that make elements. Text always becomes a text node, never markup.

type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string;

const SVG = "http://www.w3.org/2000/svg";

function dress<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  return dress(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

// Returns a name from the user's data, isolated from the writing direction of the text around it.
export function nameText(name: string): HTMLElement {
  return el("bdi", {}, name.trim() === "" ? "(no name)" : name);
}

export function button(label: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const result = el("button", { type: "button", ...attributes }, label);
  result.addEventListener("click", press);
  return result;
}

// Returns a labelled choice. `pick` is called with the index of the chosen option.
export function choice(label: string, options: string[], chosen: number, pick: (index: number) => void): HTMLElement {
  const select = el("select", {});
  options.forEach((text, i) => select.append(el("option", { value: i, selected: i === chosen }, text)));
  select.addEventListener("change", () => pick(Number(select.value)));
  return el("label", { class: "choice" }, el("span", {}, label), select);
}

// Returns a table with the content of a plot, which is filled when it is first opened.
export function tableBehind(what: string, fill: () => { head: string[]; rows: string[][]; note?: string }): HTMLElement {
  const details = el("details", { class: "behind" }, el("summary", { "aria-label": `Table of ${what}` }, "Table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const { head, rows, note } = fill();
    if (note) details.append(el("p", { class: "note" }, note));
    details.append(el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": what }, table(head, rows)));
  });
  return details;
}

export function table(head: string[], rows: string[][]): HTMLTableElement {
  const cells = (tag: "th" | "td", row: string[]) =>
    el("tr", {}, ...row.map((text) => el(tag, tag === "th" ? { scope: "col" } : {}, text)));
  return el("table", {}, el("thead", {}, cells("th", head)), el("tbody", {}, ...rows.map((row) => cells("td", row))));
}

export function section(id: string, title: string, intro: string): HTMLElement {
  const heading = el("h2", { id: `${id}-title` }, title);
  const result = el("section", { id, "aria-labelledby": `${id}-title` }, heading);
  if (intro) result.append(el("p", { class: "intro" }, intro));
  return result;
}
