// uPlot axes in the page's colours.
import type uPlot from "uplot";
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

export function timeAxis(label: string): uPlot.Axis {
  return { ...base(label), size: 26, labelSize: 18, labelGap: 0 };
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
