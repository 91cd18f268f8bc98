"""Forecasts and imputations with labels."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np

from . import _gpode
from ._times import TimeAxis


def quantiles_of(bands: Sequence[float], function: str) -> List[float]:
    """Returns the levels of the quantiles that bound bands, and of the median between them."""
    levels = {0.5}
    for band in np.atleast_1d(np.asarray(bands, dtype=float)):
        if not 0 < band < 1:
            raise ValueError(f"{function}: bands is {band:g}, must be shares between 0 and 1, such as 0.9")
        levels.update((round((1 - band) / 2, 12), round((1 + band) / 2, 12)))
    return sorted(levels)


class Forecast:
    """A forecast of one trajectory: draws from the posterior, followed to some times.

    ``draws`` is an array (draws, times, channels), a view of the library's memory that cannot be written to. A draw
    whose integration diverged is NaN from there on.

    >>> import gpode
    >>> data = gpode.simulate("vdp", noise=0.05)
    >>> forecast = gpode.fit(data, steps=200, progress=False).forecast(until=14, points=8)
    >>> forecast.draws.shape
    (128, 8, 2)
    >>> list(forecast.to_pandas().columns[:4])
    ['x1_mean', 'x1_q5', 'x1_q50', 'x1_q95']
    """

    def __init__(self, raw: "_gpode.Forecast", channels: Sequence[str], axis: TimeAxis, name: str,
                 bands: Sequence[float], noise: bool, end: Optional[float] = None, model: Any = None,
                 trajectory: Optional[int] = None):
        self._raw = raw
        self._axis = axis
        self._model = model
        self._trajectory = trajectory
        self.channels = list(channels)
        self.name = name
        self.bands = [float(band) for band in np.atleast_1d(np.asarray(bands, dtype=float))]
        self.noise = noise
        self.end = end  # the time of the last observation; None without one

    @property
    def times(self) -> np.ndarray:
        """The times (T) as numbers."""
        return self._raw.times

    @property
    def index(self) -> Any:
        """The times as an index of pandas: dates if the data had dates."""
        return self._axis.index(self.times)

    @property
    def draws(self) -> np.ndarray:
        """The draws (draws, T, channels) without observation noise."""
        return self._raw.draws

    @property
    def diverged(self) -> int:
        """The number of draws that diverged."""
        return self._raw.diverged

    @property
    def mean(self) -> np.ndarray:
        """The mean of the draws (T, channels)."""
        return self._raw.mean()

    @property
    def median(self) -> np.ndarray:
        """The median of the draws (T, channels)."""
        return self.quantile(0.5)

    def quantile(self, p: float, noise: Optional[bool] = None) -> np.ndarray:
        """Returns the quantile p (T, channels) of the channels or, with noise, of new observations."""
        noisy = self.noise if noise is None else noise
        return self._raw.predictive_quantile(p) if noisy else self._raw.quantile(p)

    def band(self, level: float, noise: Optional[bool] = None) -> "tuple[np.ndarray, np.ndarray]":
        """Returns the lower and the upper end of the central band of a level."""
        low, _, high = quantiles_of([level], "band")
        return self.quantile(low, noise), self.quantile(high, noise)

    def to_pandas(self, bands: Optional[Sequence[float]] = None, noise: Optional[bool] = None) -> Any:
        """Returns a frame with the columns of ``gpode forecast``: mean and quantiles of every channel."""
        import pandas as pd

        levels = quantiles_of(self.bands if bands is None else bands, "to_pandas")
        mean, quantiles = self.mean, [self.quantile(p, noise) for p in levels]
        columns: Dict[str, np.ndarray] = {}
        for c, channel in enumerate(self.channels):
            columns[f"{channel}_mean"] = mean[:, c]
            for p, values in zip(levels, quantiles):
                columns[f"{channel}_q{100 * p:g}"] = values[:, c]
        return pd.DataFrame(columns, index=self.index)

    def to_xarray(self, bands: Optional[Sequence[float]] = None, noise: Optional[bool] = None) -> Any:
        """Returns an xarray Dataset with ``draws`` (draw, time, channel), ``mean`` and ``quantiles``; the draws are
        not copied."""
        import xarray as xr

        levels = quantiles_of(self.bands if bands is None else bands, "to_xarray")
        return xr.Dataset(
            {"draws": (("draw", "time", "channel"), self.draws),
             "mean": (("time", "channel"), self.mean),
             "quantiles": (("quantile", "time", "channel"), np.stack([self.quantile(p, noise) for p in levels]))},
            coords={"time": self._axis.values(self.times), "channel": self.channels, "quantile": levels,
                    "draw": np.arange(len(self.draws))},
            attrs={"trajectory": self.name, "diverged": self.diverged})

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the forecast with Matplotlib; see :meth:`gpode.Model.plot_forecast`."""
        from . import _plots

        return _plots.forecast(self, ax, **options)

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        first, last = (self.index[0], self.index[-1]) if len(self) else ("-", "-")
        return (f"<gpode.Forecast of {', '.join(self.channels)} at {len(self)} times from {first} to {last}, "
                f"{len(self.draws)} draws, {self.diverged} diverged>")

    def _repr_html_(self) -> str:
        from ._html import forecast_html

        return forecast_html(self)


