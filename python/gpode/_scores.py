"""Scores of forecasts against held-out data."""
from __future__ import annotations

import os
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from . import _gpode
from ._checks import MOST_NUMBERS, count
from ._data import as_dataset
from ._facts import Facts
from ._times import TimeAxis


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


def _own_inputs(data: "_gpode.Dataset", n: int) -> Optional[Tuple[np.ndarray, np.ndarray]]:
    """Returns times and values of the inputs of trajectory n, or None if there are none."""
    return (data.input_times(n), data.input_values(n)) if data.inputs else None


class Scoring(Facts):
    """The scores of a model."""

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
        count(draws, "score", "draws")
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
            if seen.size * float(draws) > MOST_NUMBERS:
                raise ValueError(f"score: draws times rows and channels is {seen.size * float(draws):.3g} numbers, "
                                 f"must be at most {MOST_NUMBERS:.0e} to fit in memory")
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
