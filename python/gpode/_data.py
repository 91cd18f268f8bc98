"""Data in the shapes that people have them, as data sets of the library.

A data set is a list of trajectories with the same channels. What is accepted:

================================  =====================================================================
file name, or a list of them      everything that ``gpode fit`` reads
pandas DataFrame, Series          times in a column or in the index, numbers or dates
NumPy array (T, C)                with ``time=``, an array of times; without it, the first column
NumPy array (N, T, C)             N trajectories at the same times
(times, values)                   a pair of arrays: one trajectory
list or dict of any of these      several trajectories; the keys of a dict are their names
xarray DataArray or Dataset       times along the dimension ``time``
================================  =====================================================================

NaN is a missing value.
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _gpode
from ._options import word
from ._times import TimeAxis, axis_of_dates
from ._warnings import warn

if TYPE_CHECKING:
    from typing import NoReturn

# The reading options and the types that they accept. "words" is a text, or a list of texts or
# numbers.
_READ_TYPES: Dict[str, str] = {
    "trajectories_by": "text", "separator": "text", "decimal": "text", "missing": "words", "skip": "count",
    "header": "bool", "dt": "number", "long": "pair", "duplicates": "text", "dates": "text", "time_unit": "text",
    "after": "time", "until": "time", "every": "count", "sample_rows": "count", "only": "words", "part": "text", "frame_rate": "number"}
READ_OPTIONS = tuple(_READ_TYPES)
_CHOICES = {"duplicates": ("refuse", "average", "first", "last"), "dates": ("dmy", "mdy", "epoch", "epoch-ms", "number"),
            "time_unit": ("seconds", "minutes", "hours", "days", "years"), "decimal": (".", ","),
            "separator": (",", ";", "\t", " ")}
_FOR_FRAMES = ("trajectories_by", "long", "missing")


class _Piece(NamedTuple):
    """One trajectory before its times are numbers."""

    name: str
    times: np.ndarray  # numbers or datetime64
    values: np.ndarray
    channels: List[str]
    time_name: str
    zone: bool = False  # the dates had a time zone and are now UTC
    inputs: Optional[np.ndarray] = None  # measured inputs at the same times, a column each


def _is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def _is_frame(data: Any) -> bool:
    return type(data).__module__.startswith("pandas.") and hasattr(data, "index")


def _is_xarray(data: Any) -> bool:
    return type(data).__module__.startswith("xarray.") and hasattr(data, "dims")


def _numbers(values: Any, where: str) -> np.ndarray:
    """Returns values as an array of doubles, without a copy if they are one already."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(float), np.nan)
    array = np.asarray(values)
    if array.dtype.kind in "mM":
        raise ValueError(f"{where} holds dates, must hold numbers")
    if array.dtype.kind in "c":
        raise ValueError(f"{where} holds complex numbers, must hold real ones")
    if array.dtype.kind not in "fiub":
        try:
            flat = [np.nan if v is None else float(v) for v in array.ravel().tolist()]
            array = np.asarray(flat, dtype=float).reshape(array.shape)
        except (TypeError, ValueError):
            raise ValueError(f"{where} holds {_kind(array)}, must hold numbers") from None
    return np.asarray(array, dtype=float)


def _kind(array: np.ndarray) -> str:
    for value in array.ravel().tolist():
        if value is None or isinstance(value, (int, float)):
            continue
        return "text" if isinstance(value, str) else f"a {type(value).__name__}"
    return f"values of type {array.dtype}"


def _column_numbers(column: Any, where: str) -> np.ndarray:
    """Returns a column of a frame as doubles."""
    dtype = column.dtype
    if getattr(dtype, "kind", "") in "fiub" and not isinstance(dtype, np.dtype):
        return column.to_numpy(dtype=float, na_value=np.nan)  # pandas' own types with pd.NA
    return _numbers(column.to_numpy(), where)


