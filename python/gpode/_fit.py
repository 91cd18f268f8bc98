"""Learning a model from data."""
from __future__ import annotations

import importlib.util
import os
import sys
import time as clock
import warnings
from typing import Any, Callable, Dict, Optional, Sequence, Union

import numpy as np

from . import _gpode
from ._data import READ_OPTIONS, as_dataset
from ._model import Model
from ._options import option_names, set_options, word
from ._times import TimeAxis
from ._warnings import GpodeWarning

Path = Union[str, "os.PathLike[str]"]


class Interrupted(KeyboardInterrupt):
    """Training was stopped by Ctrl-C. ``model`` is what had been learnt, or None if there is nothing yet; a run with
    a checkpoint goes on with :func:`gpode.resume`."""

    def __init__(self, message: str, model: Optional[Model]):
        super().__init__(message)
        self.model = model


def fit(data: Any, time: Any = None, *, channels: Optional[Sequence[str]] = None, inputs: Any = None, model: str = "auto",
        observe: Any = None, initial: Union[str, float] = "first", validation: Any = None,
        holdout: Union[float, str, None] = None, holdout_after: Any = None, refit: bool = True,
        checkpoint: Optional[Path] = None, checkpoint_seconds: float = 5.0,
        progress: Union[bool, Callable[..., Any]] = True, **options: Any) -> Model:
    """Learns the vector field behind data.

    data         a file name, a DataFrame, an array, an xarray object, a pair (times, values), or a list or dict of
                 these for several trajectories; NaN is a missing value
    time         the column of the times (of a file also several, as ["Date", "Time"]), or for arrays the times
                 themselves; default: a column ``time`` or ``t``, or the index; in files, any that looks like it
    channels     the columns to learn from; default: all others
    inputs       columns that drive the system, such as ["u"], or data of their own, at other times, in any shape that
                 ``data`` may have
    model        "auto", or a name of :func:`gpode.models`
    observe      how channels show the states: "identity", "pca", or a matrix (channels, states)
    initial      the time of the initial state: "first" (observation), "gap" (one gap earlier) or a time
    validation   held-out data for early stopping
    holdout      the share of each trajectory that is held back, forecast and compared, as 0.2; bands that are too
                 narrow are then widened
    holdout_after   hold back all rows after this time instead
    refit        learn from everything after the comparison
    checkpoint   the model file; it is written from time to time and at the end; :func:`gpode.resume` continues from it
    progress     True (a line or a bar), False, or a function of (step, steps, bound, shooting)

    Options for reading are keywords as well: ``trajectories_by`` and, for files, those of ``gpode fit``: ``missing``,
    ``long``, ``after``, ``until``, ``every``, ``sample_rows``, ``only``, ``skip``, ``header``, ``dt``, ``duplicates``, ``dates``,
    ``time_unit``, ``separator``, ``decimal``, ``part``, ``frame_rate``. ``long`` (the columns with name and value) and
    ``missing`` also work for frames.

    Every option of :func:`gpode.options` is a keyword as well; ``equations`` is a text or the path of a file. The same
    data, options and seed give the same model as the command line, to the last bit.

    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, seed=3, progress=False)
    >>> model.forecast(until=14).to_pandas().shape
    (101, 8)
    """
    read: Dict[str, Any] = {key: options.pop(key) for key in READ_OPTIONS if key in options}
    checkpoint_path = "" if checkpoint is None else os.fspath(checkpoint)
    if checkpoint_path and not os.path.isdir(os.path.dirname(os.path.abspath(checkpoint_path))):
        raise ValueError(f"fit: checkpoint is {checkpoint_path!r}, must be a file in a folder that exists")
    dataset = as_dataset(data, time, channels, where="fit", fewest_rows=2, inputs=inputs, **read)
    axis = TimeAxis.of(dataset)
    threads = options.pop("threads", None)  # it is not part of the model
    if threads is not None:
        set_options(_gpode.FitOptions(), {"threads": threads}, "fit")
    chosen = _options(model, observe, options)
    _check_data(dataset, chosen)
    held: Dict[str, Any] = {"holdout_share": None, "holdout_after": None, "refit": refit}
    if holdout is not None and holdout_after is not None:
        raise ValueError("fit: holdout cannot be combined with holdout_after")
    if holdout is not None:
        held["holdout_share"] = _share(holdout)
    if holdout_after is not None:
        held["holdout_after"] = axis.number(holdout_after, "fit", "holdout_after")
    others = None
    if validation is not None:
        if chosen.is_sampled():
            raise ValueError("fit: validation cannot be combined with a sampler, which does not stop early")
        others = as_dataset(validation, time if isinstance(time, str) else None,
                            dataset.channels if not isinstance(validation, (np.ndarray, tuple)) else None, where="fit",
                            axis=axis, inputs=inputs, like=dataset, **read)
        if len(others.channels) != len(dataset.channels):
            raise ValueError(f"fit: validation has channels {', '.join(others.channels)}, must have those of the data, "
                             f"{', '.join(dataset.channels)}")
    when = initial if isinstance(initial, str) else word(axis.number(initial, "fit", "initial"))
    if not checkpoint_seconds >= 0:
        raise ValueError(f"fit: checkpoint_seconds is {checkpoint_seconds!r}, must be zero or more")
    given = None  # whoever names a model gets that one
    if model == "auto":
        given = option_names(options) + (["validation_patience"] if validation is not None else [])
    return _train(lambda show: _gpode.fit(dataset, chosen, others, when, given, **held, checkpoint=checkpoint_path,
                                          checkpoint_seconds=float(checkpoint_seconds),
                                          threads=threads or None, progress=show),
                  progress, checkpoint_path)


