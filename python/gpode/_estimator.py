"""An estimator for scikit-learn: times in, values out."""
from __future__ import annotations

import inspect
import warnings
from typing import Any, Dict

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _fit
from ._options import options as _list_options

_DEFAULTS: Dict[str, Any] = {"time": None, "model": "auto", "observe": None, "initial": "first",
                             **{option.name: None for option in _list_options()}}


class GPODE(RegressorMixin, BaseEstimator):
    """Learns a vector field from values ``y`` (n, channels) at times ``X`` (n) or (n, 1), and forecasts at others.

    Its parameters are the options of :func:`gpode.fit`; None is the option's default. If X has several columns, ``time``
    is the number or the name of the one with the times, and the others are not used. ``predict`` returns the mean of
    the forecast from the initial state, ``score`` its R². Rows may be in any order; values at equal times are
    averaged. ``model_`` is the learnt :class:`gpode.Model`.

    >>> import gpode
    >>> from sklearn.model_selection import TimeSeriesSplit, cross_val_score
    >>> data = gpode.simulate("vdp", noise=0.01)
    >>> scores = cross_val_score(gpode.GPODE(steps=200), data.times(0), data.values(0), cv=TimeSeriesSplit(3))
    >>> len(scores)
    3
    """

    n_features_in_: int

    def __init__(self, **options: Any):
        unknown = [name for name in options if name not in _DEFAULTS]
        if unknown:
            raise TypeError(f"GPODE: option '{unknown[0]}' is unknown; gpode.options() lists them")
        for name, default in _DEFAULTS.items():
            setattr(self, name, options.get(name, default))

    # scikit-learn reads the names of parameters from the signature of __init__.
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
           for name, default in _DEFAULTS.items()])

    def fit(self, X: Any, y: Any) -> "GPODE":
        """Learns from values y (n, channels) at times X."""
        if y is None:
            raise ValueError("fit: y is None, must be the values; requires y to be passed, but the target y is None")
        times = self._check_times(X, reset=True)
        values = np.asarray(y)
        if values.dtype.kind == "O":
            values = values.astype(float)
        if values.dtype.kind == "c":
            raise ValueError("fit: y has complex data, must be real. Complex data not supported")
        if values.dtype.kind not in "fiub":
            raise ValueError(f"fit: y has values of type {values.dtype}, must be numbers")
        values = values.astype(float)
        self._flat = values.ndim == 1
        if values.ndim == 2 and values.shape[1] == 1 and not hasattr(y, "columns"):
            warnings.warn("A column-vector y was passed when a 1d array was expected", _conversion_warning(), stacklevel=2)
            self._flat = True
        values = values.reshape(len(values), -1)
        if len(values) != len(times):
            raise ValueError(f"fit: {len(times)} times for {len(values)} rows of y, must be as many")
        if np.isinf(values).any():
            raise ValueError("fit: y contains infinity, must be finite or NaN. Input contains infinity")
        if np.isnan(values).all():
            raise ValueError("fit: y contains NaN only, must have values. Input contains NaN")
        times, values = _sorted(times, values)
        if len(times) < 2:
            raise ValueError(f"fit: {len(times)} sample at a distinct time, must be at least 2 (n_samples=1)")
        channels = [str(c) for c in y.columns] if hasattr(y, "columns") else None
        given = {name: value for name, value in self.get_params().items() if value is not None and name != "time"}
        varies = np.nanmax(values, axis=0) > np.nanmin(values, axis=0)
        self._mean = np.nanmean(values, axis=0)
        self.model_: Any = None  # if nothing changes, the forecast is what was seen
        if not varies.any():
            return self
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", _fit.GpodeWarning)
            self.model_ = _fit.fit((times, values), channels=channels, progress=False, **given)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Returns the mean of the forecast at times X: (n, channels), or (n) if y was a vector."""
        check_is_fitted(self)
        times = self._check_times(X, reset=False)
        if self.model_ is None:
            values = np.tile(self._mean, (len(times), 1))
        else:
            distinct, back = np.unique(times, return_inverse=True)
            forecast: Any = self.model_.forecast(times=distinct, start="initial")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                values = np.nanmean(forecast.draws, axis=0)[back]
            values = np.where(np.isfinite(values), values, self._mean)
        return values[:, 0] if self._flat else values

    def _check_times(self, X: Any, reset: bool) -> np.ndarray:
        from scipy import sparse

        if sparse.issparse(X):
            raise TypeError("GPODE: X is a sparse matrix, must be dense. A sparse matrix was passed, but dense data is "
                            "required; use X.toarray()")
        array = np.asarray(X)
        if array.dtype.kind == "c":
            raise ValueError("GPODE: X has complex data, must be real. Complex data not supported")
        if array.dtype.kind == "O":
            array = array.astype(float)
        if array.dtype.kind not in "fiub":
            raise ValueError(f"GPODE: X has values of type {array.dtype}, must be times")
        if array.ndim == 0 or array.shape[0] == 0:
            raise ValueError(f"GPODE: X has 0 sample(s) (shape={array.shape}) while a minimum of 1 is required")
        if array.ndim == 1:
            if self.time is not None:
                raise ValueError(f"GPODE: X is a vector, must have a column {self.time!r}. Reshape your data, or leave out "
                                 "time=")
            array = array[:, None]
        if array.ndim != 2:
            raise ValueError(f"GPODE: X has shape {array.shape}, must be times (n) or (n, 1)")
        width = array.shape[1]
        if width == 0:
            raise ValueError(f"GPODE: X has 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
        if not reset and width != self.n_features_in_:
            raise ValueError(f"X has {width} features, but GPODE is expecting {self.n_features_in_} features as input")
        times = np.ascontiguousarray(array[:, self._column(X, width)], dtype=float)
        if not np.isfinite(times).all():
            raise ValueError("GPODE: X contains NaN or infinity, must be finite times. Input X contains NaN or infinity")
        if reset:
            self.n_features_in_ = width
            if hasattr(X, "columns"):
                self.feature_names_in_ = np.asarray([str(c) for c in X.columns], dtype=object)
        return times

    def _column(self, X: Any, width: int) -> int:
        """Returns the column of X with the times."""
        if self.time is None:
            if width == 1:
                return 0
            raise ValueError(f"GPODE: X has {width} columns, must have one, the times; or name it with time=")
        names = [str(c) for c in X.columns] if hasattr(X, "columns") else []
        if isinstance(self.time, str) and self.time in names:
            return names.index(self.time)
        if isinstance(self.time, (int, np.integer)) and 0 <= self.time < width:
            return int(self.time)
        raise ValueError(f"GPODE: time is {self.time!r}, must be a column of X: {', '.join(names) or f'0 to {width - 1}'}")

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["2darray"], "multioutput": True, "non_deterministic": False, "poor_score": True,
                "requires_y": True, "allow_nan": False, "_xfail_checks": dict(NOT_APPLICABLE)}


# The checks of scikit-learn's check_estimator that cannot apply, and why.
NOT_APPLICABLE: Dict[str, str] = {
    "check_methods_subset_invariance": "the solver's last step ends at the last time that is asked for, so that values "
                                       "agree within its tolerances and not to the last digits",
}


def _conversion_warning() -> Any:
    from sklearn.exceptions import DataConversionWarning

    return DataConversionWarning


def _sorted(times: np.ndarray, values: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
    """Returns rows in order of time, with those of equal times averaged."""
    distinct, back = np.unique(times, return_inverse=True)
    if len(distinct) == len(times):
        order = np.argsort(times, kind="stable")
        return times[order], values[order]
    known = ~np.isnan(values)
    sums, counts = np.zeros((len(distinct), values.shape[1])), np.zeros((len(distinct), values.shape[1]))
    np.add.at(sums, back, np.where(known, values, 0.0))
    np.add.at(counts, back, known)
    with np.errstate(invalid="ignore"):
        return distinct, sums / counts


__all__ = ["GPODE", "NOT_APPLICABLE"]
