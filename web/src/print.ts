// Prepares the page for printing: light colours, and all plots drawn at a width that fits A4 and
// Letter.
import { stage } from "./stage";
import { chosenTheme, setTheme } from "./theme";

export function preparePrinting(): void {
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("printing");
    setTheme("light");
    stage.drawAll();
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    setTheme(chosenTheme());
    stage.refresh();
  });
}
