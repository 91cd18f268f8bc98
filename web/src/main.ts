// Builds the page from the report that it holds.
import { calibrationSection } from "./calibration";
import { channelsSection } from "./channels";
import { el } from "./dom";
import { insightSection } from "./insight";
import { learnedSection } from "./learned";
import { portraitSection } from "./portrait";
import { preparePrinting } from "./print";
import { parseReport, type Report } from "./report";
import { headOf, repeatSection } from "./summary";
import { short } from "./text";
import { themeButton } from "./theme";
import { installTooltip } from "./tooltip";
import { trainingSection } from "./training";

function sectionsOf(report: Report): HTMLElement[] {
  const result = [channelsSection(report)];
  if (report.states?.fields.length) result.push(portraitSection(report, report.states));
  for (const insight of report.insight ?? []) result.push(insightSection(insight));
  if (report.training?.plots.length) result.push(trainingSection(report.training));
  if (report.calibration) result.push(calibrationSection(report, report.calibration));
  if (report.learned) result.push(learnedSection(report, report.learned));
  result.push(repeatSection(report));
  return result;
}

function navigation(sections: HTMLElement[]): HTMLElement {
  const links = sections.map((part) => el("a", { href: `#${part.id}` }, part.querySelector("h2")!.textContent ?? ""));
  return el("nav", { "aria-label": "Sections" }, el("div", { class: "links" }, ...links), themeButton());
}

function build(page: HTMLElement): void {
  const source = document.getElementById("report-data")!;
  const report = parseReport(source.textContent ?? "");
  source.remove(); // The text of the data may be large and is no longer needed.
  document.title = short(report.meta.title, 100);
  const sections = sectionsOf(report);
  page.replaceChildren(navigation(sections), headOf(report), el("main", {}, ...sections));
  installTooltip(page);
  preparePrinting();
  page.dataset["ready"] = "true";
}

const page = document.getElementById("page")!;
try {
  build(page);
} catch (error) {
  console.error(error);
  page.replaceChildren(el("p", { class: "failure", role: "alert" }, error instanceof Error ? error.message : String(error)));
}
