"""Comparing models by forecasts of held-back data."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from . import _gpode
from ._data import READ_OPTIONS, as_dataset
from ._options import option_names
from ._times import TimeAxis


class Ranking:
    """Models ranked by their forecasts of held-back rows, beside simple forecasts.

    ``best`` is the name of the best model that was learnt, or None.
    """

    def __init__(self, raw: Dict[str, Any]):
        self._raw = raw

    @property
    def best(self) -> Optional[str]:
        """The name of the best model that was learnt; None if none could forecast."""
        return self._raw["best"]

    @property
    def held_times(self) -> int:
        """The number of rows that were held back."""
        return int(self._raw["held_times"])

    def to_pandas(self) -> Any:
        """Returns a row for each forecast, the best first: error (root mean square over the spread, averaged over the
        channels), the root mean square error of each channel, MNLL, the share inside 90 % bands, and seconds."""
        import pandas as pd

        rows: List[Dict[str, Any]] = []
        for score in self._raw["ranking"]:
            row = {"forecast": score["name"], "learnt": not score["is_simple"], "error": score["error"]}
            row.update({f"rmse_{c}": v for c, v in zip(self._raw["channels"], score["rmse"])})
            row.update({k: score[k] for k in ("mnll", "inside_90", "error_over_noise", "seconds")})
            rows.append({**row, "failure": score["failure"] or None})
        return pd.DataFrame(rows).set_index("forecast")

    def to_xarray(self) -> Any:
        """Returns the table of :meth:`to_pandas` as an xarray Dataset with the dimension forecast."""
        return self.to_pandas().to_xarray()

    def plot(self, ax: Any = None) -> Any:
        """Draws the errors as bars with Matplotlib; returns the axes."""
        from . import _insight_plots

        return _insight_plots.ranking(self, ax)

    def __repr__(self) -> str:
        return f"<gpode.Ranking of {len(self._raw['ranking'])} forecasts of {self.held_times} rows, best: {self.best}>"

    def _repr_html_(self) -> str:
        return self.to_pandas()._repr_html_()


def compare_models(data: Any, time: Any = None, *, models: Optional[Sequence[str]] = None,
                   channels: Optional[Sequence[str]] = None, inputs: Any = None,
                   holdout: Union[float, str, None] = None, holdout_after: Any = None, season: float = 0.0,
                   observe: Any = None, draws: int = 256, progress: Union[bool, Callable[..., Any]] = True,
                   **options: Any) -> Ranking:
    """Trains several models without the last rows and ranks them by forecasts of these rows, as ``gpode compare-models``.

    models         names of :func:`gpode.models`, "joint" or "nuts"; default: those among which ``gpode.fit`` chooses
    holdout, holdout_after   which rows are held back (default: the last fifth)
    season         the period of the seasonal value; default: estimated

    Data, options of reading and options of training are those of :func:`gpode.fit`.

    >>> import gpode
    >>> ranking = gpode.compare_models(gpode.simulate("vdp", noise=0.05), models=["gpode", "npode"], steps=100,
    ...                                progress=False)
    >>> ranking.best in ("gpode", "npode")
    True
    """
    from ._fit import _check_data, _options, _Progress, _share

    read: Dict[str, Any] = {key: options.pop(key) for key in READ_OPTIONS if key in options}
    dataset = as_dataset(data, time, channels, where="compare_models", fewest_rows=2, inputs=inputs, **read)
    threads = options.pop("threads", None)
    chosen = _options("auto", observe, options)
    _check_data(dataset, chosen)
    if holdout is not None and holdout_after is not None:
        raise ValueError("compare_models: holdout cannot be combined with holdout_after")
    if not season >= 0:
        raise ValueError(f"compare_models: season is {season!r}, must be a positive number")
    after = None if holdout_after is None else TimeAxis.of(dataset).number(holdout_after, "compare_models", "holdout_after")
    rows = sum(len(dataset.times(n)) for n in range(len(dataset)))
    joint = ["joint"] if rows <= 600 and len(dataset.channels) <= 6 else []
    names = [*joint, "gpode", "shooting"] if models is None else [str(name) for name in models]
    known = _gpode.candidate_names()
    for name in names:
        if name not in known:
            raise ValueError(f"compare_models: models has {name!r}, must be of {', '.join(known)}")
    shown = _Progress() if progress is True else None
    try:
        raw, stopped = _gpode.compare_candidates(
            dataset, names, chosen, option_names(options), None if holdout is None else _share(holdout), after,
            float(season), draws, threads or None, shown.show if shown else progress if callable(progress) else None)
    finally:
        if shown:
            shown.close()
    if stopped is not None:
        raise stopped
    return Ranking(raw)
