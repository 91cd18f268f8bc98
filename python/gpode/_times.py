"""Times as numbers: a model knows numbers, people have dates.

Dates become numbers of a unit (seconds, minutes, hours or days) since an origin. The name of the data set's time
says both, as in ``date [days since 2020-01-01T00:00:00]``, so that a model file remembers them; a ``Z`` at the end
means that the dates had a time zone, which is then UTC.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

_NANOSECONDS = {"seconds": 10**9, "minutes": 60 * 10**9, "hours": 3600 * 10**9, "days": 86400 * 10**9}
_NAME = re.compile(r"(.*?) ?\[(seconds|minutes|hours|days) since (\d{4}-\d\d-\d\dT[\d:.]+)(Z?)\]")


@dataclass(frozen=True)
class TimeAxis:
    """How times are written: plain numbers if there is no origin."""

    name: str = ""
    unit: str = ""
    origin: Optional[np.datetime64] = None
    zone: bool = False

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

    def time_name(self) -> str:
        if self.origin is None:
            return self.name
        origin = str(self.origin).rstrip("0").rstrip(".") if "." in str(self.origin) else str(self.origin)
        return f"{self.label} [{self.unit} since {origin}{'Z' if self.zone else ''}]"

    def numbers(self, stamps: np.ndarray) -> np.ndarray:
        """Returns dates (datetime64) as numbers."""
        nanoseconds = (stamps.astype("datetime64[ns]") - self.origin).astype("int64")
        numbers = nanoseconds / _NANOSECONDS[self.unit]
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
        microseconds = np.round(np.asarray(numbers) * (_NANOSECONDS[self.unit] / 1000)).astype("int64")
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
