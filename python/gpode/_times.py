"""Conversion between dates and the numbers that a model works with.

A date becomes the number of seconds, minutes, hours, days or years since an origin. The calendar of the data set holds
the unit and the origin, so that a model file keeps them and the command line shows dates. Model files of earlier versions
have them in the name of the time instead, as in ``date [days since 2020-01-01T00:00:00]``; a ``Z`` at the end means
that the dates had a time zone, which is then UTC.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

_NANOSECONDS = {"seconds": 10**9, "minutes": 60 * 10**9, "hours": 3600 * 10**9, "days": 86400 * 10**9}
_YEAR = 365.2425 * 86400  # seconds, as in gpode/calendar.h
_NAME = re.compile(r"(.*?) ?\[(seconds|minutes|hours|days) since (\d{4}-\d\d-\d\dT[\d:.]+)(Z?)\]")


@dataclass(frozen=True)
class TimeAxis:
    """How times are written: plain numbers if there is no origin."""

    name: str = ""
    unit: str = ""
    origin: Optional[np.datetime64] = None
    zone: bool = False
    seconds: float = 0.0  # of the unit; 0: those of its name

    @classmethod
    def of(cls, data: Any) -> "TimeAxis":
        """Returns the axis of a data set: that of its calendar, or of its name."""
        if data.calendar is None:
            return cls.parse(data.time_name)
        seconds, origin, zone = data.calendar
        names = {60.0: "minutes", 3600.0: "hours", 86400.0: "days", _YEAR: "years"}
        whole = int(np.floor(origin))
        stamp = np.datetime64(whole, "s").astype("datetime64[ns]") + np.timedelta64(round((origin - whole) * 1e9), "ns")
        return cls(data.time_name, names.get(seconds, "seconds" if seconds == 1 else f"{seconds:g} s"), stamp, zone, seconds)

    @property
    def _nanoseconds(self) -> float:
        return self.seconds * 1e9 if self.seconds else _NANOSECONDS[self.unit]

    def calendar(self) -> Optional[Tuple[float, float, bool]]:
        """Returns the calendar for a data set: seconds per unit, seconds from 1970 to time 0, UTC."""
        if self.origin is None:
            return None
        return self._nanoseconds / 1e9, float(self.origin.astype("datetime64[ns]").astype("int64")) / 1e9, self.zone

    @classmethod
    def parse(cls, time_name: str) -> "TimeAxis":
        """Returns the axis that the name of a data set's time describes."""
        found = _NAME.fullmatch(time_name)
        if not found:
            return cls(time_name)
        name, unit, origin, zone = found.groups()
        return cls(name, unit, np.datetime64(origin, "ns"), zone == "Z")

    @property
    def label(self) -> str:
        return self.name or "time"

    @property
    def is_dates(self) -> bool:
        return self.origin is not None

    def numbers(self, stamps: np.ndarray) -> np.ndarray:
        """Returns dates (datetime64) as numbers."""
        nanoseconds = (stamps.astype("datetime64[ns]") - self.origin).astype("int64")
        numbers = nanoseconds / self._nanoseconds
        numbers[np.isnat(stamps)] = np.nan
        return numbers

    def number(self, time: Any, function: str, argument: str) -> float:
        """Returns one time, given as a number or, for dates, as anything that pandas reads as a date."""
        if isinstance(time, (int, float, np.integer, np.floating)) and not isinstance(time, bool):
            return float(time)
        if not self.is_dates:
            raise ValueError(f"{function}: {argument} is {time!r}, must be a number")
        import pandas as pd

        try:
            stamp = pd.Timestamp(time)
        except (ValueError, TypeError):
            raise ValueError(f"{function}: {argument} is {time!r}, must be a date or a number of {self.unit}") from None
        if stamp.tzinfo is not None:
            stamp = stamp.tz_convert("UTC").tz_localize(None)
        return float(self.numbers(np.array([stamp.to_datetime64()]))[0])

    def index(self, numbers: np.ndarray) -> Any:
        """Returns numbers as an index of pandas: dates if the data had dates."""
        import pandas as pd

        if self.origin is None:
            return pd.Index(numbers, name=self.label)
        microseconds = np.round(np.asarray(numbers) * (self._nanoseconds / 1000)).astype("int64")
        stamps = self.origin + microseconds.astype("timedelta64[us]")
        return pd.DatetimeIndex(stamps, name=self.label, tz="UTC" if self.zone else None)

    def values(self, numbers: np.ndarray) -> np.ndarray:
        """Returns numbers as an array for axes of plots: dates without a zone, or the numbers themselves."""
        if self.origin is None:
            return np.asarray(numbers)
        index = self.index(numbers)
        return (index.tz_localize(None) if self.zone else index).to_numpy()


def axis_of_dates(stamps: np.ndarray, name: str, zone: bool) -> TimeAxis:
    """Returns an axis for dates: its unit is the largest one that is not longer than their median gap."""
    known = np.sort(stamps[~np.isnat(stamps)])
    if known.size == 0:
        raise ValueError("fit: the times hold no date, must hold some")
    gaps = np.diff(known).astype("timedelta64[ns]").astype("int64")
    gap = float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else float(_NANOSECONDS["days"])
    unit = next((u for u in ("days", "hours", "minutes") if _NANOSECONDS[u] <= gap * 1.001), "seconds")
    origin = known[0].astype("datetime64[D]").astype("datetime64[s]").astype("datetime64[ns]")
    return TimeAxis(name or "date", unit, origin, zone)
