// uPlot axes in the page's colours.
import type uPlot from "uplot";
import { dateTicks, type Calendar, type DateTick } from "./dates";
import { formatTick } from "./text";
import { color } from "./theme";

export const FONT = "12px system-ui, sans-serif";

function base(label: string): uPlot.Axis {
  return {
    label,
    font: FONT,
    labelFont: FONT,
    stroke: () => color("soft"),
    grid: { stroke: () => color("grid"), width: 1 },
    ticks: { stroke: () => color("grid"), width: 1, size: 4 },
    gap: 4,
    values: (_, splits) => splits.map((value) => (value === null ? "" : formatTick(value))),
  };
}

const DATE_WIDTH = 90; // pixels that the label of a date needs

// Returns an axis of times; with a calendar, its ticks are at round dates.
export function timeAxis(label: string, calendar?: Calendar): uPlot.Axis {
  const axis = { ...base(label), size: 26, labelSize: 18, labelGap: 0 };
  if (!calendar) return axis;
  let ticks: DateTick[] = [];
  return {
    ...axis,
    splits: (u, _axis, least, most) => {
      ticks = dateTicks(least, most, calendar, Math.max(2, Math.floor(u.over.clientWidth / DATE_WIDTH)));
      return ticks.map((tick) => tick.value);
    },
    values: (_, splits) => splits.map((value) => ticks.find((tick) => tick.value === value)?.text ?? ""),
  };
}

// Returns an axis of values that is as wide as its widest number.
export function valueAxis(label: string): uPlot.Axis {
  return {
    ...base(label),
    labelSize: 18,
    labelGap: 2,
    space: 32,
    size: (u, values, axis, cycle) => {
      const now = u.axes[axis] as { _size?: number };
      if (cycle > 1 && now._size !== undefined) return now._size;
      const longest = (values ?? []).reduce((most, text) => Math.max(most, String(text ?? "").length), 1);
      return Math.max(34, 12 + 7 * longest);
    },
  };
}