def _times(values: Any, where: str) -> "tuple[np.ndarray, bool]":
    """Returns times as numbers or datetime64, and tells whether dates had a time zone."""
    if _is_frame(values) or type(values).__module__.startswith("pandas."):
        import pandas as pd

        if isinstance(values, (pd.Series, pd.PeriodIndex)) and isinstance(values.dtype, pd.PeriodDtype):
            values = values.dt.to_timestamp() if isinstance(values, pd.Series) else values.to_timestamp()
        if isinstance(values.dtype, pd.DatetimeTZDtype):
            utc = values.dt.tz_convert("UTC").dt.tz_localize(None) if isinstance(values, pd.Series) \
                else values.tz_convert("UTC").tz_localize(None)
            return utc.to_numpy(), True
        if isinstance(values, pd.MultiIndex):
            raise ValueError(f"{where} is a MultiIndex, must be one level of times; name a column with time=")
        if values.dtype == object:
            return _object_times(values.to_numpy(), where)
        values = values.to_numpy(dtype=float, na_value=np.nan) if not isinstance(values.dtype, np.dtype) \
            else values.to_numpy()
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{where} has {array.ndim} dimensions, must have 1")
    if array.dtype.kind == "M":
        return array.astype("datetime64[ns]"), False
    if array.dtype.kind == "m":
        return array.astype("timedelta64[ns]").astype("int64") / 1e9, False
    if array.dtype.kind in "OUS":
        return _object_times(array.astype(object), where)
    return _numbers(array, where), False


def _object_times(array: np.ndarray, where: str) -> "tuple[np.ndarray, bool]":
    """Returns times that are Python objects: numbers, dates, or texts that pandas reads as dates."""
    try:
        return _numbers(array, where), False
    except ValueError:
        pass
    zones = {str(getattr(v, "tzinfo", None)) for v in array.tolist() if hasattr(v, "tzinfo")}
    if len(zones) > 1:
        raise ValueError(f"{where} has dates with different time zones ({', '.join(sorted(zones))}), must have one; "
                         "pandas.to_datetime(..., utc=True) makes them one")
    import pandas as pd

    try:
        index = pd.DatetimeIndex(pd.to_datetime(array))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{where} holds {_kind(array)} that is neither number nor date, must be times") from None
    if index.tz is not None:
        return index.tz_convert("UTC").tz_localize(None).to_numpy(), True
    return index.to_numpy(), False


def _find_time_column(frame: Any, time: Optional[str], where: str) -> "tuple[Any, str, List[Any]]":
    """Returns the times of a frame, their name, and the other columns."""
    import pandas as pd

    columns = list(frame.columns)
    if time is not None:
        if time in columns:
            return frame[time], str(time), [c for c in columns if c != time]
        if frame.index.name == time:
            return frame.index, str(time), columns
        raise ValueError(f"{where}: no column named {time!r}, found {_listed(columns)}")
    for column in columns:
        if str(column).lower() in ("time", "t"):
            return frame[column], str(column), [c for c in columns if c != column]
    plain = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if not plain:
        return frame.index, "" if frame.index.name is None else str(frame.index.name), columns
    raise ValueError(f"{where}: no column named 'time' or 't', found {_listed(columns)}; "
                     "name it with time='Year', or make it the index")


def _listed(names: Sequence[Any]) -> str:
    shown = ", ".join(map(str, names[:10]))
    return shown + (", ..." if len(names) > 10 else "")


