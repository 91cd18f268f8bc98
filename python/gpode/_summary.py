"""How well a model fits, and its summary."""
from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._facts import Facts


class Quality(Facts):
    """How well a model fits its data."""

    _quality: Optional[Dict[str, Any]] = None

    def quality(self) -> Any:
        """Returns how well the model fits its training data, a row per channel."""
        import pandas as pd

        frame = pd.DataFrame(self._assess()["channels"]).set_index("name")
        frame["explained"] = 1 - (frame["residual"] / frame["spread"]) ** 2
        return frame

    def remarks(self) -> List[str]:
        """Returns remarks about the data, the fit and held-back data, as ``gpode fit`` prints them."""
        return list(self._assess()["remarks"])

    def verdict(self) -> str:
        """Returns one sentence that says whether the bands can be trusted, and why."""
        return str(self._assess()["verdict"])

    def _assess(self) -> Dict[str, Any]:
        if self._quality is None:
            if len(self.data) == 0:
                raise ValueError("summary: the model is without its data, must hold them to be compared with them")
            self._quality = self._raw.quality(0)
        return self._quality

    def summary(self) -> "Summary":
        """Returns a summary to print: facts, channels, remarks."""
        return Summary(self)


class Summary:
    """A summary of a model: a text in terminals, a table in notebooks."""

    def __init__(self, model: Quality):
        self.facts = model._raw.facts
        has_data = len(model.data) > 0
        self.channels = model.quality() if has_data else None
        self.remarks = model.remarks() if has_data else []
        self.verdict = model.verdict() if has_data else ""
        self.holdout = model.holdout

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.facts)
        lines = [f"{name:<{width}}  {value}" for name, value in self.facts]
        if self.channels is not None:
            lines += ["", f"{'channel':<12} {'values':>8} {'spread':>10} {'residual':>10} {'noise':>10} "
                          f"{'explained':>10} {'in 90 % bands':>14}"]
            for name, row in self.channels.iterrows():
                lines.append(f"{str(name)[:24]:<12} {row['values']:>8.0f} {row['spread']:>10.4g} {row['residual']:>10.4g} "
                             f"{row['noise']:>10.4g} {100 * row['explained']:>8.1f} % {100 * row['inside_90']:>12.0f} %")
        if self.holdout is not None:
            lines += ["", "forecasts of held-back data", self.holdout.to_string(index=False, float_format="{:.4g}".format)]
        lines += ["", f"bands: {self.verdict}"] if self.verdict else []
        lines += [f"note: {remark}" for remark in self.remarks]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from ._html import summary_html

        return summary_html(self)
