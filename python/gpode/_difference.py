"""The difference of the fields of two models."""
from __future__ import annotations

from typing import Any, Dict, List

import numpy as np


class FieldDifference:
    """Where the fields of two models differ: the first minus the second, at states near the data of both.

    ``chance`` is the probability of a difference as large as the largest if the fields were equal, ``share`` the share of
    values that differ at the false discovery rate ``rate``.

    >>> import gpode
    >>> quick = dict(steps=200, progress=False)
    >>> one = gpode.fit(gpode.simulate("vdp", noise=0.05, seed=1), **quick)
    >>> other = gpode.fit(gpode.simulate("vdp", noise=0.05, seed=2), **quick)
    >>> difference = one.compare(other, draws=32)
    >>> 0 <= difference.share <= 1
    True
    """

    def __init__(self, raw: Dict[str, Any]):
        self._raw = raw

    @property
    def states(self) -> List[str]:
        """The names of the states."""
        return list(self._raw["states"])

    @property
    def chance(self) -> float:
        """The probability of a difference as large as the largest if the fields were equal."""
        return float(self._raw["chance"])

    @property
    def share(self) -> float:
        """The share of the compared values that differ beyond chance."""
        return float(self._raw["share"])

    @property
    def rate(self) -> float:
        """The false discovery rate."""
        return float(self._raw["rate"])

    def to_pandas(self) -> Any:
        """Returns a row for each state that was looked at: where it is, whether it is near the data of both, and for each
        component the difference, its band, the local false sign rate and whether it differs."""
        import pandas as pd

        raw, names = self._raw, self.states
        frame = pd.DataFrame(raw["points"], columns=names)
        frame["inside_data"] = raw["inside"]
        differs = np.array(raw["differs"]).reshape(len(frame), len(names))
        for d, name in enumerate(names):
            for column in ("mean", "lower", "upper", "false_sign"):
                frame[f"d{name}_{column}"] = raw[column][:, d]
            frame[f"d{name}_differs"] = differs[:, d]
        return frame

    def to_xarray(self) -> Any:
        """Returns an xarray Dataset: along the states if they form a grid (one or two states), otherwise along point."""
        import xarray as xr

        raw, names = self._raw, self.states
        points, side, d = raw["points"], raw["side"], len(names)
        if side:
            shape, dims = (side,) * d, tuple(names)
            coords: Dict[str, Any] = {n: np.unique(points[:, k]) for k, n in enumerate(names)}
        else:
            shape, dims = (len(points),), ("point",)
            coords = {n: ("point", points[:, k]) for k, n in enumerate(names)}
        values = {key: ((*dims, "component"), raw[key].reshape(*shape, d)) for key in ("mean", "lower", "upper", "false_sign")}
        return xr.Dataset({**values, "differs": ((*dims, "component"), np.array(raw["differs"]).reshape(*shape, d)),
                           "inside_data": (dims, np.array(raw["inside"]).reshape(shape))},
                          coords={**coords, "component": [f"d{n}/dt" for n in names]},
                          attrs={"chance": self.chance, "share": self.share, "rate": self.rate})

    def plot(self, ax: Any = None) -> Any:
        """Draws the difference of each component with Matplotlib (one or two states); returns the axes."""
        from . import _insight_plots

        return _insight_plots.difference(self, ax)

    def __repr__(self) -> str:
        return (f"<gpode.FieldDifference: {100 * self.share:.1f} % of values differ at a false discovery rate of "
                f"{self.rate:g}; chance of the largest difference {self.chance:.3f}>")
