"""Learnt models: forecasts, gaps, the field, scores."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _gpode
from ._data import as_dataset
from ._forecast import Forecast, Forecasts, Imputation, quantiles_of
from ._times import TimeAxis
from ._warnings import GpodeWarning, warn  # noqa: F401 - the class is imported from here, too

_MOST_NUMBERS = 5e8  # numbers in four gigabytes
_FORECAST_SHARE = 0.5  # default length of a forecast, over that of the data


def _count(value: Any, function: str, argument: str, least: int = 1, most: int = 10**15) -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(f"{function}: {argument} is {value!r}, must be a whole number of at least {least}"
                         + (f" and at most {most}" if whole and value > most else ""))
    return int(value)


class Scores(dict):
    """Scores by name, which are attributes as well: ``scores.mse`` is ``scores["mse"]``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self) -> str:
        return (f"<gpode.Scores of {self['values']} values: MNLL {self['mnll']:.4f}, MSE {self['mse']:.4g}, "
                f"CRPS {self['crps']:.4g}, 90 % bands with noise hold {100 * self['predictive_90']:.0f} %>")


class Field:
    """A vector field of states: the mean of a learnt one, or one function drawn from it.

    ``field(t, x)`` returns dx/dt and ``field.jacobian(t, x)`` its derivative, as SciPy's ``solve_ivp`` wants them.
    States are a vector (D) or the rows of an array (n, D); the time does not matter.

    >>> import gpode, numpy as np
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> draw = model.draw_field(0)
    >>> draw(0.0, np.array([1.0, 0.0])).shape, draw.jacobian(0.0, np.array([1.0, 0.0])).shape
    ((2,), (2, 2))
    """

    def __init__(self, raw: "_gpode.Field"):
        self._raw = raw

    @property
    def dim(self) -> int:
        """The number of states."""
        return self._raw.dim

    def __call__(self, t: float, x: Any) -> np.ndarray:
        return self._raw.values(np.asarray(x, dtype=float))

    def jacobian(self, t: float, x: Any) -> np.ndarray:
        """Returns the Jacobian (D, D) at one state, or (n, D, D) at several."""
        return self._raw.jacobians(np.asarray(x, dtype=float))


def _own_inputs(data: "_gpode.Dataset", n: int) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Returns times and values of the inputs of trajectory n, or None if there are none."""
    return (data.input_times(n), data.input_values(n)) if data.inputs else None


def _samples(future: Optional["_gpode.Dataset"], n: int, name: str) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Returns the samples of inputs for a trajectory: those of its name, or of its number."""
    if future is None:
        return None
    which = future.names.index(name) if name in future.names else 0 if len(future) == 1 else n
    if which >= len(future):
        raise ValueError(f"forecast: inputs of {len(future)} trajectories, none for trajectory {name or n + 1}")
    return future.times(which), future.values(which)


