// The section of the phase portrait, with choices, plot and legend. A system of one state gets a
// line plot instead.
import { choice, el, nameText, section } from "./dom";
import { FieldLinePlot } from "./field_line_plot";
import { LEVELS, PortraitPlot } from "./portrait_plot";
import type { PortraitLayer, PortraitView } from "./portrait_view";
import type { Report, States } from "./report";
import { stage } from "./stage";
import { format, short } from "./text";

const GROUP = "portrait";

const LAYERS: { layer: PortraitLayer; mark: string; label: string; there: (states: States) => boolean }[] = [
  { layer: "streamlines", mark: "stream", label: "streamlines of the mean field", there: () => true },
  { layer: "uncertainty", mark: "haze", label: "uncertainty of the field", there: () => true },
  { layer: "paths", mark: "line", label: "median trajectories (ring: start; dashed: forecast)", there: (s) => s.paths.length > 0 },
  { layer: "observed", mark: "dot", label: "observations", there: (s) => s.paths.some((p) => p.observed) },
  { layer: "draws", mark: "draw", label: "single draws", there: (s) => s.paths.some((p) => p.draws?.length) },
  { layer: "inducing", mark: "plus", label: "inducing points", there: (s) => (s.inducing?.length ?? 0) > 0 },
];

export function portraitSection(report: Report, states: States): HTMLElement {
  return states.names.length === 1 ? fieldLineSection(report) : planeSection(report, states);
}

function fieldLineSection(report: Report): HTMLElement {
  const result = section("portrait", "The field", "The rate of change at every state: posterior mean, and twice its standard deviation to either side.");
  const host = el("div", { class: "plot", role: "img" });
  host.style.height = "300px";
  stage.add(host, GROUP, () => new FieldLinePlot(host, report));
  result.append(el("figure", {}, host));
  return result;
}

function planeSection(report: Report, states: States): HTMLElement {
  const result = section("portrait", "Phase portrait", "Where the posterior mean field leads from every state, and how sure it is.");
  const first = states.fields[0];
  const view: PortraitView = {
    x: first?.x ?? 0,
    y: first?.y ?? 1,
    anchor: 0,
    shown: { uncertainty: true, streamlines: true, paths: true, observed: true, draws: false, inducing: true },
  };
  const host = el("div", { class: "plot portrait", role: "img" });
  host.style.height = "460px";
  stage.add(host, GROUP, () => new PortraitPlot(host, report, view));
  result.append(
    el("div", { class: "toolbar", role: "group", "aria-label": "What the portrait shows" }, ...axisChoices(states, view), toggles(states, view)),
    el("figure", { class: "wide" }, host, hazeLegend(), ...anchorNote(states),
      ...(states.note ? [el("p", { class: "note" }, nameText(states.note))] : [])),
  );
  return result;
}

function axisChoices(states: States, view: PortraitView): HTMLElement[] {
  const names = states.names.map((name) => short(name, 40));
  const result: HTMLElement[] = [];
  const rebuild = () => {
    result.forEach((element, i) => {
      element.querySelector("select")!.value = String([view.x, view.y, view.anchor][i]);
    });
    stage.refresh(GROUP);
  };
  // Choosing the state of the other axis swaps the two.
  const pickX = (index: number) => {
    if (index === view.y) view.y = view.x;
    view.x = index;
    rebuild();
  };
  const pickY = (index: number) => {
    if (index === view.x) view.x = view.y;
    view.y = index;
    rebuild();
  };
  result.push(choice("Across", names, view.x, pickX), choice("Up", names, view.y, pickY));
  if (states.names.length > 2) {
    const anchors = states.anchors.map((anchor) => short(anchor.label, 60));
    result.push(choice("Other states as at", anchors, view.anchor, (index) => {
      view.anchor = index;
      rebuild();
    }));
  }
  return result;
}

function toggles(states: States, view: PortraitView): HTMLElement {
  const result = el("div", { class: "toggles" });
  for (const { layer, mark, label, there } of LAYERS) {
    if (!there(states)) continue;
    const box = el("input", { type: "checkbox", checked: view.shown[layer], "data-layer": layer });
    box.addEventListener("change", () => {
      view.shown[layer] = box.checked;
      stage.refresh(GROUP);
    });
    result.append(el("label", { class: "toggle" }, box, el("i", { class: `swatch ${mark}` }), label));
  }
  return result;
}

function hazeLegend(): HTMLElement {
  const result = el("p", { class: "haze-legend" }, "Standard deviation of the field, as a share of its median speed: ");
  LEVELS.forEach((level, i) => {
    const next = LEVELS[i + 1];
    const text = next === undefined ? `over ${format(level * 100)} %` : `${format(level * 100)} to ${format(next * 100)} %`;
    result.append(el("span", {}, el("i", { class: `swatch haze-step haze-step${i}` }), text));
  });
  return result;
}

function anchorNote(states: States): HTMLElement[] {
  if (states.names.length <= 2) return [];
  return [el("p", { class: "note" },
    "The plane cuts the space of states at the point that the hollow diamond marks; trajectories and inducing points are seen from above, near the plane or not.")];
}
