"""Learnt models."""
from __future__ import annotations

import os
from typing import Any, Union

from . import _gpode
from ._checks import count
from ._pictures import Pictures
from ._summary import Quality


class Model(Pictures, Quality):
    """A learnt model. :func:`gpode.fit` makes one, :func:`gpode.load` reads one from a file.

    >>> import gpode
    >>> model = gpode.fit(gpode.simulate("vdp", noise=0.05), steps=200, progress=False)
    >>> model.channels
    ['x1', 'x2']
    """

    def __init__(self, raw: "_gpode.Model"):
        self._raw = raw

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Saves the model in a file that the command line and :func:`gpode.load` read."""
        self._raw.save(os.fspath(path))

    def __reduce__(self) -> Any:
        return _restore, (self._raw.to_bytes(),)

    def __copy__(self) -> "Model":
        return Model(self._raw)

    def __deepcopy__(self, memo: Any) -> "Model":
        return Model(self._raw)  # the compiled part never changes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and (self._raw is other._raw or self._raw.to_bytes() == other._raw.to_bytes())

    __hash__ = object.__hash__

    def to_inference_data(self, draws: int = 128, seed: int = 1) -> Any:
        """Returns the posterior for ArviZ: an InferenceData, or a dict of xarray Datasets with the same groups
        (posterior, posterior_predictive, observed_data) where ArviZ is missing. Draws have the dimensions chain and
        draw."""
        from ._inference_data import inference_data

        return inference_data(self, count(draws, "to_inference_data", "draws"), seed)

    def __repr__(self) -> str:
        return (f"<gpode.Model {self._raw.name} of {', '.join(self.channels[:6])}"
                f"{', ...' if len(self.channels) > 6 else ''}, {len(self.trajectories)} "
                f"{'trajectory' if len(self.trajectories) == 1 else 'trajectories'}"
                f"{'' if self.finished or self.is_sampled else ', not finished'}>")

    def _repr_html_(self) -> str:
        from ._html import model_html

        return model_html(self)


def _restore(data: bytes) -> Model:
    return Model(_gpode.Model.from_bytes(data))
