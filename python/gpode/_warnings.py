"""The library's remarks as Python warnings."""
from __future__ import annotations

import warnings


class GpodeWarning(UserWarning):
    """A remark about data, a fit or a forecast, which the command line prints as a note or a warning."""


def warn(message: str, level: int) -> None:
    """Warns, unless the message is empty; `level` counts callers as warnings.warn does."""
    if message:
        warnings.warn(message, GpodeWarning, stacklevel=level + 1)