def _frame_pieces(frame: Any, name: str, time: Any, channels: Optional[Sequence[str]], by: Optional[str],
                  where: str, inputs: Sequence[str] = ()) -> List[_Piece]:
    import pandas as pd

    if isinstance(frame, pd.Series):
        frame = frame.to_frame(name=frame.name if frame.name is not None else "x")
    if frame.columns.duplicated().any():
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"{where}: two columns are named {twice!r}, names must be different")
    if time is not None and not isinstance(time, str) and not _hashable_in(time, frame):
        frame = frame.set_axis(_index_like(time, len(frame), where), axis=0)
        time = None
    if by is None:
        by = next((c for c in frame.columns if str(c).lower() == "trajectory"), None)
    elif by not in frame.columns:
        raise ValueError(f"{where}: no column named {by!r} for trajectories_by, found {_listed(list(frame.columns))}")
    if by is not None:
        pieces = []
        for key, part in frame.groupby(by, sort=False):
            pieces += _frame_pieces(part.drop(columns=by), str(key), time, channels, None, where, inputs)
        return pieces
    times, time_name, columns = _find_time_column(frame, time, where)
    missing = [c for c in [*(channels or []), *inputs] if c not in columns]
    if missing:
        raise ValueError(f"{where}: no column named {missing[0]!r}, found {_listed(columns)}")
    driving = None
    if inputs:
        driving = np.column_stack([_column_numbers(frame[c], f"{where}: input {c!r}") for c in inputs])
    columns = list(channels) if channels is not None else [c for c in columns if c not in inputs]
    if not columns:
        raise ValueError(f"{where}: no column beside the times, must have at least one channel")
    stamps, zone = _times(times, f"{where}: the time")
    dtypes = {frame[c].dtype for c in columns}
    if len(dtypes) == 1 and dtypes == {np.dtype(float)}:
        values = frame[columns].to_numpy()
    else:
        values = np.column_stack([_column_numbers(frame[c], f"{where}: column {c!r}") for c in columns])
    return [_Piece(name, stamps, values, [str(c) for c in columns], time_name, zone, driving)]


def _hashable_in(time: Any, frame: Any) -> bool:
    try:
        return time in frame.columns or time == frame.index.name
    except (TypeError, ValueError):
        return False


def _index_like(time: Any, rows: int, where: str) -> Any:
    import pandas as pd

    index = pd.Index(time)
    if len(index) != rows:
        raise ValueError(f"{where}: {len(index)} times for {rows} rows, must be as many")
    return index.rename("time") if index.name is None else index


def _array_pieces(array: Any, name: str, time: Any, channels: Optional[Sequence[str]], where: str) -> List[_Piece]:
    values = _numbers(array, f"{where}: the array")
    if values.ndim == 3:
        if time is None:
            raise ValueError(f"{where}: an array of {values.shape[0]} trajectories needs time=, an array of times")
        stamps = np.asarray(time)
        if stamps.ndim == 2 and stamps.shape[0] != values.shape[0]:
            raise ValueError(f"{where}: times of {stamps.shape[0]} trajectories for {values.shape[0]}, must be as many")
        pieces = []
        for n in range(values.shape[0]):
            pieces += _array_pieces(values[n], f"{n + 1}", stamps[n] if stamps.ndim == 2 else time, channels, where)
        return pieces
    if values.ndim == 1:
        if time is None:
            raise ValueError(f"{where}: an array of {values.size} values needs time=, an array of times")
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{where}: an array of shape {values.shape}, must be (times, channels) or "
                         "(trajectories, times, channels)")
    if time is None:
        if values.shape[1] < 2:
            raise ValueError(f"{where}: an array of one column needs time=, an array of times")
        time, values = values[:, 0], values[:, 1:]
    stamps, zone = _times(time, f"{where}: time")
    if len(stamps) != values.shape[0]:
        raise ValueError(f"{where}: {len(stamps)} times for {values.shape[0]} rows, must be as many")
    if channels is None:
        channels = [f"x{c + 1}" for c in range(values.shape[1])]
    elif len(channels) != values.shape[1]:
        raise ValueError(f"{where}: {len(channels)} channels for {values.shape[1]} columns, must be as many")
    return [_Piece(name, stamps, values, [str(c) for c in channels], "", zone)]


