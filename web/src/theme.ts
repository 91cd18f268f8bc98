// Light and dark colours. The system's choice holds unless the reader makes another one. Colours
// are variables of style.css; plots on a canvas get them here.
import { button } from "./dom";

const KEY = "gpode-report-theme";
const listeners: (() => void)[] = [];
const dark = matchMedia("(prefers-color-scheme: dark)");
let cached: CSSStyleDeclaration | null = null;

export function color(name: string): string {
  cached ??= getComputedStyle(document.documentElement);
  return cached.getPropertyValue(`--${name}`).trim();
}

export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

// Sets the colours and redraws all plots. Printing uses this function, too, since it is always
// light.
export function setTheme(theme: "light" | "dark"): void {
  if (document.documentElement.dataset["theme"] === theme) return;
  document.documentElement.dataset["theme"] = theme;
  cached = null;
  for (const listener of listeners) listener();
}

export function chosenTheme(): "light" | "dark" {
  const kept = recall();
  return kept ?? (dark.matches ? "dark" : "light");
}

export function themeButton(): HTMLElement {
  const result = button("", { class: "theme" }, () => {
    remember(chosenTheme() === "dark" ? "light" : "dark");
    apply();
  });
  const apply = () => {
    setTheme(chosenTheme());
    result.textContent = chosenTheme() === "dark" ? "Light" : "Dark";
    result.setAttribute("aria-label", `Use ${chosenTheme() === "dark" ? "light" : "dark"} colours`);
  };
  dark.addEventListener("change", apply);
  apply();
  return result;
}

// The reader's choice. It is also kept in the browser's storage, which may be missing for pages
// opened from disk.
let choice: "light" | "dark" | null = null;

function recall(): "light" | "dark" | null {
  if (choice !== null) return choice;
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}

function remember(theme: "light" | "dark"): void {
  choice = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage, the choice is lost when the page is closed.
  }
}
