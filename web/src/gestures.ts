// Zooming and panning along time by the keyboard, by ctrl and the wheel, by shift and dragging, or
// by fingers. Selecting a range by dragging the mouse is built into uPlot.
import type { View } from "./view";

interface Target {
  timeAt(clientX: number): number;
  step(direction: 1 | -1): void;
}

export const KEYS = "Left and right: the next observation. With shift: earlier and later. Plus and minus: zoom. Zero: all.";

export function attachGestures(host: HTMLElement, view: View, target: Target): void {
  host.addEventListener("keydown", (event) => onKey(event, view, target));
  host.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    view.zoomBy(event.deltaY > 0 ? 1.25 : 0.8, target.timeAt(event.clientX));
  }, { passive: false });
  attachPan(host, view);
  attachFingers(host, view, target);
}

function onKey(event: KeyboardEvent, view: View, target: Target): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const actions: Record<string, () => void> = {
    ArrowLeft: () => (event.shiftKey ? view.pan(-0.25) : target.step(-1)),
    ArrowRight: () => (event.shiftKey ? view.pan(0.25) : target.step(1)),
    "+": () => view.zoomBy(0.5),
    "=": () => view.zoomBy(0.5),
    "-": () => view.zoomBy(2),
    "0": () => view.reset(),
  };
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function attachPan(host: HTMLElement, view: View): void {
  host.addEventListener("mousedown", (event) => {
    if (!event.shiftKey) return;
    event.preventDefault();
    let last = event.clientX;
    const move = (moved: MouseEvent) => {
      view.pan((last - moved.clientX) / host.clientWidth);
      last = moved.clientX;
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", () => removeEventListener("mousemove", move), { once: true });
  });
}

// One finger pans along time, and two fingers zoom. Moving a finger up or down still scrolls the
// page (touch-action in style.css).
function attachFingers(host: HTMLElement, view: View, target: Target): void {
  const fingers = new Map<number, number>();
  host.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch") fingers.set(event.pointerId, event.clientX);
  });
  for (const end of ["pointerup", "pointercancel"] as const) {
    host.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
  host.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (last === undefined) return;
    const others = Array.from(fingers).filter(([id]) => id !== event.pointerId);
    fingers.set(event.pointerId, event.clientX);
    if (others.length === 0) view.pan((last - event.clientX) / host.clientWidth);
    else pinch(others[0]![1], last, event.clientX, view, target);
  });
}

function pinch(still: number, last: number, now: number, view: View, target: Target): void {
  const before = Math.abs(last - still);
  const after = Math.abs(now - still);
  if (before > 10 && after > 10) view.zoomBy(before / after, target.timeAt(still));
}