def _xarray_pieces(data: Any, name: str, time: Optional[str], channels: Optional[Sequence[str]],
                   by: Optional[str], where: str) -> List[_Piece]:
    import xarray as xr

    along: Any = time
    if not isinstance(time, str):
        along = next((d for d in data.dims if str(d).lower() in ("time", "t")), None)
    if along is None or along not in data.dims:
        raise ValueError(f"{where}: no dimension named {time or 'time'!r}, found {_listed(list(data.dims))}; "
                         "name it with time=")
    if isinstance(data, xr.Dataset):
        chosen: List[Any] = list(channels or [])
        if channels is None:
            chosen = [v for v in data.data_vars if along in data[v].dims]
        missing = [c for c in chosen if c not in data]
        if missing or not chosen:
            raise ValueError(f"{where}: no variable {missing[0]!r}, found {_listed(list(data.data_vars))}" if missing
                             else f"{where}: no variable has the dimension {along!r}")
        data = xr.concat([data[v] for v in chosen], dim="channel").assign_coords(channel=[str(v) for v in chosen])
        channels = None
    rest = [d for d in data.dims if d != along]
    stamps = data[along].to_index() if along in data.coords else np.arange(data.sizes[along], dtype=float)
    if len(rest) > 2:
        raise ValueError(f"{where}: dimensions {_listed(list(data.dims))}, must be time, channel and one more at most")
    if len(rest) == 2:
        over = by or ("trajectory" if "trajectory" in rest else next(d for d in rest if d != "channel"))
        pieces = []
        for n in range(data.sizes[over]):
            part = data.isel({over: n})
            label = str(part[over].item()) if over in data.coords else f"{n + 1}"
            pieces += _xarray_pieces(part.drop_vars(over, errors="ignore"), label, along, channels, None, where)
        return pieces
    if rest:
        labels = [str(v) for v in data[rest[0]].values] if rest[0] in data.coords else None
        values = data.transpose(along, rest[0]).values
    else:
        labels, values = [str(data.name or "x")], data.values[:, None]
    if channels is not None and labels is not None:
        missing = [c for c in channels if c not in labels]
        if missing:
            raise ValueError(f"{where}: no channel {missing[0]!r}, found {_listed(labels)}")
        values = values[:, [labels.index(c) for c in channels]]
        labels = list(channels)
    return [p._replace(time_name=str(along)) for p in _array_pieces(values, name, stamps, labels or channels, where)]


def _pieces(data: Any, name: str, time: Any, channels: Optional[Sequence[str]], by: Optional[str],
            where: str, inputs: Sequence[str] = ()) -> List[_Piece]:
    if _is_frame(data):
        return _frame_pieces(data, name, time, channels, by, where, inputs)
    if isinstance(data, dict) and data:
        return [piece._replace(name=str(key)) for key, one in data.items()
                for piece in _pieces(one, str(key), time, channels, None, where, inputs)]
    if isinstance(data, (list, tuple)) and len(data) and all(map(_is_frame, data)):
        return [piece for n, one in enumerate(data)
                for piece in _frame_pieces(one, f"{n + 1}", time, channels, by, where, inputs)]
    if inputs:
        raise ValueError(f"{where}: inputs are names of columns, which only frames and files have; give their samples "
                         "as data of their own instead")
    if isinstance(data, _gpode.Dataset):
        return [_Piece(data.names[n] or name, data.times(n), data.values(n), data.channels, data.time_name)
                for n in range(len(data))]
    if _is_xarray(data):
        return _xarray_pieces(data, name, time, channels, by, where)
    if isinstance(data, tuple) and len(data) == 2:
        return _array_pieces(data[1], name, data[0], channels, where)
    if isinstance(data, dict):
        raise ValueError(f"{where}: the data are an empty dict, must have at least one trajectory")
    if isinstance(data, (list, tuple)):
        if not len(data):
            raise ValueError(f"{where}: the data are an empty list, must have at least one trajectory")
        if not _is_numeric_list(data):
            return [piece for n, one in enumerate(data)
                    for piece in _pieces(one, f"{n + 1}", time, channels, by, where)]
    if hasattr(data, "to_pandas"):
        return _frame_pieces(data.to_pandas(), name, time, channels, by, where)
    if not isinstance(data, (list, tuple)) and not hasattr(data, "__array__"):
        raise ValueError(f"{where}: the data are a {type(data).__name__}, must be file names, a DataFrame, an array, "
                         "an xarray object, or a list of these")
    return _array_pieces(data, name, time, channels, where)