def resume(path: Path, *, threads: Optional[int] = None, checkpoint_seconds: float = 5.0,
           progress: Union[bool, Callable[..., Any]] = True) -> Model:
    """Goes on with a run from its checkpoint. It ends with the bits of a run that was never stopped."""
    file = os.fspath(path)
    return _train(lambda show: _gpode.resume(file, checkpoint_seconds, threads, show), progress, file)


def load(path: Path) -> Model:
    """Reads a model file, from here or from the command line."""
    return Model(_gpode.load(os.fspath(path)))


def _options(model: str, observe: Any, given: Dict[str, Any]) -> "_gpode.FitOptions":
    options = _gpode.FitOptions()
    if model != "auto":
        if not isinstance(model, str):
            raise ValueError(f"fit: model is {model!r}, must be a name of gpode.models()")
        options.set_model(model, "fit: model")
    if observe is not None:
        if isinstance(observe, str):
            options.set("observation", observe, "fit: observe")
            if observe == "pca" and not given.get("states"):
                raise ValueError("fit: states is missing, must be the number of principal components")
        else:
            try:
                matrix = np.asarray(observe, dtype=float)
            except (TypeError, ValueError):
                matrix = np.empty(0)
            if matrix.ndim != 2 or not matrix.size:
                raise ValueError("fit: observe must be 'identity', 'pca' or a matrix (channels, states)")
            options.set("observation", "matrix", "fit: observe")
            options.set("observation_map.matrix", word(matrix.tolist()), "fit: observe")
    tolerance = given.get("tolerance")
    # A number is the tolerance at the end of its decrease, as the number of --tolerance is.
    if isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool):
        given = {**given, "tolerance": None, "tight_tolerance": tolerance,
                 "loose_tolerance": max(given.get("loose_tolerance") or 0.1, tolerance)}
    if given.get("equations") is not None:
        given = {**given, "equations": _equations(given["equations"])}
    set_options(options, given, "fit")
    return options


def _equations(given: Any) -> str:
    """Returns the text of equations, which are given as text or as the path of a file."""
    text = os.fspath(given)
    if "\n" in text or "=" in text:
        return text
    with open(text, encoding="utf-8") as file:
        return file.read()


def _check_data(dataset: "_gpode.Dataset", options: "_gpode.FitOptions") -> None:
    for n, name in enumerate(dataset.names):
        if len(dataset.times(n)) < 2:
            raise ValueError(f"fit: trajectory {name or n + 1} has 1 row, must have at least 2")
    if options.is_pca:
        return
    found = _gpode.find_constant_channel(dataset)
    if found is None:
        return
    name, value = found
    raise ValueError(f"fit: channel '{name}' has no value in any row, must have some; choose others with channels"
                     if value is None else
                     f"fit: channel '{name}' is {value:g} in every row, must vary; choose others with channels")


def _share(holdout: Union[float, str]) -> float:
    try:
        share = float(holdout[:-1]) / 100 if isinstance(holdout, str) and holdout.endswith("%") else float(holdout)
    except (TypeError, ValueError):
        share = float("nan")
    if not 0 < share <= 0.9:
        raise ValueError(f"fit: holdout is {holdout!r}, must be a share of the rows above 0 and up to 0.9, such as 0.2")
    return share


def _train(run: Callable[[Any], Any], progress: Union[bool, Callable[..., Any]], checkpoint: str) -> Model:
    shown = _Progress() if progress is True else None
    try:
        raw, stopped = run(shown.show if shown else progress if callable(progress) else None)
    finally:
        if shown:
            shown.close()
    model = None if raw is None else Model(raw)
    if stopped is not None:
        if not isinstance(stopped, KeyboardInterrupt):
            raise stopped
        how = f"; go on with gpode.resume({checkpoint!r})" if checkpoint else ""
        raise Interrupted(f"training was stopped{how}", model) from None
    assert model is not None
    bounds = model._raw.history["bound"]
    if len(bounds) and not np.isfinite(bounds[-1]):
        raise RuntimeError(f"fit: training failed, its bound is {bounds[-1]}; a smaller learning_rate may help")
    for remark in model.remarks() if len(model.data) else []:
        warnings.warn(remark, GpodeWarning, stacklevel=3)
    return model


class _Progress:
    """Shows progress: tqdm's bar in terminals and notebooks if there is tqdm, else a plain line in a terminal."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._line = False
        self._shown = clock.monotonic() + 0.3  # a run of less than half a second shows nothing

    def show(self, step: int, steps: int, bound: float, shooting: bool) -> None:
        now = clock.monotonic()
        if now < self._shown + 0.2:
            return
        self._shown = now
        if self._bar is None and not self._line:
            self._open(steps)
        state = f"bound {bound:.1f}, {'shooting' if shooting else 'whole trajectories'}" if bound else ""
        if self._bar is not None:
            self._bar.total = steps
            self._bar.n = min(step, steps)
            self._bar.set_postfix_str(state, refresh=False)
            self._bar.refresh()
        elif sys.stderr.isatty():
            sys.stderr.write(f"\r{100 * step // max(steps, 1):3d} %  step {step} of {steps} {state} ")
            sys.stderr.flush()

    def _open(self, steps: int) -> None:
        notebook = "ipykernel" in sys.modules
        self._line = True
        if not notebook and not sys.stderr.isatty():
            return
        try:
            if notebook and importlib.util.find_spec("ipywidgets") is not None:
                from tqdm.notebook import tqdm
            else:
                from tqdm import tqdm  # type: ignore[assignment]
        except ImportError:
            return
        self._line = False
        self._bar = tqdm(total=steps, unit=" steps", leave=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._line and sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
