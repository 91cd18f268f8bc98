"""Vector fields as functions."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _gpode


class Field:
    """A vector field of states: the mean of a learnt one, or one function drawn from it.

    ``field(t, x)`` returns dx/dt and ``field.jacobian(t, x)`` its derivative, as SciPy's ``solve_ivp`` wants them.
    States are a vector (D) or the rows of an array (n, D); the time does not matter.

    >>> import gpode, numpy as np
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> draw = model.draw_field(0)
    >>> draw(0.0, np.array([1.0, 0.0])).shape, draw.jacobian(0.0, np.array([1.0, 0.0])).shape
    ((2,), (2, 2))
    """

    def __init__(self, raw: "_gpode.Field"):
        self._raw = raw

    @property
    def dim(self) -> int:
        """The number of states."""
        return self._raw.dim

    def __call__(self, t: float, x: Any) -> np.ndarray:
        return self._raw.values(np.asarray(x, dtype=float))

    def jacobian(self, t: float, x: Any) -> np.ndarray:
        """Returns the Jacobian (D, D) at one state, or (n, D, D) at several."""
        return self._raw.jacobians(np.asarray(x, dtype=float))
