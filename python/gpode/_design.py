"""Where to measure next."""
from __future__ import annotations

from typing import Any, Dict

import numpy as np

from ._times import TimeAxis


class Design:
    """Candidates for the next observation, ranked by the expected reduction of a stated uncertainty.

    Rows of frames are labelled by time. If there are candidate starts, frames have a column for the time and one for each
    state instead, which are empty where they do not apply.


    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> plan = model.design(batch=3, draws=64)
    >>> len(plan.batch), list(plan.to_pandas().columns)
    (3, ['channel', 'reduction', 'cost'])
    >>> starts = model.design(target="field", starts=3, draws=64)
    >>> len(starts.ranked), list(starts.ranked.columns)
    (9, ['time', 'x1', 'x2', 'channel', 'reduction', 'cost'])
    """

    def __init__(self, raw: Dict[str, Any], axis: TimeAxis):
        self._raw, self._axis = raw, axis

    @property
    def target(self) -> str:
        """The uncertainty that is to be reduced: "forecast", "field" or "stability"."""
        return str(self._raw["target"])

    @property
    def deviation(self) -> float:
        """The root mean square of the targets' standard deviations: of the forecast over those of the data, of the field
        over its size at the data, or of the leading eigenvalue of the fixed point."""
        return float(self._raw["deviation"])

    @property
    def fixed_point(self) -> Any:
        """The mean place of the fixed point whose stability is the target, as a series; nothing for other targets."""
        import pandas as pd

        if self.target != "stability":
            return None
        return pd.Series(self._raw["fixed_point"], index=self._raw["states"], name="fixed point")

    @property
    def draws(self) -> int:
        """The number of draws that could be followed."""
        return int(self._raw["draws"])

    def _frame(self, key: str) -> Any:
        import pandas as pd

        rows = self._raw[key]
        values = pd.DataFrame([row[2:] for row in rows], columns=["channel", "reduction", "cost"])
        numbers = np.array([row[1] for row in rows if row[1] is not None], dtype=float)
        if not len(self._raw["starts"]):
            values.index = self._axis.index(numbers)
            return values
        times = iter(self._axis.index(numbers)) if len(numbers) else iter(())
        values.insert(0, "time", [None if row[1] is None else next(times) for row in rows])
        for d, name in enumerate(self._raw["states"]):
            values.insert(1 + d, name, [np.nan if row[0] is None else self._raw["starts"][row[0], d] for row in rows])
        return values

    @property
    def ranked(self) -> Any:
        """All candidates, the best first."""
        return self._frame("ranked")

    @property
    def batch(self) -> Any:
        """The observations to make together; each reduction is that on top of those before it."""
        return self._frame("batch")

    def to_pandas(self) -> Any:
        """Returns all candidates in the order of time: channel, reduction (a share of the variance) and cost."""
        return self._frame("candidates")

    def to_xarray(self) -> Any:
        """Returns an xarray Dataset of reductions and costs with the dimensions time and channel, or, if there are
        candidate starts, start and channel; the states are coordinates of the starts."""
        import xarray as xr

        starts = np.asarray(self._raw["starts"])
        kind = "start" if len(starts) else "time"
        rows = [row for row in self._raw["candidates"] if (row[0] is not None) == bool(len(starts))]
        channels = list(dict.fromkeys(row[2] for row in rows))
        shape = (len(rows) // len(channels), len(channels))
        coords: Dict[str, Any] = {"channel": channels}
        if len(starts):
            coords["start"] = np.arange(1, len(starts) + 1)
            coords.update({name: ("start", starts[:, d]) for d, name in enumerate(self._raw["states"])})
        else:
            coords["time"] = self._axis.values(np.array(sorted({row[1] for row in rows})))
        return xr.Dataset({"reduction": ((kind, "channel"), np.array([row[3] for row in rows]).reshape(shape)),
                           "cost": ((kind, "channel"), np.array([row[4] for row in rows]).reshape(shape))}, coords=coords)

    def plot(self, ax: Any = None) -> Any:
        """Draws the expected reduction over time or, if there are candidate starts, over their first two states, and what
        is chosen, with Matplotlib; returns the axes."""
        from . import _insight_plots

        return _insight_plots.design(self, ax)

    def __repr__(self) -> str:
        best = self.ranked
        start, time = self._raw["ranked"][0][:2]
        if start is None:
            place = self._axis.index(np.array([time]))[0]
        else:
            place = ", ".join(f"{name} = {x:.3g}" for name, x in zip(self._raw["states"], self._raw["starts"][start]))
        return f"<gpode.Design of {len(best)} candidates, the best at {place}: {100 * best['reduction'].iloc[0]:.1f} %>"

    def _repr_html_(self) -> str:
        return self.ranked.head(10)._repr_html_()
