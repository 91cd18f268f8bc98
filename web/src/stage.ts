// Plots near the window are drawn at once, the others a few at a time while the page is idle, so that a picture of the whole page
// shows all of them. A change redraws them in the same order.
//
//   stage.add(host, "channels", () => new SomePlot(host));   // host has a height of its own
//   stage.refresh("channels");                               // something that a group of plots shows has changed
import { onThemeChange } from "./theme";

export interface Plot {
  // Draws everything with the reader's current choices, at this width in CSS pixels.
  draw(width: number): void;
}

interface Entry {
  host: HTMLElement;
  group: string;
  build: () => Plot;
  plot: Plot | null;
  near: boolean;
  stale: boolean;
  width: number;
}

const FRAME = 8; // milliseconds of each animation frame that may be spent on new plots
const PAUSE = 30; // milliseconds between two plots that are drawn ahead
const SETTLED = 400; // milliseconds after the last change, after which plots are drawn ahead again

class Stage {
  private entries = new Map<Element, Entry>();
  private waiting: Entry[] = [];
  private timer = 0;
  private ahead = 0;
  private sight = new IntersectionObserver((changes) => this.onSight(changes), { rootMargin: "600px 0px" });
  private sizes = new ResizeObserver((changes) => this.onSize(changes));

  constructor() {
    onThemeChange(() => this.refresh());
  }

  add(host: HTMLElement, group: string, build: () => Plot): void {
    this.entries.set(host, { host, group, build, plot: null, near: false, stale: true, width: 0 });
    this.sight.observe(host);
    this.sizes.observe(host);
    this.drawAhead();
  }

  // Redraws all plots, or those of a group.
  refresh(group?: string): void {
    for (const entry of this.entries.values()) {
      if (group !== undefined && entry.group !== group) continue;
      entry.stale = true;
      if (entry.near) this.draw(entry);
    }
    this.drawAhead(SETTLED);
  }

  // Draws all plots for printing, at their current width.
  drawAll(): void {
    for (const entry of this.entries.values()) {
      entry.stale = true;
      this.draw(entry);
    }
  }

  private onSight(changes: IntersectionObserverEntry[]): void {
    for (const change of changes) {
      const entry = this.entries.get(change.target);
      if (entry === undefined) continue;
      entry.near = change.isIntersecting;
      if (entry.near) this.waiting.push(entry);
    }
    this.drawWaiting();
  }

  // Creates a few waiting plots at a time, so that scrolling stays smooth.
  private drawWaiting(): void {
    const start = performance.now();
    while (this.waiting.length > 0 && performance.now() - start < FRAME) {
      const entry = this.waiting.shift()!;
      if (entry.near) this.draw(entry);
    }
    if (this.waiting.length > 0 && this.timer === 0) {
      this.timer = requestAnimationFrame(() => {
        this.timer = 0;
        this.drawWaiting();
      });
    }
  }

  // Draws plots that are not near the window, one at a time, until none is out of date.
  private drawAhead(pause = PAUSE): void {
    clearTimeout(this.ahead);
    this.ahead = window.setTimeout(() => {
      const outdated = Array.from(this.entries.values()).find((one) => one.host.clientWidth > 0 && (one.stale || one.host.clientWidth !== one.width));
      if (outdated === undefined) return;
      if (this.waiting.length === 0) this.draw(outdated);
      this.drawAhead();
    }, pause);
  }

  private onSize(changes: ResizeObserverEntry[]): void {
    for (const change of changes) {
      const entry = this.entries.get(change.target);
      if (entry?.near && entry.host.clientWidth !== entry.width) this.draw(entry);
    }
    this.drawAhead(SETTLED);
  }

  private draw(entry: Entry): void {
    const width = entry.host.clientWidth;
    if (width === 0 || (!entry.stale && width === entry.width)) return;
    entry.plot ??= entry.build();
    entry.stale = false;
    entry.width = width;
    entry.plot.draw(width);
  }
}

export const stage = new Stage();
