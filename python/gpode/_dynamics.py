"""The dynamics of a model: fixed points, oscillations, basins, Lyapunov exponents, and how they change with an input."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

_ENDS = ("fixed_point", "limit_cycle", "leaves", "keeps_moving")


def _band(name: str, band: Tuple[float, float, float]) -> Dict[str, float]:
    """Returns the median and the ends of a band under names of columns."""
    return {name: band[0], f"{name}_lower": band[1], f"{name}_upper": band[2]}


def _text(band: Tuple[float, float, float]) -> str:
    return f"{band[0]:.4g} ({band[1]:.4g} to {band[2]:.4g})"


class Analysis:
    """What :meth:`gpode.Model.analyse` found, as probabilities and bands over draws of the field.

    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> dynamics = model.analyse(draws=16, basins=False)
    >>> 0 <= dynamics.oscillation["probability"] <= 1
    True
    >>> list(dynamics.lyapunov.columns)
    ['median', 'lower', 'upper']
    """

    def __init__(self, raw: Dict[str, Any], model: Any, at: Optional[Dict[str, float]] = None):
        self._raw = raw
        self._model = model
        self.at = dict(at or {})

    @property
    def states(self) -> List[str]:
        """The names of the states."""
        return list(self._raw["states"])

    @property
    def draws(self) -> int:
        """The number of draws of the field that were analysed."""
        return int(self._raw["draws"])

    @property
    def level(self) -> float:
        """The level of the bands: the share of the draws that a band contains."""
        return float(self._raw["level"])

    @property
    def region(self) -> Any:
        """The region of the states that was searched, as a frame with the columns lower and upper."""
        import pandas as pd

        return pd.DataFrame({"lower": self._raw["lower"], "upper": self._raw["upper"]}, index=self.states)

    @property
    def fixed_points(self) -> Any:
        """The fixed points by decreasing probability, as a frame: the probability that each exists, its most probable
        type, the probability that it is stable, its place and its leading eigenvalue with bands, and whether it is
        outside the data, where the answer depends on the prior."""
        import pandas as pd

        rows = []
        for point in self._raw["points"]:
            row: Dict[str, Any] = {"probability": point["probability"],
                                   "type": max(point["types"], key=point["types"].get), "stable": point["stable"]}
            for name, place in zip(self.states, point["place"]):
                row.update(_band(name, place))
            row.update(_band("real", point["real"][0]))
            row.update({"imaginary": point["imaginary"][0][0], "outside_data": point["outside_data"]})
            rows.append(row)
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="point"))

    @property
    def eigenvalues(self) -> Any:
        """All eigenvalues of the fixed points with bands: a row for each point and number."""
        import pandas as pd

        rows, index = [], []
        for n, point in enumerate(self._raw["points"], 1):
            for k, (real, imaginary) in enumerate(zip(point["real"], point["imaginary"]), 1):
                index.append((n, k))
                rows.append({**_band("real", real), **_band("imaginary", imaginary)})
        labels = pd.MultiIndex.from_tuples(index, names=["point", "number"]) if index else None
        return pd.DataFrame(rows, index=labels)

    @property
    def types(self) -> Any:
        """The probability of each type, if the point exists: a row for each fixed point."""
        import pandas as pd

        points = self._raw["points"]
        return pd.DataFrame([p["types"] for p in points], index=pd.RangeIndex(1, len(points) + 1, name="point"))

    @property
    def fixed_point_draws(self) -> Any:
        """The fixed points of each draw that has one: the columns point, the states, and stable."""
        import pandas as pd

        parts = []
        for n, point in enumerate(self._raw["points"], 1):
            part = pd.DataFrame(point["states"], columns=self.states)
            part.insert(0, "point", n)
            part["stable"] = point["is_stable"]
            parts.append(part)
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["point", *self.states, "stable"])

    @property
    def counts(self) -> Any:
        """The probability of each number of fixed points in the region."""
        import pandas as pd

        return pd.Series(self._raw["counts"], name="probability").rename_axis("fixed_points")

    @property
    def oscillation(self) -> Any:
        """The probabilities that the system oscillates and that it has an attracting limit cycle; the period, the
        amplitudes and the largest Floquet multiplier with bands, as a series."""
        import pandas as pd

        raw = self._raw["oscillation"]
        values = {"probability": raw["probability"], "limit_cycle_probability": raw["cycle_probability"]}
        values.update(_band("period", raw["period"]))
        for name, band in zip(self.states, raw["amplitude"]):
            values.update(_band(f"amplitude_{name}", band))
        values.update(_band("multiplier", raw["multiplier"]))
        return pd.Series(values, name="oscillation", dtype=float)

    @property
    def cycles(self) -> List[np.ndarray]:
        """The limit cycles of some draws, each an array (times, states)."""
        return list(self._raw["oscillation"]["cycles"])

    @property
    def ends(self) -> Any:
        """Where the solution from the last state of the data ends, as probabilities."""
        import pandas as pd

        return pd.Series(self._raw["fates"], index=list(_ENDS), name="probability")

    @property
    def energy(self) -> Any:
        """The energy along the first trajectory, if the field has one: a frame with the rows first, last, drift and loss,
        each a band, which is zero at the mean state of the data; nothing for other fields. Without a loss it is
        conserved."""
        import pandas as pd

        raw = self._raw["energy"]
        if not raw["draws"]:
            return None
        rows = ("first", "last", "drift", "loss")
        return pd.DataFrame([raw[row] for row in rows], columns=["median", "lower", "upper"],
                            index=pd.Index(rows, name="energy"))

    @property
    def lyapunov(self) -> Any:
        """The Lyapunov exponents with bands; no rows if none could be computed."""
        import pandas as pd

        rows = self._raw["lyapunov"]["exponents"]
        return pd.DataFrame(np.array(rows, dtype=float).reshape(len(rows), 3), columns=["median", "lower", "upper"],
                            index=pd.RangeIndex(1, len(rows) + 1, name="exponent"))

    @property
    def chaotic(self) -> float:
        """The probability that the largest Lyapunov exponent is positive."""
        return float(self._raw["lyapunov"]["positive"])

    @property
    def horizon(self) -> Tuple[float, float, float]:
        """The time in which forecasts lose their use: median and band; NaN unless the system is chaotic."""
        return tuple(self._raw["lyapunov"]["horizon"])  # type: ignore[return-value]

    @property
    def basins(self) -> Any:
        """The probability of each end of solutions from a grid of starts, as an xarray DataArray (end, first state,
        second state); None if there are none."""
        import xarray as xr

        raw = self._raw["basins"]
        if raw is None:
            return None
        cells, (low, high) = raw["cells"], (self._raw["lower"], self._raw["upper"])
        share = (np.arange(cells) + 0.5) / cells
        axes = {name: low[d] + share * (high[d] - low[d]) for d, name in enumerate(self.states[:2])}
        return xr.DataArray(np.stack(raw["probabilities"]), dims=("end", *axes), coords={"end": raw["labels"], **axes},
                            name="probability")

    def to_pandas(self) -> Any:
        """Returns the fixed points, as :attr:`fixed_points`."""
        return self.fixed_points

    def to_xarray(self) -> Any:
        """Returns an xarray Dataset: fixed points (point, state), their covariances and probabilities, and the basins."""
        import xarray as xr

        points, states = self._raw["points"], self.states
        d = len(states)
        place = np.array([p["place"] for p in points], dtype=float).reshape(len(points), d, 3)
        whole = xr.Dataset(
            {"probability": (("point",), [p["probability"] for p in points]),
             "stable": (("point",), [p["stable"] for p in points]),
             "place": (("point", "state", "bound"), place),
             "covariance": (("point", "state", "state_"), np.array([p["covariance"] for p in points]).reshape(-1, d, d))},
            coords={"point": np.arange(1, len(points) + 1), "state": states, "state_": states,
                    "bound": ["median", "lower", "upper"]}, attrs={"level": self.level, "draws": self.draws})
        return whole if self._raw["basins"] is None else whole.assign(basins=self.basins)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws basins, nullclines, separatrices, limit cycles and fixed points with Matplotlib; returns the axes."""
        from . import _insight_plots

        return _insight_plots.dynamics(self, ax, **options)

    def __str__(self) -> str:
        lines = [f"{self.draws} draws of the field" + "".join(f", {n} = {v:g}" for n, v in self.at.items())]
        for n, p in enumerate(self._raw["points"], 1):
            place = ", ".join(f"{s} = {_text(b)}" for s, b in zip(self.states, p["place"]))
            lines.append(f"fixed point {n}  probability {p['probability']:.2f}  {place}; "
                         f"{max(p['types'], key=p['types'].get)}, stable {p['stable']:.2f}"
                         f"{'; OUTSIDE THE DATA' if p['outside_data'] else ''}")
        if not self._raw["points"]:
            lines.append("no fixed point in the region has a probability of 0.05 or more")
        o = self._raw["oscillation"]
        lines.append(f"oscillates  probability {o['probability']:.2f}"
                     + (f", period {_text(o['period'])}" if np.isfinite(o["period"][0]) else ""))
        lines.append("ends  " + ", ".join(f"{n.replace('_', ' ')} {p:.2f}" for n, p in self.ends.items()))
        if len(self.lyapunov):
            lines.append("Lyapunov exponents  " + ", ".join(_text(b) for b in self._raw["lyapunov"]["exponents"]))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (f"<gpode.Analysis of {', '.join(self.states)}: {len(self._raw['points'])} fixed points, oscillates with "
                f"probability {self._raw['oscillation']['probability']:.2f}, {self.draws} draws>")

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