class Model:
    """A learnt model. :func:`gpode.fit` makes one, :func:`gpode.load` reads one from a file.

    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> model.channels
    ['x1', 'x2']
    """

    def __init__(self, raw: "_gpode.Model"):
        self._raw = raw
        self._quality: Optional[Dict[str, Any]] = None

    # ---- facts

    @property
    def channels(self) -> List[str]:
        """The names of the channels."""
        return self._raw.channels

    @property
    def inputs(self) -> List[str]:
        """The names of the measured inputs; none if nothing drives the system."""
        return self._raw.inputs

    @property
    def states(self) -> List[str]:
        """The names of the states."""
        return self._raw.state_names

    @property
    def trajectories(self) -> List[str]:
        """The names of the training trajectories."""
        return self._raw.trajectories

    @property
    def finished(self) -> bool:
        """Tells whether training came to its end."""
        return self._raw.finished

    @property
    def is_sampled(self) -> bool:
        """Tells whether the posterior was made by a sampler."""
        return self._raw.is_sampled

    @property
    def data(self) -> "_gpode.Dataset":
        """The training data; no trajectories if the file did not hold them."""
        return self._raw.data

    @property
    def history(self) -> Any:
        """The history of training as a frame: the bound and its parts by step."""
        import pandas as pd

        frame = pd.DataFrame(self._raw.history)
        return frame.astype({"step": int, "shooting": bool, "diverged": int}).set_index("step")

    @property
    def holdout(self) -> Any:
        """Forecasts of held-back data beside those of simple models, as a frame; None if none were held back."""
        import pandas as pd

        rows = self._raw.holdout
        return None if rows is None else pd.DataFrame(rows)

    @property
    def noise(self) -> Any:
        """The standard deviations of the observation noise, by channel."""
        import pandas as pd

        return pd.Series(self._raw.noise, index=self.channels, name="noise")

    @property
    def lengthscales(self) -> Any:
        """The lengthscales of a process in the units of the states: a row per output, a column per state."""
        import pandas as pd

        scales = self._raw.lengthscales
        rows = [f"d{name}/dt" for name in self.states] if len(scales) == len(self.states) else None
        return pd.DataFrame(scales, columns=self.states if scales.size else None, index=rows)

    @property
    def options(self) -> Dict[str, str]:
        """All options of the fit, as text."""
        pairs = (line.split(" = ", 1) for line in self._raw.options_text.splitlines() if " = " in line)
        return {name.replace(".", "_"): value for name, value in pairs}

    @property
    def parameters(self) -> Dict[str, np.ndarray]:
        """Everything that was learnt, by name, in the model's units; views of the library's memory."""
        return self._raw.parameters()

    @property
    def _axis(self) -> TimeAxis:
        return TimeAxis.of(self.data)

    def _index_of(self, trajectory: Union[int, str], function: str) -> int:
        names = self.trajectories
        if isinstance(trajectory, str) and trajectory in names:
            return names.index(trajectory)
        if isinstance(trajectory, (int, np.integer)) and -len(names) <= trajectory < len(names):
            return int(trajectory) % len(names)
        raise ValueError(f"{function}: trajectory is {trajectory!r}, must be one of {', '.join(names[:10])}"
                         f"{', ...' if len(names) > 10 else ''}, or a number from 0 to {len(names) - 1}")

    # ---- predictions

    def forecast(self, until: Any = None, *, times: Any = None, points: int = 101, bands: Sequence[float] = (0.9,),
                 trajectory: Union[int, str, None] = None, start: str = "latest",
                 from_values: Union[Mapping[str, float], Sequence[float], None] = None, at: Any = 0.0,
                 noise: bool = False, states: bool = False, draws: int = 128, seed: int = 1, raw: bool = False,
                 threads: int = 0, inputs: Any = None, hold_inputs: bool = False) -> Union[Forecast, Forecasts]:
        """Forecasts trajectories from the end of their data, or from any start.

        until        the end of the forecast, a number or a date; default: half the span of the data further
        points       the number of times, equally spaced
        times        the times instead; they may be before, within or after the data
        bands        the shares that the bands contain
        trajectory   the name or the number of the only trajectory to forecast
        start        "latest": from the latest learnt state; "initial": from the initial one
        from_values  values of the channels to start from instead, at the time ``at``
        noise        quantiles of new observations, noise included
        states       the model's states instead of the channels
        raw          without the widening that held-back data asked for
        inputs       data with the measured inputs of the future, in any shape that :func:`gpode.fit` takes
        hold_inputs  keep the last value of the inputs after their last sample

        Returns a :class:`Forecast`, or :class:`Forecasts` if there are several trajectories. The numbers are those of
        ``gpode forecast`` with the same options, to the last bit.
        """
        quantiles_of(bands, "forecast")
        _count(draws, "forecast", "draws")
        _count(points, "forecast", "points", 2)
        _count(seed, "forecast", "seed", 0, 2**64 - 1)
        _count(threads, "forecast", "threads", 0, 4096)
        if start not in ("latest", "initial"):
            raise ValueError(f"forecast: start is {start!r}, must be 'latest' or 'initial'")
        if times is not None and until is not None:
            raise ValueError("forecast: until cannot be combined with times")
        if noise and states:
            raise ValueError("forecast: noise cannot be combined with states, which have no noise")
        if from_values is not None and trajectory is not None:
            raise ValueError("forecast: from_values cannot be combined with trajectory")
        axis = self._axis
        common: Dict[str, Any] = dict(draws=draws, seed=seed, threads=threads, states=states, raw=raw,
                                      hold_inputs=bool(hold_inputs))
        future = self._future(inputs, "forecast")
        names = self.states if states else self.channels

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
                                                         **common), self.trajectories[n], end, n))
        return parts[0] if len(parts) == 1 else Forecasts(parts)

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
            chosen = _gpode.regular_times(first, end, points) if points <= _MOST_NUMBERS else np.empty(0)
        rows = points if times is None else len(chosen)
        numbers = float(rows) * trajectories * draws * max(len(self.channels), len(self.states))
        if numbers > _MOST_NUMBERS:
            raise ValueError(f"forecast: draws times points, channels and trajectories is {numbers:.3g} numbers, must "
                             f"be at most {_MOST_NUMBERS:.0e} to fit in memory")
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
        _count(draws, "given", "draws")
        _count(threads, "given", "threads", 0, 4096)
        tests = self._tests(data, time, self._axis, read)
        raw, _, warning = _gpode.condition(self._raw, tests, draws, _count(seed, "given", "seed", 0, 2**64 - 1), threads)
        warn(warning, 3)
        return Model(raw)

    def impute(self, times: Any = None, *, level: float = 0.9, trajectory: Union[int, str, None] = None,
               noise: bool = False, draws: int = 128, seed: int = 1, raw: bool = False,
               threads: int = 0) -> Union[Imputation, List[Imputation]]:
        """Fills the gaps of the training data, and further times if they are given, with bands of this level.

        Returns an :class:`Imputation`, or a list of them if there are several trajectories.
        """
        _count(draws, "impute", "draws")
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
            if seen.size * float(draws) > _MOST_NUMBERS:
                raise ValueError(f"impute: draws times rows and channels is {seen.size * float(draws):.3g} numbers, "
                                 f"must be at most {_MOST_NUMBERS:.0e} to fit in memory")
            filled, lower, upper, diverged, warning = _gpode.impute(self._raw, n, seen_times, seen, level, draws, seed,
                                                                    threads, noise, raw)
            warn(warning, 3)
            parts.append(Imputation(self.trajectories[n], seen_times, filled, lower, upper, np.isnan(seen),
                                    self.channels, axis, level, diverged))
        return parts[0] if len(parts) == 1 else parts

    def field(self, points: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the mean and the standard deviation of the field at states (n, D), or at one state (D)."""
        try:
            states = np.asarray(points, dtype=float)
        except (TypeError, ValueError):
            raise ValueError("field: points must be an array of numbers (n, states)") from None
        return _gpode.field_moments(self._raw, states)

    def mean_field(self) -> Field:
        """Returns the mean of the field, a function for ``solve_ivp``."""
        return Field(_gpode.mean_field(self._raw))

    def draw_field(self, i: int = 0, seed: int = 1) -> Field:
        """Returns draw i of the field, a function for ``solve_ivp``: the same one that forecasts with this seed follow."""
        return Field(_gpode.draw_field(self._raw, _count(seed, "draw_field", "seed", 0, 2**64 - 1),
                                       _count(i, "draw_field", "i", 0)))

    # ---- scores

    def score(self, test: Any, time: Any = None, *, start: str = "initial", after: Any = None, until: Any = None,
              trajectory: Union[int, str, None] = None, horizons: Sequence[float] = (), draws: int = 128, seed: int = 1,
              raw: bool = False, threads: int = 0, **read: Any) -> Scores:
        """Scores forecasts against held-out data: MNLL, MSE, CRPS and coverage, as ``gpode score`` does.

        test      data in any shape that :func:`gpode.fit` takes, with the model's channels
        start     "initial" or "latest" learnt state, or "first-row": from the first row of the test data
        after, until   compare only rows after and up to these times
        horizons  edges of intervals of the time since the data, for scores by horizon
        """
        if start not in ("initial", "latest", "first-row"):
            raise ValueError(f"score: start is {start!r}, must be 'initial', 'latest' or 'first-row'")
        if trajectory is not None and start == "first-row":
            raise ValueError("score: trajectory cannot be combined with start='first-row'")
        _count(draws, "score", "draws")
        axis = self._axis
        low = -np.inf if after is None else axis.number(after, "score", "after")
        high = np.inf if until is None else axis.number(until, "score", "until")
        if not low < high:
            raise ValueError(f"score: until is {until}, must be later than after, {after}")
        tests = self._tests(test, time, axis, read)
        forecasts, observed, begins = [], [], []
        for n in range(len(tests)):
            chosen = (tests.times(n) > low) & (tests.times(n) <= high)
            if not chosen.any():
                continue
            at, seen = tests.times(n)[chosen], tests.values(n)[chosen]
            if seen.size * float(draws) > _MOST_NUMBERS:
                raise ValueError(f"score: draws times rows and channels is {seen.size * float(draws):.3g} numbers, "
                                 f"must be at most {_MOST_NUMBERS:.0e} to fit in memory")
            common: Dict[str, Any] = dict(draws=draws, seed=seed, threads=threads, states=False, raw=raw,
                                          inputs=_own_inputs(tests, n))
            if start == "first-row":
                begin = float(tests.times(n)[0])
                forecast = _gpode.forecast_from(self._raw, tests.values(n)[0], begin, at, **common)
            else:
                known = self._match(tests, n) if trajectory is None else self._index_of(trajectory, "score")
                begin = self._raw.end_times[known]
                forecast = _gpode.forecast_trajectory(self._raw, known, at, latest=start == "latest", **common)
            forecasts.append(forecast)
            observed.append(seen)
            begins.append(begin)
        if not forecasts:
            raise ValueError("score: the test data hold no row between after and until, must hold some")
        scores = Scores(_gpode.score_forecasts(self._raw, forecasts, observed, begins, list(horizons), threads))
        if scores["values"] == 0:
            raise ValueError("score: the test data hold no value to compare with")
        return scores

    def _tests(self, test: Any, time: Any, axis: TimeAxis, read: Dict[str, Any]) -> "_gpode.Dataset":
        if "part" not in read and isinstance(test, (str, os.PathLike)):
            read["part"] = "test"
        labelled = not isinstance(test, (np.ndarray, tuple, _gpode.Dataset))
        inputs = self.inputs if self.inputs and labelled else None
        tests = as_dataset(test, time, self.channels if labelled else None, where="score", axis=axis, inputs=inputs,
                           allow_empty_channels=True, like=self.data, **read)
        if len(tests.channels) != len(self.channels):
            raise ValueError(f"score: the test data have {len(tests.channels)} channels, must have the model's, "
                             f"{', '.join(self.channels[:10])}")
        return tests

    def _match(self, tests: "_gpode.Dataset", n: int) -> int:
        """Returns the training trajectory that a test trajectory continues: by name, or by number."""
        names = self.trajectories
        if tests.names[n] in names:
            return names.index(tests.names[n])
        if len(names) == len(tests):
            return n
        raise ValueError(f"score: {len(tests)} trajectories found where the model has {len(names)}, must have the same "
                         "names or number, or see trajectory and start='first-row'")

    def pit(self, test: Any = None, time: Any = None, *, start: str = "initial", draws: int = 128, seed: int = 1,
            threads: int = 0, **read: Any) -> Tuple[np.ndarray, np.ndarray]:
        """Returns the probability integral transforms of observations, with and without noise: uniform numbers if
        forecasts are calibrated. Without test data, they are those of the training data."""
        tests = self.data if test is None else self._tests(test, time, self._axis, read)
        with_noise, without = [], []
        for n in range(len(tests)):
            known = n if test is None else self._match(tests, n)
            forecast = _gpode.forecast_trajectory(self._raw, known, tests.times(n), draws, seed, threads,
                                                  start == "latest", False, False, _own_inputs(tests, n))
            one, other = _gpode.pit_values(forecast, tests.values(n))
            with_noise.append(one)
            without.append(other)
        return np.concatenate(with_noise), np.concatenate(without)

    # ---- files, copies, text

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Saves the model in a file that the command line and :func:`gpode.load` read."""
        self._raw.save(os.fspath(path))

    def __reduce__(self) -> Any:
        return _restore, (self._raw.to_bytes(),)

    def __copy__(self) -> "Model":
        return Model(self._raw)

    def __deepcopy__(self, memo: Any) -> "Model":
        return Model(self._raw)  # the compiled part never changes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and (self._raw is other._raw or self._raw.to_bytes() == other._raw.to_bytes())

    __hash__ = object.__hash__

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

    def to_inference_data(self, draws: int = 128, seed: int = 1) -> Any:
        """Returns the posterior for ArviZ: an InferenceData, or a dict of xarray Datasets with the same groups
        (posterior, posterior_predictive, observed_data) where ArviZ is missing. Draws have the dimensions chain and
        draw."""
        from ._inference_data import inference_data

        return inference_data(self, _count(draws, "to_inference_data", "draws"), seed)

    # ---- pictures

    def report(self, path: Union[str, "os.PathLike[str]", None] = None, *, title: str = "model", until: Any = None,
               draws: int = 128, seed: int = 1, threads: int = 0) -> Any:
        """Writes the page of ``gpode report``; without a path, returns it to be shown in a notebook."""
        if not hasattr(_gpode, "report_page"):
            raise RuntimeError("report: this build of gpode has no report pages; build it with -DGPODE_TOOLS=ON")
        end = None if until is None else self._axis.number(until, "report", "until")
        page = _gpode.report_page(self._raw, title, end, draws, seed, threads)
        if path is None:
            from ._html import Page

            return Page(page)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return None

    def plot_forecast(self, until: Any = None, ax: Any = None, **options: Any) -> Any:
        """Draws data and forecast of every channel with Matplotlib; returns the axes, or an array of them."""
        from . import _plots

        return _plots.model_forecast(self, until, ax, **options)

    def plot_phase(self, ax: Any = None, **options: Any) -> Any:
        """Draws streamlines of the mean field, its uncertainty, the data and the learnt path; returns the axes."""
        from . import _plots

        return _plots.phase(self, ax, **options)

    def plot_field(self, ax: Any = None, **options: Any) -> Any:
        """Draws arrows of the mean field over its uncertainty; returns the axes."""
        from . import _plots

        return _plots.field(self, ax, **options)

    def plot_training(self, ax: Any = None, **options: Any) -> Any:
        """Draws the bound by step; returns the axes."""
        from . import _plots

        return _plots.training(self, ax, **options)

    def plot_calibration(self, test: Any = None, ax: Any = None, **options: Any) -> Any:
        """Draws the coverage of bands against their level; returns the axes."""
        from . import _plots

        return _plots.calibration(self, test, ax, **options)

    def __repr__(self) -> str:
        return (f"<gpode.Model {self._raw.name} of {', '.join(self.channels[:6])}"
                f"{', ...' if len(self.channels) > 6 else ''}, {len(self.trajectories)} "
                f"{'trajectory' if len(self.trajectories) == 1 else 'trajectories'}"
                f"{'' if self.finished or self.is_sampled else ', not finished'}>")

    def _repr_html_(self) -> str:
        from ._html import model_html

        return model_html(self)


def _restore(data: bytes) -> Model:
    return Model(_gpode.Model.from_bytes(data))


class Summary:
    """A summary of a model: a text in terminals, a table in notebooks."""

    def __init__(self, model: Model):
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
