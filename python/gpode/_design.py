"""Where to measure next."""
from __future__ import annotations

from typing import Any, Dict

import numpy as np

from ._times import TimeAxis


class Design:
    """Candidates for the next observation, ranked by the expected reduction of a forecast's variance.

    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> plan = model.design(batch=3, draws=64)
    >>> len(plan.batch), list(plan.to_pandas().columns)
    (3, ['channel', 'reduction', 'cost'])
    """

    def __init__(self, raw: Dict[str, Any], axis: TimeAxis):
        self._raw, self._axis = raw, axis

    @property
    def deviation(self) -> float:
        """The root mean square of the forecast's standard deviations, relative to those of the data."""
        return float(self._raw["deviation"])

    @property
    def draws(self) -> int:
        """The number of draws that could be followed."""
        return int(self._raw["draws"])

    def _frame(self, key: str) -> Any:
        import pandas as pd

        rows = self._raw[key]
        frame = pd.DataFrame(rows, columns=["time", "channel", "reduction", "cost"])
        frame.index = self._axis.index(np.array([row[0] for row in rows], dtype=float))
        return frame.drop(columns="time")

    @property
    def ranked(self) -> Any:
        """All candidates, the best first."""
        return self._frame("ranked")

    @property
    def batch(self) -> Any:
        """The observations to make together; each reduction is in addition to those of the observations before it."""
        return self._frame("batch")

    def to_pandas(self) -> Any:
        """Returns all candidates in the order of time: channel, reduction (a share of the variance) and cost."""
        return self._frame("candidates")

    def to_xarray(self) -> Any:
        """Returns an xarray Dataset of reductions and costs with the dimensions time and channel."""
        import xarray as xr

        rows = self._raw["candidates"]
        times, channels = sorted({row[0] for row in rows}), list(dict.fromkeys(row[1] for row in rows))
        shape = (len(times), len(channels))
        return xr.Dataset({"reduction": (("time", "channel"), np.array([row[2] for row in rows]).reshape(shape)),
                           "cost": (("time", "channel"), np.array([row[3] for row in rows]).reshape(shape))},
                          coords={"time": self._axis.values(np.array(times)), "channel": channels})

    def plot(self, ax: Any = None) -> Any:
        """Draws the expected reduction over time, and the chosen times, with Matplotlib; returns the axes."""
        from . import _insight_plots

        return _insight_plots.design(self, ax)

    def __repr__(self) -> str:
        best = self.ranked
        return f"<gpode.Design of {len(best)} candidates, the best at {best.index[0]}: {100 * best['reduction'].iloc[0]:.1f} %>"

    def _repr_html_(self) -> str:
        return self.ranked.head(10)._repr_html_()
