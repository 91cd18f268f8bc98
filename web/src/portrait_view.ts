// The reader's choices for the phase portrait.
import { lowerBound, numbers, type Numbers } from "./arrays";
import type { Report, States } from "./report";
import { axisLabel, short } from "./text";

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

// Returns the unit of a state's rate of change: "mV/ms", or a description if a unit is unknown.
export function rateUnit(report: Report, index: number): string {
  const unit = report.states?.units?.[index];
  const { time_name, time_unit } = report.meta;
  if (unit && time_unit) return `${short(unit, 12)}/${short(time_unit, 12)}`;
  const per = time_unit ? short(time_unit, 12) : `unit of ${short(time_name ?? "time", 12)}`;
  return unit ? `${short(unit, 12)} per ${per}` : `per ${per}`;
}

// Returns the times of a trajectory's path: its own, or else the grid of the channels.
export function pathTimes(report: Report, trajectory: number): Numbers {
  return numbers(report.states?.paths[trajectory]?.times ?? report.trajectories[trajectory]!.grid);
}

// Returns the first index of a trajectory's path that is a forecast.
export function forecastIndex(report: Report, trajectory: number): number {
  const { forecast_from } = report.trajectories[trajectory]!;
  const times = pathTimes(report, trajectory);
  return forecast_from === undefined || forecast_from === null ? times.length : lowerBound(times, forecast_from);
}
