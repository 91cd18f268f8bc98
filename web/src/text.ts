// Functions that turn numbers and names into text.

// Returns a number with the given number of significant digits, without trailing zeros. The default
// is the precision of single-precision numbers.
export function format(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "none" : value > 0 ? "infinite" : "-infinite";
  return String(Number(value.toPrecision(digits)));
}

// Returns a number as the label of a tick, with a typographic minus sign.
export function formatTick(value: number): string {
  return format(Math.abs(value) < 1e-300 ? 0 : value).replace("-", "\u2212");
}

export function formatSeconds(seconds: number): string {
  if (seconds < 1) return `${format(seconds * 1000, 3)} ms`;
  if (seconds < 120) return `${format(seconds, 3)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min ${Math.round(seconds - 60 * minutes)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// Returns a count with its noun, such as "1 state" or "2 states".
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

// Returns a name in one line of at most `most` characters.
export function short(name: string, most = 40): string {
  const line = Array.from(name.slice(0, 4 * most).replace(/[\s\u0000-\u001f\u007f]+/g, " ").trim());
  if (line.length === 0) return "(no name)";
  const cut = line.length > most || name.length > 4 * most;
  return cut ? `${line.slice(0, most - 1).join("")}\u2026` : line.join("");
}

// Returns a name with its unit, which together have at most `most` characters.
export function axisLabel(name: string, unit: string | undefined, most: number): string {
  const tail = unit ? ` (${short(unit, 12)})` : "";
  return short(name, most - tail.length) + tail;
}
