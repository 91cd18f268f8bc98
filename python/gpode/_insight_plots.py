"""Pictures of what a model implies, in the colours of ``gpode plot``. Every function takes axes and returns them."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._plots import BLUE, DARK, GREEN, GREY, LIGHT, SKY, VERMILLION, _axes, _tidy

ORANGE, PURPLE, YELLOW = "#e69f00", "#cc79a7", "#f0e442"
_BASINS = (SKY, ORANGE, GREEN, PURPLE)


def _basin_colour(label: str, number: int) -> str:
    return {"limit cycle": YELLOW, "leaves": "#999999", "undecided": "#ffffff"}.get(label, _BASINS[number % 4])


def basins(analysis: Any, ax: Any = None, *, label: bool = True) -> Any:
    """Shades each start by where its solution ends, colours mixed by probability."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    found = analysis.basins
    if found is None:
        raise ValueError("plot_basins: there are no basins, which need a model of two states and basins=True")
    panel = _axes(ax, 1, 6.4, 4.8)[0]
    colours = np.array([to_rgb(_basin_colour(str(name), k)) for k, name in enumerate(found["end"].values)])
    faded = 1 - 0.5 * (1 - colours)
    mixed = np.einsum("kij,kc->jic", found.values, faded).clip(0, 1)
    low, high = analysis._raw["lower"], analysis._raw["upper"]
    panel.imshow(mixed, extent=(low[0], high[0], low[1], high[1]), origin="lower", aspect="auto",
                 interpolation="nearest", zorder=0)
    keys = [Patch(color=faded[k], label=str(name) if name == "leaves" else f"to {name}")
            for k, name in enumerate(found["end"].values) if name != "undecided" and float(found[k].max()) > 0.1]
    panel.set(xlabel=analysis.states[0], ylabel=analysis.states[1], xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    if label:
        panel.legend(handles=keys, loc="lower left", bbox_to_anchor=(0, 1), ncol=4, frameon=False, fontsize="small")
    panel._gpode_keys = keys
    return panel


def _ellipse(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Returns the outline that contains 90 % of a normal distribution in the plane, (n, 2)."""
    values, vectors = np.linalg.eigh(covariance[:2, :2])
    angle = np.linspace(0, 2 * np.pi, 61)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return mean[:2] + 2.146 * circle @ (vectors * np.sqrt(values.clip(0))).T


def _nullclines(analysis: Any, panel: Any) -> None:
    """Draws where each component of the mean field is zero."""
    low, high = analysis._raw["lower"], analysis._raw["upper"]
    x, y = np.meshgrid(np.linspace(low[0], high[0], 81), np.linspace(low[1], high[1], 81))
    mean, _ = analysis._model.field(np.stack([x.ravel(), y.ravel()], axis=1), at=analysis.at)
    for d, colour in ((0, VERMILLION), (1, GREEN)):
        values = mean[:, d].reshape(x.shape)
        if values.min() < 0 < values.max():
            panel.contour(x, y, values, levels=[0], colors=[colour], linewidths=1.1)
        panel.plot([], [], color=colour, linewidth=1.1, label=f"d{analysis.states[d]}/dt = 0")


def _points(analysis: Any, panel: Any) -> None:
    named = set()
    for n, point in enumerate(analysis._raw["points"], 1):
        kind = "saddle" if point["types"]["saddle"] > 0.5 else "stable" if point["stable"] > 0.5 else "unstable"
        outline = _ellipse(point["mean"], point["covariance"])
        panel.plot(outline[:, 0], outline[:, 1], color="black", linewidth=0.7)
        style = {"saddle": dict(marker="x"), "stable": dict(marker="o"), "unstable": dict(marker="o", markerfacecolor="white")}
        panel.plot(*point["mean"][:2], color="black", markersize=6, linestyle="", zorder=5,
                   label=None if kind in named else kind, **style[kind])
        named.add(kind)
        panel.annotate(f"{n}: {point['probability']:.2f}", point["mean"][:2], xytext=(7, 6), textcoords="offset points",
                       fontsize="small", clip_on=True)


def dynamics(analysis: Any, ax: Any = None, *, data: bool = True, shown_cycles: int = 32) -> Any:
    """Draws the plane of the first two states: basins, nullclines, separatrices, limit cycles, fixed points with 90 %
    regions and their probabilities, and the data."""
    if len(analysis.states) < 2:
        raise ValueError(f"plot: the model has {len(analysis.states)} state, a plane needs 2")
    panel = _axes(ax, 1, 6.4, 4.8)[0]
    raw = analysis._raw
    keys = []
    if raw["basins"] is not None:
        basins(analysis, panel, label=False)
        keys = panel._gpode_keys
    if len(analysis.states) == 2:
        _nullclines(analysis, panel)
    for k, curve in enumerate(raw["separatrices"]):
        panel.plot(curve[:, 0], curve[:, 1], color="black", linewidth=1, linestyle=(0, (3, 2)),
                   label="separatrix" if k == 0 else None)
    for cycle in analysis.cycles[:shown_cycles]:
        panel.plot(cycle[:, 0], cycle[:, 1], color=BLUE, linewidth=0.6, alpha=0.25)
    for k, cycle in enumerate(raw["mean_cycles"]):
        panel.plot(cycle["states"][:, 0], cycle["states"][:, 1], color=BLUE, linewidth=1.6,
                   label="limit cycle, mean field" if k == 0 else None)
    seen = analysis._model._raw.observed_states if data else []
    for k, states in enumerate(seen):
        panel.plot(states[:, 0], states[:, 1], "o", color=DARK, markersize=2, label="observations" if k == 0 else None)
    _points(analysis, panel)
    low, high = raw["lower"], raw["upper"]
    panel.set(xlabel=analysis.states[0], ylabel=analysis.states[1], xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    handles, _ = panel.get_legend_handles_labels()
    panel.legend(handles=[*keys, *handles], loc="lower left", bbox_to_anchor=(0, 1), ncol=4, frameon=False,
                 fontsize="small", handlelength=1.4, columnspacing=1.2)
    return panel


def bifurcation(sweep: Any, ax: Any = None, *, state: Optional[str] = None) -> Any:
    """Draws a state of the fixed points of all draws, and the ends of limit cycles, over an input."""
    if not len(sweep):
        raise ValueError("plot_bifurcation: the sweep has no values, must have some")
    names = sweep[0].states
    name = names[0] if state is None else state
    if name not in names:
        raise ValueError(f"plot_bifurcation: state is {name!r}, must be one of {', '.join(names[:10])}")
    panel = _axes(ax, 1, 6.4, 4.2)[0]
    d = names.index(name)
    points = sweep.fixed_points()
    for stable, colour, text in ((True, BLUE, "stable fixed points of draws"), (False, VERMILLION, "unstable")):
        part = points[points["stable"] == stable] if len(points) else points
        panel.plot(part[sweep.input] if len(part) else [], part[name] if len(part) else [], "o", color=colour,
                   markerfacecolor=colour if stable else "none", markersize=3, alpha=0.45, label=text)
    ends = [(value, end) for value, part in zip(sweep.values, sweep) for cycle in part.cycles
            for end in (cycle[:, d].min(), cycle[:, d].max())]
    panel.plot([e[0] for e in ends], [e[1] for e in ends], "D", color=GREEN, markersize=3, alpha=0.4,
               label="ends of limit cycles")
    panel.set(xlabel=sweep.input, ylabel=name)
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=3, frameon=False, fontsize="small")
    _tidy(panel)
    return panel


def _difference_line(found: Any, panel: Any) -> Any:
    """Draws the difference of two fields with a single state, with its band."""
    frame, name = found.to_pandas(), found.states[0]
    x = frame[name]
    panel.fill_between(x, frame[f"d{name}_lower"], frame[f"d{name}_upper"], color=SKY, alpha=0.4, linewidth=0, label="band")
    panel.plot(x, frame[f"d{name}_mean"], color=BLUE, linewidth=1.5, label="first minus second")
    panel.axhline(0, color=GREY, linewidth=0.6)
    part = frame[frame[f"d{name}_differs"]]
    panel.plot(part[name], part[f"d{name}_mean"], "o", color="black", markersize=2.5, label="differs beyond chance")
    panel.set(xlabel=name, ylabel=f"d{name}/dt, first minus second")
    panel.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncol=3)
    _tidy(panel)
    return panel


def difference(found: Any, ax: Any = None) -> Any:
    """Draws the difference of each component near the data of both models; dots mark what differs beyond chance."""
    if len(found.states) > 2 or not found._raw["side"]:
        raise ValueError("plot: the models must have one or two states to draw their difference")
    if len(found.states) == 1:
        return _difference_line(found, _axes(ax, 1)[0])
    import matplotlib.pyplot as plt
    from matplotlib.colors import LinearSegmentedColormap

    if ax is None:
        _, ax = plt.subplots(1, 2, figsize=(9, 3.9), constrained_layout=True)
    flat = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(flat) < 2:
        raise ValueError("plot: 1 axes for 2 components, must be as many")
    colours = LinearSegmentedColormap.from_list("difference", [BLUE, "white", VERMILLION])
    grid = found.to_xarray()
    x, y = (grid[name].values for name in found.states)
    for d, panel in enumerate(flat[:2]):
        mean = np.where(grid["inside_data"].values, grid["mean"].values[:, :, d], np.nan)
        largest = float(np.nanmax(np.abs(mean))) or 1.0
        mesh = panel.pcolormesh(x, y, mean.T, cmap=colours, vmin=-largest, vmax=largest, shading="nearest")
        panel.figure.colorbar(mesh, ax=panel, fraction=0.046, pad=0.03)
        i, j = np.nonzero(grid["differs"].values[:, :, d])
        panel.plot(x[i], y[j], ".", color="black", markersize=2.5)
        panel.set_facecolor(LIGHT)  # where there are no data of both models
        panel.set(xlabel=found.states[0], ylabel=found.states[1], title=f"d{found.states[d]}/dt, first minus second")
        panel.title.set_fontsize("medium")
    return flat[:2]


def _design_starts(plan: Any, ax: Any) -> Any:
    """Draws the reduction by new starts, over one state or in the plane of the first two."""
    panel = _axes(ax, 1, 5.2, 4.2)[0]
    grid, names = plan.to_xarray(), plan._raw["states"]
    best = 100 * grid["reduction"].values.max(axis=1)
    chosen = [row[0] for row in plan._raw["batch"] if row[0] is not None]
    if len(names) == 1:
        x, y = grid[names[0]].values, best
        panel.plot(x, y, "o", color=BLUE, markersize=4)
        panel.set(xlabel=names[0], ylabel="expected reduction of variance (%)")
    else:
        x, y = grid[names[0]].values, grid[names[1]].values
        shades = panel.scatter(x, y, c=best, cmap="Blues", vmin=0, edgecolors=LIGHT, s=50)
        panel.figure.colorbar(shades, ax=panel, label="expected reduction of variance (%)", fraction=0.046, pad=0.03)
        panel.set(xlabel=names[0], ylabel=names[1])
    for n, k in enumerate(chosen, 1):
        panel.plot([x[k]], [y[k]], "o", color="black", fillstyle="none", markersize=10)
        panel.annotate(str(n), (x[k], y[k]), xytext=(0, 7), textcoords="offset points", ha="center", fontsize="small")
    _tidy(panel)
    return panel


def design(plan: Any, ax: Any = None) -> Any:
    """Draws the expected reduction over the candidate times or starts, and the chosen batch."""
    if len(plan._raw["starts"]):
        return _design_starts(plan, ax)
    panel = _axes(ax, 1, 6.4, 3.6)[0]
    grid, batch = plan.to_xarray(), plan.batch
    colours = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY)
    for k, channel in enumerate(grid["channel"].values):
        panel.plot(grid["time"].values, 100 * grid["reduction"].values[:, k], color=colours[k % 6], linewidth=1.4,
                   label="all channels" if channel == "all" else str(channel))
    best = batch if len(batch) > 1 else plan.ranked.head(1)
    values = dict(zip(zip(plan.to_pandas().index, plan.to_pandas()["channel"]), 100 * plan.to_pandas()["reduction"]))
    for n, (time, channel) in enumerate(zip(best.index, best["channel"]), 1):
        height = values[(time, channel)]
        panel.plot([time], [height], "o", color="black", markersize=4, label="chosen" if n == 1 else None)
        panel.annotate(str(n), (time, height), xytext=(0, 5), textcoords="offset points", ha="center", fontsize="small")
    panel.set(xlabel=plan._axis.label, ylabel="expected reduction of variance (%)")
    panel.set_ylim(bottom=0)
    panel.legend(frameon=False, fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncol=6)
    _tidy(panel)
    return panel


def explanation(found: Any, ax: Any = None) -> Any:
    """Draws the probability of each term, a row per equation, with the coefficient of those that were chosen."""
    grid = found.to_xarray()
    states, terms = [str(s) for s in grid["state"].values], [str(t) for t in grid["term"].values]
    panel = _axes(ax, 1, max(4.8, 0.62 * len(terms) + 1.6), 0.62 * len(states) + 1.3)[0]
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("probability", ["white", BLUE])
    panel.imshow(grid["probability"].values, cmap=colours, vmin=0, vmax=1.3, aspect="auto")
    for i in range(len(states)):
        for k in range(len(terms)):
            if bool(grid["chosen"].values[i, k]):
                panel.text(k, i, f"{grid['coefficient'].values[i, k]:.3g}", ha="center", va="center", fontsize="small")
    panel.set_xticks(range(len(terms)), terms, rotation=45, ha="right")
    panel.set_yticks(range(len(states)), [f"d{s}/dt" for s in states])
    panel.set_title("probability of each term, and coefficients of the formula", fontsize="medium")
    return panel


def ranking(found: Any, ax: Any = None) -> Any:
    """Draws the errors of learnt models and simple forecasts as bars, the best at the top."""
    frame = found.to_pandas()
    frame = frame[np.isfinite(frame["error"])]
    panel = _axes(ax, 1, 5.6, 0.35 * len(frame) + 1.2)[0]
    names: Sequence[str] = list(frame.index)
    panel.barh(range(len(names)), frame["error"], color=[BLUE if learnt else LIGHT for learnt in frame["learnt"]])
    panel.set_yticks(range(len(names)), names)
    panel.invert_yaxis()
    panel.set_xlabel("error of the forecast over the spread")
    _tidy(panel)
    return panel
