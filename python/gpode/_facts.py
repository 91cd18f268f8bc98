"""What a model is: names, data, options, and what was learnt."""
from __future__ import annotations

from typing import Any, Dict, List, Union

import numpy as np

from . import _gpode
from ._times import TimeAxis


class Facts:
    """The facts of a model."""

    _raw: "_gpode.Model"

    @property
    def channels(self) -> List[str]:
        """The names of the channels."""
        return self._raw.channels

    @property
    def inputs(self) -> List[str]:
        """The names of the measured inputs; none if nothing drives the system."""
        return self._raw.inputs

    @property
    def states(self) -> List[str]:
        """The names of the states."""
        return self._raw.state_names

    @property
    def trajectories(self) -> List[str]:
        """The names of the training trajectories."""
        return self._raw.trajectories

    @property
    def finished(self) -> bool:
        """Tells whether training came to its end."""
        return self._raw.finished

    @property
    def is_sampled(self) -> bool:
        """Tells whether the posterior was made by a sampler."""
        return self._raw.is_sampled

    @property
    def data(self) -> "_gpode.Dataset":
        """The training data; no trajectories if the file did not hold them."""
        return self._raw.data

    @property
    def history(self) -> Any:
        """The history of training as a frame: the bound and its parts by step."""
        import pandas as pd

        frame = pd.DataFrame(self._raw.history)
        return frame.astype({"step": int, "shooting": bool, "diverged": int}).set_index("step")

    @property
    def holdout(self) -> Any:
        """Forecasts of held-back data beside those of simple models, as a frame; None if none were held back."""
        import pandas as pd

        rows = self._raw.holdout
        return None if rows is None else pd.DataFrame(rows)

    @property
    def noise(self) -> Any:
        """The standard deviations of the observation noise, by channel."""
        import pandas as pd

        return pd.Series(self._raw.noise, index=self.channels, name="noise")

    @property
    def lengthscales(self) -> Any:
        """The lengthscales of a process in the units of the states: a row per output, a column per state."""
        import pandas as pd

        scales = self._raw.lengthscales
        rows = [f"d{name}/dt" for name in self.states] if len(scales) == len(self.states) else None
        return pd.DataFrame(scales, columns=self.states if scales.size else None, index=rows)

    @property
    def options(self) -> Dict[str, str]:
        """All options of the fit, as text."""
        pairs = (line.split(" = ", 1) for line in self._raw.options_text.splitlines() if " = " in line)
        return {name.replace(".", "_"): value for name, value in pairs}

    @property
    def parameters(self) -> Dict[str, np.ndarray]:
        """Everything that was learnt, by name, in the model's units; views of the library's memory."""
        return self._raw.parameters()

    @property
    def _axis(self) -> TimeAxis:
        return TimeAxis.of(self.data)

    def _index_of(self, trajectory: Union[int, str], function: str) -> int:
        names = self.trajectories
        if isinstance(trajectory, str) and trajectory in names:
            return names.index(trajectory)
        if isinstance(trajectory, (int, np.integer)) and -len(names) <= trajectory < len(names):
            return int(trajectory) % len(names)
        raise ValueError(f"{function}: trajectory is {trajectory!r}, must be one of {', '.join(names[:10])}"
                         f"{', ...' if len(names) > 10 else ''}, or a number from 0 to {len(names) - 1}")
