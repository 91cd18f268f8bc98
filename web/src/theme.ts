// Light and dark colours: the system's choice unless the reader makes one. Colours are defined in style.css as
// variables; plots on a canvas get them here.
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

// Used for printing as well, which is always light.
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

// Storage may be missing for pages opened from disk.
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
    // Without storage the choice lasts as long as the page.
  }
}
