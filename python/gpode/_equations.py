"""Readable equations of a model."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Union

import numpy as np


class Explanation:
    """What :meth:`gpode.Model.explain` found: which terms make up the field, with which coefficients.

    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("lotka-volterra", noise_share=0.02), steps=200, progress=False)
    >>> found = model.explain(degree=2, draws=16)
    >>> found.formulas["prey"][:4] != ""
    True
    >>> list(found.to_pandas().columns)
    ['probability', 'chosen', 'coefficient', 'standard_error', 'median', 'lower', 'upper']
    """

    def __init__(self, raw: Dict[str, Any]):
        self._raw = raw

    @property
    def formulas(self) -> Dict[str, str]:
        """The right-hand side of each state's equation as text, with the terms of probability one half or more."""
        return {e["state"]: e["formula"] for e in self._raw["equations"]}

    @property
    def explained(self) -> Any:
        """The share of the variance of the field, at the states of the data, that each formula explains."""
        import pandas as pd

        return pd.Series({e["state"]: e["explained"] for e in self._raw["equations"]}, name="explained")

    @property
    def text(self) -> str:
        """The equations in the language of ``gpode.fit(equations=...)``, to be fitted again."""
        return str(self._raw["text"])

    @property
    def latex(self) -> str:
        """The equations in LaTeX."""
        return str(self._raw["latex"])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the equations to a file that ``gpode.fit(equations=path)`` reads."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def to_pandas(self) -> Any:
        """Returns a row for each equation and term: its probability, whether it was chosen, its coefficient in the chosen
        formula, and the band of its coefficient given that the term is present."""
        import pandas as pd

        rows, index = [], []
        for equation in self._raw["equations"]:
            for term in equation["terms"]:
                index.append((equation["state"], term["term"]))
                row = {k: term[k] for k in ("probability", "chosen", "coefficient", "standard_error")}
                rows.append({**row, **dict(zip(("median", "lower", "upper"), term["band"]))})
        return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(index, names=["state", "term"]))

    def to_xarray(self) -> Any:
        """Returns the table of :meth:`to_pandas` as an xarray Dataset with the dimensions state and term."""
        import xarray as xr

        equations: List[Dict[str, Any]] = self._raw["equations"]
        dims = ("state", "term")

        def table(value: Any) -> Any:
            return dims, np.array([[value(t) for t in e["terms"]] for e in equations])

        return xr.Dataset({"probability": table(lambda t: t["probability"]), "chosen": table(lambda t: t["chosen"]),
                           "coefficient": table(lambda t: t["coefficient"]), "median": table(lambda t: t["band"][0]),
                           "lower": table(lambda t: t["band"][1]), "upper": table(lambda t: t["band"][2])},
                          coords={"state": [e["state"] for e in equations],
                                  "term": [t["term"] for t in equations[0]["terms"]]},
                          attrs={"level": self._raw["level"]})

    def plot(self, ax: Any = None) -> Any:
        """Draws the probability of each term with Matplotlib, a row per equation; returns the axes."""
        from . import _insight_plots

        return _insight_plots.explanation(self, ax)

    def __str__(self) -> str:
        return "\n".join(f"d{e['state']}/dt = {e['formula']}    ({100 * e['explained']:.1f} % of the field explained)"
                         for e in self._raw["equations"])

    def __repr__(self) -> str:
        return f"<gpode.Explanation: {'; '.join(f'd{s}/dt = {f}' for s, f in self.formulas.items())}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def _repr_latex_(self) -> str:
        return self.latex