class Sweep(Sequence):
    """Analyses of a model at several values of one input: ``sweep[i]`` is the :class:`Analysis` at ``sweep.values[i]``.

    >>> import gpode, numpy as np
    >>> times = np.arange(0, 8, 0.2)
    >>> data = (times, np.cos(times)[:, None])
    >>> heated = gpode.fit(data, inputs=(times, np.sin(times)[:, None]), steps=100, progress=False)
    >>> sweep = heated.sweep("u1", [-1, 0, 1], draws=8)
    >>> sweep.to_pandas().shape[0]
    3
    """

    def __init__(self, name: str, values: np.ndarray, parts: List[Analysis]):
        self.input, self.values, self._parts = name, values[:len(parts)], parts

    def __getitem__(self, key: Any) -> Any:
        return self._parts[key]

    def __len__(self) -> int:
        return len(self._parts)

    def to_pandas(self) -> Any:
        """Returns a row for each value: the expected number of fixed points, the probability of a stable one and of an
        oscillation, and the period with its band."""
        import pandas as pd

        rows = []
        for part in self._parts:
            raw = part._raw
            stable = max((p["probability"] * p["stable"] for p in raw["points"]), default=0.0)
            rows.append({"fixed_points": float(np.dot(np.arange(len(raw["counts"])), raw["counts"])), "stable": stable,
                         "oscillates": raw["oscillation"]["probability"], **_band("period", raw["oscillation"]["period"])})
        return pd.DataFrame(rows, index=pd.Index(self.values, name=self.input))

    def fixed_points(self) -> Any:
        """Returns the fixed points of all draws at all values: the input, point, the states, and stable."""
        import pandas as pd

        parts = []
        for value, part in zip(self.values, self._parts):
            frame = part.fixed_point_draws
            frame.insert(0, self.input, value)
            parts.append(frame)
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def to_xarray(self) -> Any:
        """Returns the table of :meth:`to_pandas` as an xarray Dataset along the input."""
        return self.to_pandas().to_xarray()

    def plot(self, ax: Any = None, *, state: Optional[str] = None) -> Any:
        """Draws a bifurcation diagram with Matplotlib: a state of the fixed points of all draws, and the ends of limit
        cycles, over the input; returns the axes."""
        from . import _insight_plots

        return _insight_plots.bifurcation(self, ax, state=state)

    def __repr__(self) -> str:
        ends = f" from {self.values[0]:g} to {self.values[-1]:g}" if len(self) else ""
        return f"<gpode.Sweep of {self.input}{ends}, {len(self)} values>"

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()