def _is_numeric_list(data: Sequence[Any]) -> bool:
    def number(x: Any) -> bool:
        return x is None or isinstance(x, (int, float, np.integer, np.floating))

    return all(number(x) for x in data) or all(
        isinstance(row, (list, tuple)) and all(number(x) for x in row) for row in data)


def as_dataset(data: Any, time: Any = None, channels: Optional[Sequence[str]] = None, *, where: str = "fit",
               axis: Optional[TimeAxis] = None, fewest_rows: int = 1, allow_empty_channels: bool = False,
               inputs: Any = None, like: Optional["_gpode.Dataset"] = None, **read: Any) -> "_gpode.Dataset":
    """Converts data to a data set. For data that are compared with a model, `axis` is the model's time axis and `like`
    its data, whose files were of the same kind. `inputs` are names of columns, or data of their own."""
    if isinstance(channels, str):
        channels = [channels]
    if isinstance(inputs, str) and not os.path.exists(inputs):
        inputs = [inputs]
    named = isinstance(inputs, (list, tuple)) and all(isinstance(name, str) for name in inputs)
    names = [str(name) for name in inputs] if named else []
    if inputs is not None and not named:
        driven = as_dataset(data, time, channels, where=where, axis=axis, fewest_rows=fewest_rows,
                            allow_empty_channels=allow_empty_channels, like=like, **read)
        return driven.with_inputs(as_dataset(inputs, time if isinstance(time, str) else None, _input_names(inputs),
                                             where=f"{where}: inputs", axis=TimeAxis.of(driven), like=driven))
    if isinstance(data, _gpode.Dataset) and time is None and channels is None and not names:
        return data
    unknown = [key for key in read if key not in READ_OPTIONS]
    if unknown:
        raise TypeError(f"{where}: option '{unknown[0]}' is unknown")
    options = {key: _read_value(key, value, where) for key, value in read.items() if value is not None}
    if _is_path(data) or (isinstance(data, (list, tuple)) and data and all(map(_is_path, data))):
        files = [os.fspath(data)] if _is_path(data) else [os.fspath(file) for file in data]
        return _read_files(files, time, channels, names, options, fewest_rows, allow_empty_channels, like)
    others = [key for key in options if key not in _FOR_FRAMES and not (key == "part" and where == "score")]
    if others:
        raise ValueError(f"{where}: {others[0]} is for files, must not be given for other data")
    if _is_frame(data):
        data = _tidy_frame(data, time, options, where)
    pieces = _pieces(data, "", time, channels, options.get("trajectories_by"), where, names)
    return _join(pieces, axis, where, names)


def _read_value(key: str, value: Any, where: str) -> Any:
    """Converts the value of a reading option to the type that the library expects."""
    kind = _READ_TYPES[key]

    def refuse(right: str) -> "NoReturn":
        raise ValueError(f"{where}: {key} is {value!r}, must be {right}")

    if kind == "text" and not isinstance(value, str):
        refuse("a text")
    if key in _CHOICES and value not in _CHOICES[key]:
        refuse(f"one of {', '.join(map(repr, _CHOICES[key]))}")
    if kind == "words":
        items = [value] if isinstance(value, (str, int, float)) else list(value)
        return [word(item) for item in items]
    if kind == "count":
        least = 1 if key == "every" else 0
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not least <= value <= 10**6:
            refuse(f"a whole number from {least} to 1000000")
        return int(value)
    if kind == "number":
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not 0 < float(value) < np.inf:
            refuse("a positive number")
        return float(value)
    if kind == "bool":
        return bool(value)
    if kind == "time":
        return word(value) if isinstance(value, (int, float, np.number)) else str(value)
    if kind == "pair":
        pair = (value.get("name"), value.get("value")) if isinstance(value, dict) else tuple(value)
        if len(pair) != 2 or not all(isinstance(name, str) and name for name in pair):
            refuse("the names of two columns, as ('Species', 'Count')")
        return pair
    return value


