"""What a model implies: its dynamics, equations, differences to other models, and where to measure next."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _gpode
from ._checks import count
from ._design import Design
from ._difference import FieldDifference
from ._dynamics import Analysis, Sweep
from ._equations import Explanation
from ._predictions import Predictions

if TYPE_CHECKING:
    from ._model import Model

Region = Optional[Mapping[str, Tuple[float, float]]]
Progress = Optional[Callable[[int, int], Any]]


def _level(level: float, function: str, argument: str = "level") -> float:
    if not 0 < level < 1:
        raise ValueError(f"{function}: {argument} is {level!r}, must be between 0 and 1")
    return float(level)


class Insight(Predictions):
    """The insights of a model."""

    def analyse(self, region: Region = None, *, at: Optional[Mapping[str, float]] = None, draws: int = 128,
                level: float = 0.9, basins: bool = True, seed: int = 1, threads: int = 0,
                progress: Progress = None) -> Analysis:
        """Finds fixed points, oscillations, basins of attraction and Lyapunov exponents, as ``gpode analyse`` does.

        region    ranges of states to search, as ``{"x1": (-3, 3)}``; default: those of the data, enlarged by 1.3
        at        values at which inputs are held, as ``{"u": 2}``; default: their means
        draws     the number of draws of the field, each of which is analysed
        basins    basins of attraction as well (models of two states)
        progress  a function of (draws done, draws)

        >>> import gpode
        >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
        >>> model.analyse(draws=8, basins=False).fixed_points.index.name
        'point'
        """
        held = self._values(at, "analyse")
        raw, stopped = _gpode.analyse(self._raw, self._ranges(region, "analyse"), held, count(draws, "analyse", "draws"),
                                      _level(level, "analyse"), bool(basins), self._seed(seed, "analyse"),
                                      count(threads, "analyse", "threads", 0, 4096), progress)
        if stopped is not None:
            raise stopped
        return Analysis(raw, self, held)

    def sweep(self, input: str, values: Any, *, region: Region = None, at: Optional[Mapping[str, float]] = None,
              draws: int = 32, level: float = 0.9, seed: int = 1, threads: int = 0, progress: Progress = None) -> Sweep:
        """Analyses the model at each of these values of one input, as ``gpode analyse --sweep`` does."""
        try:
            numbers = np.ascontiguousarray(values, dtype=float)
        except (TypeError, ValueError):
            raise ValueError("sweep: values must be numbers") from None
        if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
            raise ValueError("sweep: values must be one or more finite numbers")
        held = self._values(at, "sweep")
        parts, stopped = _gpode.sweep(self._raw, str(input), numbers, self._ranges(region, "sweep"), held,
                                      count(draws, "sweep", "draws"), _level(level, "sweep"), self._seed(seed, "sweep"),
                                      count(threads, "sweep", "threads", 0, 4096), progress)
        if stopped is not None:
            raise stopped
        return Sweep(str(input), numbers, [Analysis(raw, self, {**held, str(input): float(value)})
                                           for raw, value in zip(parts, numbers)])

    def explain(self, degree: int = 3, *, terms: Union[Sequence[str], str, "os.PathLike[str]", None] = None,
                draws: int = 64, level: float = 0.9, seed: int = 1, threads: int = 0) -> Explanation:
        """Writes the field as readable equations, as ``gpode explain`` does.

        degree   the highest degree of the polynomial terms
        terms    the candidate terms instead, as ``["x1", "sin(x1)", "x1*x2"]``, or a file with one in each line

        >>> import gpode
        >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
        >>> sorted(model.explain(terms=["x1", "x2", "x1^2*x2"], draws=16).formulas)
        ['x1', 'x2']
        """
        text, source = None, "terms"
        if terms is not None and isinstance(terms, (str, os.PathLike)):
            source = os.fspath(terms)
            with open(source, encoding="utf-8") as file:
                text = file.read()
        elif terms is not None:
            text = "\n".join(str(term) for term in terms)
        return Explanation(_gpode.explain(self._raw, count(degree, "explain", "degree", 0, 20), text, source,
                                          count(draws, "explain", "draws", 8), _level(level, "explain"),
                                          self._seed(seed, "explain"), count(threads, "explain", "threads", 0, 4096)))

    def compare(self, other: "Model", region: Region = None, *, draws: int = 256, level: float = 0.9, rate: float = 0.05,
                seed: int = 1, threads: int = 0) -> FieldDifference:
        """Compares the field of this model with that of another, as ``gpode compare`` does."""
        if not isinstance(other, Insight):
            raise ValueError(f"compare: other is {type(other).__name__}, must be a model")
        return FieldDifference(_gpode.compare(self._raw, other._raw, self._ranges(region, "compare"),
                                              count(draws, "compare", "draws", 2), _level(level, "compare"),
                                              _level(rate, "compare", "rate"), self._seed(seed, "compare"),
                                              count(threads, "compare", "threads", 0, 4096)))

    def design(self, times: Any = None, window: Any = None, *, target: str = "forecast", region: Region = None,
               starts: Any = None, start_times: Any = None, trajectory: Union[int, str] = 0, each_channel: bool = False,
               batch: int = 1, cost: Union[Mapping[str, float], Callable[..., float], None] = None,
               draws: int = 512, seed: int = 1, threads: int = 0) -> Design:
        """Ranks times for the next observation and starts of new trajectories, as ``gpode design`` does.

        times         candidate times; default: 40, for half the span of the data after its end; none if there are starts
        window        times of the forecast whose uncertainty counts; default: 20, for half the span after the data
        target        the uncertainty to reduce: "forecast", "field" (in the region), or "stability" (of the most probable
                      fixed point in the region)
        region        ranges of states, as ``{"x1": (-3, 3)}``; default: those of the data, enlarged by 1.3
        starts        candidate states of new trajectories: a list of ``{"x1": 2, "x2": 0}``, a frame or an array with a
                      column for each state, or the number of points along each state of a grid in the region
        start_times   times since the start at which a new trajectory is observed; default: 10, up to half of the span
        each_channel  measure one channel at a time instead of all
        batch         the number of candidates to choose
        cost          prices of an observation, as ``{"base": 1, "time": 0.2, "start": 5, "x2": 3}`` (time: for each unit
                      after the data or the start; start: for each new trajectory), or a function of (time, channel),
                      which gets ``{"x1": 2, "x2": 0}`` in place of a time for a start
        """
        n = self._index_of(trajectory, "design")
        if self.inputs:
            raise ValueError("design: the model has measured inputs, must have none")
        if target not in ("forecast", "field", "stability"):
            raise ValueError(f"design: target is {target!r}, must be 'forecast', 'field' or 'stability'")
        if window is not None and target != "forecast":
            raise ValueError("design: window needs the target 'forecast'")
        start, end = self._raw.start_times[n], self._raw.end_times[n]
        half = 0.5 * (end - start if end > start else 1.0)
        states = self._starts(starts, region)
        if times is None:
            at = np.empty(0) if len(states) else _gpode.regular_times(end, end + half, 40)
        else:
            at = self._many_times(times, self._axis)
        targets = np.empty(0)
        if target == "forecast":
            targets = _gpode.regular_times(end, end + half, 20) if window is None else self._many_times(window, self._axis)
        for name, chosen, given in (("times", at, times is not None), ("window", targets, window is not None)):
            if given and not len(chosen):
                raise ValueError(f"design: {name} has no times, must have some")
            if len(chosen) and chosen[0] < start:
                raise ValueError(f"design: {name} begins at {chosen[0]:g}, must begin at {start:g} or later, where the "
                                 "trajectory begins")
        since = self._since(start_times, half) if len(states) else np.empty(0)
        names = self.channels if each_channel else ["all"]
        prices = {}
        if cost is not None:
            for k, time in enumerate(at):
                prices.update({(k, name): self._price(cost, time, name, max(0.0, time - end), 1) for name in names})
            for k, row in enumerate(states):
                place = dict(zip(self.states, row.tolist()))
                prices.update({(-1 - k, name): self._price(cost, place, name, since[-1], len(since)) for name in names})
        if not all(price > 0 for price in prices.values()):
            raise ValueError("design: cost must be positive for every candidate")
        return Design(_gpode.design(self._raw, target, at, targets, states, since, self._ranges(region, "design"), n,
                                    bool(each_channel), count(batch, "design", "batch", 1, 1000), prices,
                                    count(draws, "design", "draws", 16), self._seed(seed, "design"),
                                    count(threads, "design", "threads", 0, 4096)), self._axis)

    def _starts(self, starts: Any, region: Region) -> np.ndarray:
        if starts is None:
            return np.empty((0, len(self.states)))
        if isinstance(starts, (int, np.integer)):
            side = count(starts, "design", "starts", 2, 10000)
            if side ** len(self.states) > 10000:
                raise ValueError(f"design: starts is {side}, which gives more than 10000 starts for {len(self.states)} states")
            return _gpode.start_grid(self._raw, self._ranges(region, "design"), side)
        needed = f"design: starts must have a number for each state: {', '.join(self.states[:10])}"
        try:
            if isinstance(starts, Mapping):
                starts = [starts]
            if hasattr(starts, "columns"):
                starts = starts[self.states].to_numpy()
            elif len(starts) and isinstance(starts[0], Mapping):
                starts = [[row[name] for name in self.states] for row in starts]
            rows = np.ascontiguousarray(starts, dtype=float)
        except (KeyError, TypeError, ValueError):
            raise ValueError(needed) from None
        if rows.ndim != 2 or rows.shape[1] != len(self.states) or not np.isfinite(rows).all():
            raise ValueError(needed)
        return rows

    @staticmethod
    def _since(start_times: Any, half: float) -> np.ndarray:
        if start_times is None:
            return np.asarray(_gpode.regular_times(half / 10, half, 10))
        since = np.ascontiguousarray(start_times, dtype=float)
        if since.ndim != 1 or not len(since) or not np.isfinite(since).all() or since[0] < 0 or (np.diff(since) <= 0).any():
            raise ValueError("design: start_times must be increasing times since the start, none of them negative")
        return since

    def _price(self, cost: Any, place: Any, name: str, waiting: float, observations: int) -> float:
        if callable(cost):
            return float(cost(place, name))
        unknown = [key for key in cost if key not in ("base", "time", "start", *self.channels)]
        if unknown:
            raise ValueError(f"design: cost has {unknown[0]!r}, must have prices of base, time, start and channels: "
                             f"{', '.join(self.channels[:10])}")
        channels = self.channels if name == "all" else [name]
        each = cost.get("base", 1) + sum(cost.get(channel, 0) for channel in channels)
        return float(observations * each + cost.get("time", 0) * waiting
                     + (cost.get("start", 0) if isinstance(place, Mapping) else 0))

    def _ranges(self, region: Region, function: str) -> Dict[int, Tuple[float, float]]:
        ranges = {}
        for name, limits in (region or {}).items():
            if name not in self.states:
                raise ValueError(f"{function}: region has {name!r}, must be ranges of states: {', '.join(self.states[:10])}")
            try:
                low, high = (float(x) for x in limits)
            except (TypeError, ValueError):
                raise ValueError(f"{function}: region of {name!r} is {limits!r}, must be two numbers") from None
            if not np.isfinite([low, high]).all() or not low < high:
                raise ValueError(f"{function}: region of {name!r} is {limits!r}, must be a number and a larger one")
            ranges[self.states.index(name)] = (low, high)
        return ranges

    @staticmethod
    def _seed(seed: int, function: str) -> int:
        return count(seed, function, "seed", 0, 2**64 - 1)
