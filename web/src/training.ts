// The section of the training run.
import { numbers } from "./arrays";
import { choice, el, section } from "./dom";
import { lineFigure, type Abscissa } from "./line_plot";
import type { Training } from "./report";
import { stage } from "./stage";

const GROUP = "training";

export function trainingSection(training: Training): HTMLElement {
  const result = section("training", "Training", "How the run went.");
  let bySeconds = false;
  const abscissa = (): Abscissa => (bySeconds ? secondsOf(training) : stepsOf(training));
  if (training.seconds !== undefined) {
    result.append(el("div", { class: "toolbar" }, choice("Across", ["steps", "seconds"], 0, (index) => {
      bySeconds = index === 1;
      stage.refresh(GROUP);
    })));
  }
  result.append(el("div", { class: "figures" }, ...training.plots.map((plot) => lineFigure(plot, GROUP, abscissa))));
  return result;
}

function stepsOf(training: Training): Abscissa {
  const marks = (training.phases ?? []).map(({ name, from }) => ({ name, at: from }));
  return { label: "step", values: numbers(training.steps), marks };
}

function secondsOf(training: Training): Abscissa {
  const [steps, seconds] = [numbers(training.steps), numbers(training.seconds)];
  const marks = (training.phases ?? []).map(({ name, from }) => {
    const index = steps.findIndex((step) => step >= from);
    return { name, at: seconds[Math.max(0, index)] ?? 0 };
  });
  return { label: "time of training (s)", values: seconds, marks };
}
