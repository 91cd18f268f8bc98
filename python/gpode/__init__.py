"""gpode learns ordinary differential equations from data, with uncertainty.

>>> import gpode
>>> data = gpode.simulate("vdp", noise=0.05)          # or a DataFrame, an array, a file name
>>> model = gpode.fit(data, steps=200, progress=False)
>>> forecast = model.forecast(until=14, bands=[0.5, 0.9])
>>> frame = forecast.to_pandas()
>>> model.plot_forecast(until=14)                     # doctest: +SKIP

The estimator for scikit-learn is :class:`gpode.GPODE`. docs/python.md has more.
"""
from typing import Any as _Any
from typing import Optional as _Optional
from typing import Sequence as _Sequence
from typing import Union as _Union

from . import _gpode
from ._comparison import Ranking, compare_models
from ._data import as_dataset as _as_dataset
from ._design import Design
from ._difference import FieldDifference
from ._dynamics import Analysis, Sweep
from ._equations import Explanation
from ._field import Field
from ._fit import GpodeWarning, Interrupted, fit, load, resume
from ._forecast import Forecast, Forecasts, Imputation
from ._gpode import Dataset, __version__
from ._model import Model
from ._options import Option, models, options
from ._scores import Scores
from ._summary import Summary

__all__ = ["fit", "load", "resume", "read", "simulate", "solve", "options", "models", "compare_models", "Model", "Forecast",
           "Forecasts", "Imputation", "Analysis", "Sweep", "Explanation", "FieldDifference", "Design", "Ranking", "Field",
           "Scores", "Summary", "Dataset", "Option", "GPODE", "GpodeWarning", "Interrupted", "__version__"]


def read(data: _Any, time: _Any = None, *, channels: _Optional[_Sequence[str]] = None, **options: _Any) -> Dataset:
    """Reads data in any shape that :func:`fit` takes: files, frames, arrays.

    >>> import gpode, numpy as np
    >>> gpode.read((np.arange(3.0), np.ones((3, 2)))).channels
    ['x1', 'x2']
    """
    return _as_dataset(data, time, channels, where="read", **options)


def simulate(system: str = "vdp", *, points: int = 50, span: float = 0.0, irregular: bool = False,
             noise: _Union[float, _Sequence[float]] = (), noise_share: float = 0.0, trajectories: int = 1,
             missing: float = 0.0, start: _Sequence[float] = (), counts: float = 0.0, dispersion: float = 0.0,
             outliers: float = 0.0, seed: int = 1, truth: bool = False) -> _Any:
    """Simulates noisy data of a system with known equations, as ``gpode simulate`` does.

    noise is the variance of the noise, one for all states or one for each. With ``truth``, the exact states of every
    trajectory are returned as well. With ``counts``, observations are counts whose mean is ``counts`` times the state;
    their distribution is Poisson or, with a ``dispersion``, negative binomial. ``outliers`` is the probability that a
    value becomes a gross outlier.

    >>> import gpode
    >>> len(gpode.simulate("vdp", points=20).times(0))
    20
    """
    variances = [float(noise)] if isinstance(noise, (int, float)) else [float(v) for v in noise]
    data, states = _gpode.simulate(system, points, span, irregular, variances, noise_share, trajectories, missing,
                                   [float(x) for x in start], float(counts), float(dispersion), float(outliers), seed)
    return (data, states) if truth else data


def solve(system: str, start: _Sequence[float], times: _Any) -> _Any:
    """Returns the states (T, D) of a system with known equations that is at ``start`` at time 0.

    >>> import gpode
    >>> gpode.solve("vdp", [2.0, 0.0], [0.0, 1.0]).shape
    (2, 2)
    """
    import numpy as np

    return _gpode.solve_system(system, np.asarray(start, dtype=float), np.asarray(times, dtype=float))


def __getattr__(name: str) -> _Any:
    if name == "GPODE":  # scikit-learn is needed only here
        from ._estimator import GPODE

        return GPODE
    raise AttributeError(f"module 'gpode' has no attribute {name!r}")
