"""The pictures and the report of a model."""
from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

from . import _gpode
from ._insight import Insight


class Pictures(Insight):
    """The pictures of a model."""

    def report(self, path: Union[str, "os.PathLike[str]", None] = None, *, title: str = "model", until: Any = None,
               draws: int = 128, seed: int = 1, threads: int = 0, include: Sequence[str] = ()) -> Any:
        """Writes the page of ``gpode report``; without a path, returns it to be shown in a notebook. ``include`` names
        sections of analyses to add, of "dynamics", "equations" and "design"."""
        if not hasattr(_gpode, "report_page"):
            raise RuntimeError("report: this build of gpode has no report pages; build it with -DGPODE_TOOLS=ON")
        sections = [include] if isinstance(include, str) else [str(word) for word in include]
        unknown = [word for word in sections if word not in ("dynamics", "equations", "design")]
        if unknown:
            raise ValueError(f"report: include has {unknown[0]!r}, must be of dynamics, equations, design")
        end = None if until is None else self._axis.number(until, "report", "until")
        page = _gpode.report_page(self._raw, title, end, draws, seed, threads, sections)
        if path is None:
            from ._html import Page

            return Page(page)
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
        return None

    def plot_forecast(self, until: Any = None, ax: Any = None, **options: Any) -> Any:
        """Draws data and forecast of every channel with Matplotlib; returns the axes, or an array of them."""
        from . import _plots

        return _plots.model_forecast(self, until, ax, **options)

    def plot_phase(self, ax: Any = None, **options: Any) -> Any:
        """Draws streamlines of the mean field, its uncertainty, the data and the learnt path; returns the axes."""
        from . import _plots

        return _plots.phase(self, ax, **options)

    def plot_field(self, ax: Any = None, **options: Any) -> Any:
        """Draws arrows of the mean field over its uncertainty; returns the axes."""
        from . import _plots

        return _plots.field(self, ax, **options)

    def plot_training(self, ax: Any = None, **options: Any) -> Any:
        """Draws the bound by step; returns the axes."""
        from . import _plots

        return _plots.training(self, ax, **options)

    def plot_calibration(self, test: Any = None, ax: Any = None, **options: Any) -> Any:
        """Draws the coverage of bands against their level; returns the axes."""
        from . import _plots

        return _plots.calibration(self, test, ax, **options)

    def plot_dynamics(self, ax: Any = None, **options: Any) -> Any:
        """Analyses the model and draws basins, nullclines, limit cycles and fixed points; returns the axes. Options are
        those of :meth:`analyse`."""
        from . import _insight_plots

        return _insight_plots.dynamics(self.analyse(**options), ax)

    def plot_basins(self, ax: Any = None, **options: Any) -> Any:
        """Analyses the model and draws where solutions end from each start; returns the axes."""
        from . import _insight_plots

        return _insight_plots.basins(self.analyse(**options), ax)

    def plot_bifurcation(self, input: str, values: Any, ax: Any = None, *, state: Optional[str] = None,
                         **options: Any) -> Any:
        """Sweeps an input and draws a bifurcation diagram; returns the axes. Options are those of :meth:`sweep`."""
        from . import _insight_plots

        return _insight_plots.bifurcation(self.sweep(input, values, **options), ax, state=state)

    def plot_difference(self, other: Any, ax: Any = None, **options: Any) -> Any:
        """Draws where the field differs from another model's; returns the axes."""
        from . import _insight_plots

        return _insight_plots.difference(self.compare(other, **options), ax)

    def plot_design(self, ax: Any = None, **options: Any) -> Any:
        """Draws where to measure next; returns the axes. Options are those of :meth:`design`."""
        from . import _insight_plots

        return _insight_plots.design(self.design(**options), ax)

    def plot_terms(self, ax: Any = None, **options: Any) -> Any:
        """Draws the probabilities of the terms of readable equations; returns the axes."""
        from . import _insight_plots

        return _insight_plots.explanation(self.explain(**options), ax)
