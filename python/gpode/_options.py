"""The options of a fit, by the names of the library's own table.

Every option of the command line is a keyword argument of :func:`gpode.fit`. Names have underscores in place of dots:
``solver.rtol`` is ``solver_rtol``. New options of the library appear here by themselves.
"""
from __future__ import annotations

import difflib
from typing import Any, Dict, List, NamedTuple

import numpy as np

from . import _gpode


class Option(NamedTuple):
    """One option: its name as a keyword, its default as text, and what it means."""

    name: str
    default: str
    help: str


def _keyword(name: str) -> str:
    return name.replace(".", "_")


_NAMES: Dict[str, str] = {_keyword(name): name for name, _, _ in _gpode.list_options()}


def options() -> List[Option]:
    """Returns all options of a fit.

    >>> import gpode
    >>> [o.default for o in gpode.options() if o.name == "inducing"]
    ['16']
    """
    return [Option(_keyword(name), default, text) for name, default, text in _gpode.list_options()]


def models() -> Dict[str, str]:
    """Returns the names of models, for the argument ``model`` of :func:`gpode.fit`, and their titles.

    >>> import gpode
    >>> gpode.models()["npode"]
    'npODE'
    """
    return dict(_gpode.list_models())


def word(value: Any) -> str:
    """Returns a value as the library reads it: a word of the command line."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(word(item) for item in value) + "]"
    return str(value)


def option_names(given: Dict[str, Any]) -> List[str]:
    """Returns the library's names of the options that are given."""
    return [_NAMES[key] for key, value in given.items() if key in _NAMES and value is not None]


def set_options(target: "_gpode.FitOptions", given: Dict[str, Any], function: str) -> None:
    """Sets the options that are given; None leaves the default."""
    for key, value in given.items():
        name = _NAMES.get(key)
        if name is None:
            near = difflib.get_close_matches(key, _NAMES, 1)
            hint = f"; did you mean {near[0]}?" if near else "; gpode.options() lists them"
            raise TypeError(f"{function}: option '{key}' is unknown{hint}")
        if value is None:
            continue
        target.set(name, word(value), f"{function}: {key}")
