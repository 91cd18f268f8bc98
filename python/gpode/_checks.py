"""Checks of arguments that several functions share."""
from __future__ import annotations

from typing import Any

import numpy as np

MOST_NUMBERS = 5e8  # numbers in four gigabytes


def count(value: Any, function: str, argument: str, least: int = 1, most: int = 10**15) -> int:
    """Returns a whole number from `least` to `most`, or raises a ValueError that names the argument."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(f"{function}: {argument} is {value!r}, must be a whole number of at least {least}"
                         + (f" and at most {most}" if whole and value > most else ""))
    return int(value)