class Forecasts(Sequence):
    """The forecasts of several trajectories, by number or by name."""

    def __init__(self, parts: List[Forecast]):
        self._parts = parts

    @property
    def names(self) -> List[str]:
        return [part.name for part in self._parts]

    def __getitem__(self, key: Union[int, str]) -> Forecast:  # type: ignore[override]
        if isinstance(key, str):
            if key not in self.names:
                raise KeyError(f"no trajectory {key!r}, found {', '.join(self.names)}")
            return self._parts[self.names.index(key)]
        return self._parts[key]

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Forecast]:
        return iter(self._parts)

    def to_pandas(self, **options: Any) -> Any:
        """Returns one frame whose index has the levels trajectory and time."""
        import pandas as pd

        return pd.concat({part.name: part.to_pandas(**options) for part in self._parts}, names=["trajectory"])

    def to_xarray(self, **options: Any) -> Any:
        """Returns one Dataset along the dimension trajectory; the forecasts must have the same times."""
        import xarray as xr

        return xr.concat([part.to_xarray(**options) for part in self._parts],
                         dim=xr.Variable("trajectory", self.names), combine_attrs="drop")

    def __repr__(self) -> str:
        return f"<gpode.Forecasts of {len(self)} trajectories: {', '.join(self.names[:8])}>"

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self._parts[:6])


class Imputation:
    """A trajectory whose missing values have been filled in."""

    def __init__(self, name: str, times: np.ndarray, values: np.ndarray, lower: np.ndarray, upper: np.ndarray,
                 missing: np.ndarray, channels: Sequence[str], axis: TimeAxis, level: float, diverged: int):
        self.name, self.times, self.values = name, times, values
        self.lower, self.upper, self.missing = lower, upper, missing
        self.channels, self.level, self.diverged = list(channels), level, diverged
        self._axis = axis

    @property
    def index(self) -> Any:
        """The times as an index of pandas."""
        return self._axis.index(self.times)

    def to_pandas(self, only_gaps: bool = False) -> Any:
        """Returns a frame with the columns of ``gpode impute``: for every channel the value, its band, and whether
        it was missing."""
        import pandas as pd

        columns: Dict[str, np.ndarray] = {}
        for c, channel in enumerate(self.channels):
            columns[channel] = self.values[:, c]
            columns[f"{channel}_lower"] = self.lower[:, c]
            columns[f"{channel}_upper"] = self.upper[:, c]
            columns[f"{channel}_missing"] = self.missing[:, c]
        frame = pd.DataFrame(columns, index=self.index)
        return frame[self.missing.any(axis=1)] if only_gaps else frame

    def to_xarray(self) -> Any:
        """Returns an xarray Dataset with ``values``, ``lower``, ``upper`` and ``missing`` (time, channel)."""
        import xarray as xr

        dims = ("time", "channel")
        return xr.Dataset({"values": (dims, self.values), "lower": (dims, self.lower), "upper": (dims, self.upper),
                           "missing": (dims, self.missing)},
                          coords={"time": self._axis.values(self.times), "channel": self.channels})

    def __repr__(self) -> str:
        return (f"<gpode.Imputation of {int(self.missing.sum())} values at {len(self.times)} times, "
                f"{100 * self.level:g} % bands>")

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()
