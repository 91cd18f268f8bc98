// What the reader chose of the phase portrait.
import { lowerBound, numbers } from "./arrays";
import type { Report, States } from "./report";
import { axisLabel } from "./text";

export type PortraitLayer = "uncertainty" | "streamlines" | "paths" | "observed" | "draws" | "inducing";

export interface PortraitView {
  x: number;
  y: number;
  anchor: number;
  shown: Record<PortraitLayer, boolean>;
}

export function stateLabel(states: States, index: number): string {
  return axisLabel(states.names[index] ?? "", states.units?.[index], 36);
}

// The first index of a trajectory's grid that is a forecast.
export function forecastIndex(report: Report, trajectory: number): number {
  const { grid, forecast_from } = report.trajectories[trajectory]!;
  const times = numbers(grid);
  return forecast_from === undefined || forecast_from === null ? times.length : lowerBound(times, forecast_from);
}
