"""Forecasts, gaps and the field of a model."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _gpode
from ._checks import MOST_NUMBERS, count
from ._data import as_dataset
from ._field import Field
from ._forecast import Forecast, Forecasts, Imputation, quantiles_of
from ._scores import Scoring
from ._times import TimeAxis
from ._warnings import warn

if TYPE_CHECKING:
    from ._model import Model

_FORECAST_SHARE = 0.5  # default length of a forecast, over that of the data


def _samples(future: Optional["_gpode.Dataset"], n: int, name: str) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Returns the samples of inputs for a trajectory: those of its name, or of its number."""
    if future is None:
        return None
    which = future.names.index(name) if name in future.names else 0 if len(future) == 1 else n
    if which >= len(future):
        raise ValueError(f"forecast: inputs of {len(future)} trajectories, none for trajectory {name or n + 1}")
    return future.times(which), future.values(which)


class Predictions(Scoring):
    """The predictions of a model."""

    def forecast(self, until: Any = None, *, times: Any = None, points: int = 101, bands: Sequence[float] = (0.9,),
                 trajectory: Union[int, str, None] = None, start: str = "latest",
                 from_values: Union[Mapping[str, float], Sequence[float], None] = None, at: Any = 0.0,
                 noise: bool = False, states: bool = False, draws: int = 128, seed: int = 1, raw: bool = False,
                 threads: int = 0, inputs: Any = None, hold_inputs: bool = False,
                 push: Any = None) -> Union[Forecast, Forecasts]:
        """Forecasts trajectories from the end of their data, or from any start.

        until        the end of the forecast, a number or a date; default: after half the span of the data
        points       the number of times, equally spaced
        times        the times instead; they may be before, within or after the data
        bands        the shares that the bands contain
        trajectory   the name or the number of the only trajectory to forecast
        start        "latest": from the latest learnt state; "initial": from the initial one
        from_values  values of the channels to start from instead, at the time ``at``
        noise        quantiles of new observations, noise included
        states       the model's states instead of the channels
        raw          leave out the widening of bands that follows from held-back data
        inputs       data with the measured inputs of the future, in any shape that :func:`gpode.fit` takes
        hold_inputs  keep the last value of the inputs after their last sample
        push         sudden changes of states by time (a what-if forecast), as ``{8.0: {"x1": +0.5}}``

        Returns a :class:`Forecast`, or :class:`Forecasts` if there are several trajectories. The numbers are those of
        ``gpode forecast`` with the same options, to the last bit.
        """
        quantiles_of(bands, "forecast")
        count(draws, "forecast", "draws")
        count(points, "forecast", "points", 2)
        count(seed, "forecast", "seed", 0, 2**64 - 1)
        count(threads, "forecast", "threads", 0, 4096)
        if start not in ("latest", "initial"):
            raise ValueError(f"forecast: start is {start!r}, must be 'latest' or 'initial'")
        if times is not None and until is not None:
            raise ValueError("forecast: until cannot be combined with times")
        if noise and states:
            raise ValueError("forecast: noise cannot be combined with states, which have no noise")
        if from_values is not None and push is not None:
            raise ValueError("forecast: push cannot be combined with from_values")
        if from_values is not None and trajectory is not None:
            raise ValueError("forecast: from_values cannot be combined with trajectory")
        axis = self._axis
        common: Dict[str, Any] = dict(draws=draws, seed=seed, threads=threads, states=states, raw=raw,
                                      hold_inputs=bool(hold_inputs))
        future = self._future(inputs, "forecast")
        names = self.states if states else self.channels
        pushes = self._pushes(push)

        def made(forecast: Any, name: str, end: Optional[float], n: Optional[int]) -> Forecast:
            warn(forecast.warning, 4)
            return Forecast(forecast, names, axis, name, bands, noise, end, self, n)

        if from_values is not None:
            begins = axis.number(at, "forecast", "at")
            span = max((e - s for s, e in zip(self._raw.start_times, self._raw.end_times)), default=0.0)
            chosen = self._times(times, until, begins, 2 * span if span > 0 else 2.0, points, draws, 1)
            values = self._channel_values(from_values)
            return made(_gpode.forecast_from(self._raw, values, begins, chosen, inputs=_samples(future, 0, ""), **common),
                        "", None, None)
        which = range(len(self.trajectories)) if trajectory is None else [self._index_of(trajectory, "forecast")]
        parts = []
        for n in which:
            begin, end = self._raw.start_times[n], self._raw.end_times[n]
            chosen = self._times(times, until, end, end - begin if end > begin else 1.0, points, draws, len(which))
            own = _samples(future, n, self.trajectories[n])
            parts.append(made(_gpode.forecast_trajectory(self._raw, n, chosen, latest=start == "latest", inputs=own,
                                                         pushes=pushes, **common), self.trajectories[n], end, n))
        return parts[0] if len(parts) == 1 else Forecasts(parts)

    def _pushes(self, push: Any) -> List[Tuple[float, np.ndarray]]:
        """Returns times and changes of all states, by time."""
        found: Dict[float, np.ndarray] = {}
        items = [] if push is None else push.items() if isinstance(push, Mapping) else push
        try:
            for time, changes in items:
                at = found.setdefault(self._axis.number(time, "forecast", "push"), np.zeros(len(self.states)))
                for name, change in changes.items():
                    if name not in self.states:
                        raise ValueError(f"forecast: push has {name!r}, must be changes of states: "
                                         f"{', '.join(self.states[:10])}")
                    at[self.states.index(name)] += float(change)
        except (AttributeError, TypeError):
            raise ValueError(f'forecast: push is {push!r}, must be changes by time, as {{8.0: {{"x1": 0.5}}}}') from None
        if not all(np.isfinite(change).all() for change in found.values()):
            raise ValueError("forecast: push must be finite changes")
        return sorted(found.items())

    def _future(self, inputs: Any, function: str) -> Optional["_gpode.Dataset"]:
        """Returns future inputs as a data set whose channels are the model's inputs."""
        if inputs is None:
            return None
        if not self.inputs:
            raise ValueError(f"{function}: inputs are given, but the model has no measured inputs")
        labelled = not isinstance(inputs, (np.ndarray, tuple))
        data = as_dataset(inputs, None, self.inputs if labelled else None, where=f"{function}: inputs", axis=self._axis,
                          like=self.data)
        if len(data.channels) != len(self.inputs):
            raise ValueError(f"{function}: inputs have {len(data.channels)} columns, must have {', '.join(self.inputs)}")
        return data

    def _times(self, times: Any, until: Any, first: float, span: float, points: int, draws: int,
               trajectories: int) -> np.ndarray:
        axis = self._axis
        if times is not None:
            if isinstance(times, (str, bytes)) or not hasattr(times, "__len__"):
                raise ValueError(f"forecast: times is {times!r}, must be an array of times")
            chosen = self._many_times(times, axis)
        else:
            end = first + _FORECAST_SHARE * span if until is None else axis.number(until, "forecast", "until")
            if not end > first or not abs(end) <= 1e100:
                shown = [str(axis.index(np.array([t]))[0]) if axis.is_dates and abs(t) < 1e9 else f"{t:g}"
                         for t in (end, first)]
                raise ValueError(f"forecast: until is {shown[0]}, must be after {shown[1]}, where the forecast begins")
            chosen = _gpode.regular_times(first, end, points) if points <= MOST_NUMBERS else np.empty(0)
        rows = points if times is None else len(chosen)
        numbers = float(rows) * trajectories * draws * max(len(self.channels), len(self.states))
        if numbers > MOST_NUMBERS:
            raise ValueError(f"forecast: draws times points, channels and trajectories is {numbers:.3g} numbers, must "
                             f"be at most {MOST_NUMBERS:.0e} to fit in memory")
        return chosen

    def _many_times(self, times: Any, axis: TimeAxis) -> np.ndarray:
        from ._data import _times

        stamps, _ = _times(times, "forecast: times")
        if stamps.dtype.kind == "M":
            if not axis.is_dates:
                raise ValueError("forecast: times are dates, must be numbers like those of the data")
            return axis.numbers(stamps)
        return np.ascontiguousarray(stamps, dtype=float)

    def _channel_values(self, given: Union[Mapping[str, float], Sequence[float]]) -> np.ndarray:
        channels = self.channels
        try:
            if isinstance(given, Mapping):
                unknown = [name for name in given if name not in channels]
                if unknown:
                    raise ValueError(f"forecast: from_values has {unknown[0]!r}, must be values of channels: "
                                     f"{', '.join(channels[:10])}")
                return np.array([float(given.get(name, np.nan)) for name in channels])
            values = np.asarray(given, dtype=float)
        except TypeError:
            raise ValueError(f"forecast: from_values is {given!r}, must be numbers") from None
        if values.shape != (len(channels),):
            raise ValueError(f"forecast: from_values has shape {values.shape}, must have one value for each of "
                             f"{', '.join(channels[:10])}")
        return values

    def given(self, data: Any, time: Any = None, *, draws: int = 128, seed: int = 1, threads: int = 0,
              **read: Any) -> "Model":
        """Returns this model conditioned on new observations, in any shape that :func:`gpode.fit` takes.

        The start of each new trajectory, and its hidden states, are inferred; the field is not learnt again, but fields
        that follow the new data count more. The result forecasts, imputes and scores the new trajectories like any
        model. It cannot be saved.

        >>> import gpode
        >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
        >>> other = model.given(gpode.simulate("vdp", start=[1.0, 0.5], span=3, noise=0.05, seed=2), draws=16)
        >>> len(other.forecast(until=5.0, points=11).times)
        11
        """
        count(draws, "given", "draws")
        count(threads, "given", "threads", 0, 4096)
        tests = self._tests(data, time, self._axis, read)
        raw, _, warning = _gpode.condition(self._raw, tests, draws, count(seed, "given", "seed", 0, 2**64 - 1), threads)
        warn(warning, 3)
        return type(self)(raw)

    def impute(self, times: Any = None, *, level: float = 0.9, trajectory: Union[int, str, None] = None,
               noise: bool = False, draws: int = 128, seed: int = 1, raw: bool = False,
               threads: int = 0) -> Union[Imputation, List[Imputation]]:
        """Fills the gaps of the training data, and further times if they are given, with bands of this level.

        Returns an :class:`Imputation`, or a list of them if there are several trajectories.
        """
        count(draws, "impute", "draws")
        if not 0 < level < 1:
            raise ValueError(f"impute: level is {level!r}, must be between 0 and 1")
        data, axis = self.data, self._axis
        if len(data) == 0:
            raise ValueError("impute: the model is without its data, must hold the data to impute")
        which = range(len(data)) if trajectory is None else [self._index_of(trajectory, "impute")]
        parts = []
        for n in which:
            seen_times, seen = data.times(n), data.values(n)
            if times is not None:
                further = np.setdiff1d(self._many_times(times, axis), seen_times)
                rows = np.concatenate([seen_times, further])
                order = np.argsort(rows, kind="stable")
                wider = np.full((len(rows), seen.shape[1]), np.nan)
                wider[:len(seen)] = seen
                seen_times, seen = rows[order], wider[order]
            if seen.size * float(draws) > MOST_NUMBERS:
                raise ValueError(f"impute: draws times rows and channels is {seen.size * float(draws):.3g} numbers, "
                                 f"must be at most {MOST_NUMBERS:.0e} to fit in memory")
            filled, lower, upper, diverged, warning = _gpode.impute(self._raw, n, seen_times, seen, level, draws, seed,
                                                                    threads, noise, raw)
            warn(warning, 3)
            parts.append(Imputation(self.trajectories[n], seen_times, filled, lower, upper, np.isnan(seen),
                                    self.channels, axis, level, diverged))
        return parts[0] if len(parts) == 1 else parts

    def field(self, points: Any, at: Optional[Mapping[str, float]] = None) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the mean and the standard deviation of the field at states (n, D), or at one state (D).

        at   values of inputs and of ``"time"``, where a clock or the time drives the system; default: typical ones
        """
        try:
            states = np.asarray(points, dtype=float)
        except (TypeError, ValueError):
            raise ValueError("field: points must be an array of numbers (n, states)") from None
        return _gpode.field_moments(self._raw, states, self._values(at, "field"))

    def mean_field(self, at: Optional[Mapping[str, float]] = None) -> Field:
        """Returns the mean of the field, a function for ``solve_ivp``; inputs are held at the values ``at``."""
        return Field(_gpode.mean_field(self._raw, self._values(at, "mean_field")))

    def draw_field(self, i: int = 0, seed: int = 1, at: Optional[Mapping[str, float]] = None) -> Field:
        """Returns draw i of the field, a function for ``solve_ivp``: the same one that forecasts with this seed follow."""
        return Field(_gpode.draw_field(self._raw, count(seed, "draw_field", "seed", 0, 2**64 - 1),
                                       count(i, "draw_field", "i", 0), self._values(at, "draw_field")))

    @staticmethod
    def _values(at: Optional[Mapping[str, float]], function: str) -> Dict[str, float]:
        """Returns values of inputs by name."""
        try:
            return {str(name): float(value) for name, value in dict(at or {}).items()}
        except (TypeError, ValueError):
            raise ValueError(f"{function}: at is {at!r}, must be values of inputs, as {{'u': 2}}") from None
