// The tooltip, and a line with the same text for screen readers.
import { el } from "./dom";

export interface Row {
  name: string;
  value: string;
  mark?: string; // the class of the swatch in style.css
}

const box = el("div", { id: "tooltip", "aria-hidden": "true", hidden: true });
const speech = el("div", { class: "unseen", role: "status", "aria-live": "polite" });

export function installTooltip(page: HTMLElement): void {
  page.append(box, speech);
  addEventListener("scroll", hideTooltip, { passive: true });
}

// Places the tooltip beside a point of the window, on the side that has room.
export function showTooltip(head: string, rows: Row[], x: number, y: number): void {
  const body = rows.map((row) =>
    el("tr", {}, el("td", {}, el("i", { class: `swatch ${row.mark ?? ""}` })), el("th", {}, row.name), el("td", {}, row.value)));
  box.replaceChildren(el("strong", {}, head), el("table", {}, ...body));
  box.hidden = false;
  const { width, height } = box.getBoundingClientRect();
  const right = x + 14 + width < innerWidth ? x + 14 : x - 14 - width;
  box.style.left = `${Math.max(4, Math.min(right, innerWidth - width - 4))}px`;
  box.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - height - 4))}px`;
}

export function hideTooltip(): void {
  box.hidden = true;
}

export function say(text: string): void {
  speech.textContent = text;
}
