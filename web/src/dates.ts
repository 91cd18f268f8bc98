// Times that stand for dates: ticks at round dates, and dates as text.
import type { Meta } from "./report";

// Seconds since 1970-01-01T00:00:00 = origin + seconds * time.
export interface Calendar {
  origin: number;
  seconds: number;
}

export interface DateTick {
  value: number;
  text: string;
}

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const STEPS = [
  1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY,
];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000];

// Returns the calendar of a report, or nothing if its times are numbers.
export function calendarOf(meta: Meta): Calendar | undefined {
  const { time_origin: origin, time_seconds: seconds } = meta;
  return origin !== undefined && seconds !== undefined && seconds > 0 ? { origin, seconds } : undefined;
}

// Returns 2004-03-10T18:00:05.250, or nothing beyond the dates that JavaScript knows.
function iso(seconds: number): string | undefined {
  const date = new Date(Math.round(seconds * 1000));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/Z$/, "");
}

// Returns the date of a time, with the time of day unless the unit is a day or more and it is midnight.
export function formatDate(time: number, calendar: Calendar): string {
  const text = iso(calendar.origin + calendar.seconds * time);
  if (text === undefined) return String(time);
  const [day = "", clock = ""] = text.split("T");
  if (clock.startsWith("00:00:00.0") && calendar.seconds >= DAY) return day;
  return `${day} ${calendar.seconds >= HOUR ? clock.slice(0, 5) : clock.slice(0, 8)}`;
}

function label(seconds: number, step: number): string {
  const text = iso(seconds) ?? "";
  if (step >= DAY) return text.slice(0, 10);
  return step >= MINUTE ? `${text.slice(5, 10)} ${text.slice(11, 16)}` : text.slice(11, 19);
}

function monthTicks(from: number, to: number, step: number): { at: number; text: string }[] {
  const first = new Date(from * 1000);
  const months = first.getUTCFullYear() * 12 + first.getUTCMonth();
  const ticks = [];
  for (let month = Math.floor(months / step) * step; ; month += step) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    const at = date.getTime() / 1000;
    if (!(at <= to + 1)) return ticks;
    if (at >= from - 1) ticks.push({ at, text: step >= 12 ? String(Math.floor(month / 12)) : date.toISOString().slice(0, 7) });
  }
}

// Returns at most so many ticks at whole years, months, days, hours, minutes or seconds; none if the range is too short or
// beyond the calendar.
export function dateTicks(least: number, most: number, calendar: Calendar, count: number): DateTick[] {
  const from = calendar.origin + calendar.seconds * least, to = calendar.origin + calendar.seconds * most;
  if (!(to - from >= 3) || from < -6.2e10 || to > 2.5e11) return [];
  const value = (at: number) => (at - calendar.origin) / calendar.seconds;
  for (const step of STEPS) {
    if ((to - from) / step > count + 1) continue;
    const ticks: DateTick[] = [];
    for (let at = Math.ceil(from / step - 1e-9) * step; at <= to + 1e-9 * step; at += step) ticks.push({ value: value(at), text: label(at, step) });
    if (ticks.length <= count) return ticks;
  }
  for (const step of MONTHS) {
    const ticks = monthTicks(from, to, step).map(({ at, text }) => ({ value: value(at), text }));
    if (ticks.length <= count) return ticks;
  }
  return [];
}