def _input_names(inputs: Any) -> Optional[List[str]]:
    """Returns u1, u2, ... for inputs in arrays, which have no names; None for others."""
    if isinstance(inputs, np.ndarray) and inputs.ndim == 2:
        return [f"u{k}" for k in range(1, inputs.shape[1])]  # the first column has the times
    if isinstance(inputs, tuple) and len(inputs) == 2:
        values = np.asarray(inputs[1])
        return [f"u{k}" for k in range(1, (values.shape[1] if values.ndim == 2 else 1) + 1)]
    return None


def _read_files(files: List[str], time: Any, channels: Optional[Sequence[str]], inputs: List[str],
                options: Dict[str, Any], fewest_rows: int, allow_empty_channels: bool,
                like: Optional["_gpode.Dataset"]) -> "_gpode.Dataset":
    given = dict(options)
    if "long" in given:
        given["long_name"], given["long_value"] = given.pop("long")
    if time is not None:
        given["time"] = time if isinstance(time, str) else ",".join(map(str, time))
    if channels is not None:
        given["channels"] = list(channels)
    if inputs:
        given["inputs"] = inputs
    data, notes = _gpode.read_files(files, given, fewest_rows, allow_empty_channels, like)
    for note in notes:
        warn(note, 4)
    return data


def _tidy_frame(frame: Any, time: Any, options: Dict[str, Any], where: str) -> Any:
    """Converts a frame in long format to one with a column for each name, and markers of missing values to NaN."""
    if "missing" in options:
        numbers = [float(m) for m in options["missing"] if _is_number(m)]
        frame = frame.replace([*options["missing"], *numbers], np.nan)
    if "long" not in options:
        return frame
    name, value = options["long"]
    missing = [c for c in (name, value) if c not in frame.columns]
    if missing:
        raise ValueError(f"{where}: no column named {missing[0]!r} for long, found {_listed(list(frame.columns))}")
    times, label, _ = _find_time_column(frame, time, where)
    by = options.get("trajectories_by")
    keys = ([frame[by]] if by else []) + [times.rename(label or "time")]
    counts = frame.groupby([*keys, frame[name]], sort=False).size()
    if (counts > 1).any():
        raise ValueError(f"{where}: two values of {counts.idxmax()[-1]!r} at one time, must be one")
    wide = frame.set_index([*keys, frame[name]])[value].unstack(-1)
    wide.columns.name = None
    return wide.reset_index(level=0) if by else wide


def _is_number(text: str) -> bool:
    try:
        float(text)
        return True
    except ValueError:
        return False


def _join(pieces: List[_Piece], axis: Optional[TimeAxis], where: str, inputs: Sequence[str] = ()) -> "_gpode.Dataset":
    first = pieces[0]
    dates = [piece.times.dtype.kind == "M" for piece in pieces]
    if any(dates) and not all(dates):
        raise ValueError(f"{where}: some trajectories have dates and others numbers as times, must be the same")
    if any(dates) and len({piece.zone for piece in pieces}) > 1:
        raise ValueError(f"{where}: some trajectories have dates with a time zone and others without, must be the same")
    if any(dates) and (axis is None or not axis.is_dates):
        axis = axis_of_dates(np.concatenate([piece.times for piece in pieces]), first.time_name, first.zone)
    rows: List[Tuple[Any, ...]] = []
    for piece in pieces:
        values = piece.values
        if piece.channels != first.channels:
            if sorted(piece.channels) != sorted(first.channels):
                raise ValueError(f"{where}: trajectory {piece.name!r} has channels {_listed(piece.channels)}, "
                                 f"must have those of the first, {_listed(first.channels)}")
            values = values[:, [piece.channels.index(c) for c in first.channels]]
        times = axis.numbers(piece.times) if axis is not None and piece.times.dtype.kind == "M" else piece.times
        driving = None if piece.inputs is None else np.ascontiguousarray(piece.inputs, float)
        rows.append((piece.name, np.ascontiguousarray(times, float), np.ascontiguousarray(values, float), None, driving))
    if not any(dates):
        return _gpode.Dataset(first.channels, rows, first.time_name, None, list(inputs))
    assert axis is not None
    return _gpode.Dataset(first.channels, rows, axis.name, axis.calendar(), list(inputs))
