"""Pictures with Matplotlib, in the colours of ``gpode plot``. Every function takes axes and returns them."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

# Okabe and Ito's palette, which colour-blind readers can tell apart.
BLUE, SKY, VERMILLION, GREEN, GREY, LIGHT, DARK = ("#0072b2", "#56b4e9", "#d55e00", "#009e73", "#666666", "#dbdbdb",
                                                   "#595959")


def _axes(ax: Any, count: int = 1, width: float = 6.4, height: float = 4.0) -> Any:
    """Returns the axes that were given, or new ones below each other."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(count, 1, sharex=True, squeeze=False, figsize=(width, max(height, 1.9 * count)),
                             constrained_layout=True)
        ax = ax[:, 0]
    flat = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(flat) < count:
        raise ValueError(f"plot: {len(flat)} axes for {count} channels, must be as many")
    return flat


def _whole_ticks(panel: Any, model: Any) -> None:
    """Labels a time axis at whole numbers if the data have whole times, such as years."""
    from matplotlib.ticker import MaxNLocator

    data = None if model is None else model.data
    if data is None or not len(data) or data.calendar is not None:
        return
    times = data.times(0)
    if len(times) > 1 and np.array_equal(times, np.round(times)):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tidy(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def forecast(forecast: Any, ax: Any = None, *, channels: Optional[Sequence[str]] = None, draws: int = 0,
             bands: Optional[Sequence[float]] = None, noise: Optional[bool] = None, test: Any = None,
             label: bool = True) -> Any:
    """Draws bands, median, data and, if there are any, test data of every channel."""
    shown = list(channels) if channels is not None else forecast.channels[:6]
    unknown = [c for c in shown if c not in forecast.channels]
    if unknown:
        raise ValueError(f"plot: channels has {unknown[0]!r}, must be among {', '.join(forecast.channels[:10])}")
    flat = _axes(ax, len(shown))
    axis, times = forecast._axis, forecast._axis.values(forecast.times)
    levels = sorted(forecast.bands if bands is None else bands, reverse=True)
    ends = [forecast.band(level, noise) for level in levels]
    median = forecast.quantile(0.5, noise)
    model, n = forecast._model, forecast._trajectory
    data = model.data if model is not None and n is not None and forecast.channels == model.channels else None
    tests = None if test is None or model is None else model._tests(test, None, axis, {})
    for panel, channel in zip(flat, shown):
        c = forecast.channels.index(channel)
        for i, (level, (low, high)) in enumerate(zip(levels, ends)):
            colour = SKY if i < len(levels) - 1 or len(levels) == 1 else BLUE
            panel.fill_between(times, low[:, c], high[:, c], color=colour, alpha=0.35, linewidth=0,
                               label=f"{100 * level:g} % band")
        for i in range(min(draws, len(forecast.draws))):
            panel.plot(times, forecast.draws[i, :, c], color=GREY, linewidth=0.5, alpha=0.7,
                       label="draws" if i == 0 else None)
        panel.plot(times, median[:, c], color=BLUE, linewidth=1.6, label="median")
        if data is not None and len(data):
            panel.plot(axis.values(data.times(n)), data.values(n)[:, c], "o", color="black", markersize=2.6,
                       label="data")
        if tests is not None:
            which = min(n, len(tests) - 1)
            panel.plot(axis.values(tests.times(which)), tests.values(which)[:, c], "o", markerfacecolor="none",
                       color=VERMILLION, markersize=3.6, label="test data")
        if forecast.end is not None and forecast.times[-1] > forecast.end:
            panel.axvline(axis.values(np.array([forecast.end]))[0], color=GREY, linewidth=0.8, linestyle=(0, (3, 2)))
        panel.set_ylabel(channel)
        _whole_ticks(panel, model)
        _tidy(panel)
    flat[len(shown) - 1].set_xlabel(axis.label)
    if label:
        flat[0].legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=5, frameon=False, fontsize="small",
                       handlelength=1.4, columnspacing=1.2)
    return flat[0] if len(shown) == 1 else flat[:len(shown)]


def model_forecast(model: Any, until: Any = None, ax: Any = None, *, trajectory: Any = 0,
                   channels: Optional[Sequence[str]] = None, bands: Sequence[float] = (0.5, 0.95), noise: bool = False,
                   draws: int = 128, shown_draws: int = 0, seed: int = 1, points: int = 301, test: Any = None) -> Any:
    """Draws a trajectory from its first observation to the end of its forecast."""
    n = model._index_of(trajectory, "plot_forecast")
    begin, end = model._raw.start_times[n], model._raw.end_times[n]
    span = end - begin if end > begin else 1.0
    last = end + 0.5 * span if until is None else model._axis.number(until, "plot_forecast", "until")
    if not last > begin:
        raise ValueError(f"plot_forecast: until is {last:g}, must be after {begin:g}, where the data begin")
    made = model.forecast(times=np.linspace(begin, last, points), trajectory=n, bands=bands, noise=noise, draws=draws,
                          seed=seed)
    return forecast(made, ax, channels=channels, draws=shown_draws, test=test)


def _plane(model: Any, states: Optional[Sequence[str]], resolution: int, margin: float) -> Tuple[Any, ...]:
    """Returns two states, the ranges of their axes, and the points of a grid over them."""
    names = model.states
    if len(names) < 2:
        raise ValueError(f"plot: the model has {len(names)} state, a plane needs 2")
    chosen = list(states) if states is not None else names[:2]
    unknown = [s for s in chosen if s not in names]
    if unknown or len(chosen) != 2:
        raise ValueError(f"plot: states is {chosen}, must be two of {', '.join(names[:10])}")
    i, j = (names.index(s) for s in chosen)
    middle = model._raw.state_offset
    seen = model._raw.observed_states
    seen = np.concatenate(seen) if seen else middle[None] + np.array([[-1.0], [1.0]])
    paths = [model.forecast(times=np.linspace(s, e, 201), trajectory=n, states=True, draws=64).median
             for n, (s, e) in enumerate(zip(model._raw.start_times, model._raw.end_times)) if n < 6]
    every = np.concatenate([seen] + paths)
    axes = []
    for k in (i, j):
        low, high = np.nanmin(every[:, k]), np.nanmax(every[:, k])
        width = (high - low) or 1.0
        axes.append(np.linspace(low - margin * width, high + margin * width, resolution))
    x, y = np.meshgrid(*axes)
    points = np.tile(middle, (x.size, 1))
    points[:, i], points[:, j] = x.ravel(), y.ravel()
    return chosen, i, j, axes, x, y, points, seen, paths


def _uncertainty(ax: Any, axes: Any, deviation: np.ndarray, speed: np.ndarray, shape: Any) -> Any:
    """Shades the field's standard deviation relative to its typical size."""
    share = (np.linalg.norm(deviation, axis=1) / max(float(np.median(speed)), 1e-300)).reshape(shape)
    mesh = ax.imshow(share, cmap="Greys", vmin=0, vmax=max(1.0, float(np.quantile(share, 0.95))), alpha=0.55,
                     extent=(axes[0][0], axes[0][-1], axes[1][0], axes[1][-1]), origin="lower", aspect="auto",
                     interpolation="bilinear")
    ax.figure.colorbar(mesh, ax=ax, label="sd of the field / its median size", fraction=0.046, pad=0.03)
    return mesh


def phase(model: Any, ax: Any = None, *, states: Optional[Sequence[str]] = None, resolution: int = 60,
          margin: float = 0.15, density: float = 1.1) -> Any:
    """Draws streamlines of the mean field, its uncertainty, the data and the learnt paths."""
    panel = _axes(ax, 1, 6.4, 4.8)[0]
    names, i, j, axes, x, y, points, seen, paths = _plane(model, states, resolution, margin)
    mean, deviation = model.field(points)
    _uncertainty(panel, axes, deviation, np.linalg.norm(mean, axis=1), x.shape)
    panel.streamplot(*axes, mean[:, i].reshape(x.shape), mean[:, j].reshape(x.shape), color=DARK, linewidth=0.6,
                     density=density, arrowsize=0.7)
    for n, path in enumerate(paths):
        panel.plot(path[:, i], path[:, j], color=BLUE, linewidth=1.8, label="path" if n == 0 else None)
    panel.plot(seen[:, i], seen[:, j], "o", color="black", markersize=2.6, label="data")
    inducing = model._raw.inducing_locations
    if inducing.size:
        panel.plot(inducing[:, i], inducing[:, j], "D", color=GREEN, markersize=3.4, label="inducing points")
    panel.set(xlabel=names[0], ylabel=names[1], xlim=(axes[0][0], axes[0][-1]), ylim=(axes[1][0], axes[1][-1]))
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=3, frameon=False, fontsize="small")
    return panel


def field(model: Any, ax: Any = None, *, states: Optional[Sequence[str]] = None, arrows: int = 15,
          margin: float = 0.15) -> Any:
    """Draws arrows of the mean field over its uncertainty."""
    panel = _axes(ax, 1, 6.4, 4.8)[0]
    names, i, j, axes, x, y, points, _, _ = _plane(model, states, 50, margin)
    mean, deviation = model.field(points)
    _uncertainty(panel, axes, deviation, np.linalg.norm(mean, axis=1), x.shape)
    names, i, j, axes, x, y, points, seen, _ = _plane(model, states, arrows, margin)
    mean, _ = model.field(points)
    panel.quiver(x.ravel(), y.ravel(), mean[:, i], mean[:, j], angles="xy", width=0.0028, pivot="mid")
    panel.plot(seen[:, i], seen[:, j], "o", color=BLUE, markersize=2.6)
    panel.set(xlabel=names[0], ylabel=names[1], xlim=(axes[0][0], axes[0][-1]), ylim=(axes[1][0], axes[1][-1]))
    return panel


def training(model: Any, ax: Any = None) -> Any:
    """Draws the bound by step, a line for each phase of training."""
    history = model.history
    if not len(history):
        raise ValueError("plot_training: the model has no history of training; a sampler has none")
    panel = _axes(ax, 1)[0]
    for shooting, colour, name in ((True, VERMILLION, "shooting"), (False, BLUE, "whole trajectories")):
        part = history[history["shooting"] == shooting]
        if len(part):
            panel.plot(part.index, part["bound"], color=colour, linewidth=1.1, label=name)
    later = history["bound"].iloc[len(history) // 20:]
    low, high = later.quantile(0.02), later.max()
    panel.set(xlabel="step", ylabel="bound", ylim=(low - 0.1 * (high - low or 1), high + 0.1 * (high - low or 1)))
    panel.legend(frameon=False, loc="lower right")
    _tidy(panel)
    return panel


def calibration(model: Any, test: Any = None, ax: Any = None, *, time: Any = None, start: str = "initial",
                draws: int = 128, seed: int = 1) -> Any:
    """Draws the share of observations inside bands against the level of the bands."""
    panel = _axes(ax, 1, 4.6, 4.4)[0]
    with_noise, without = model.pit(test, time, start=start, draws=draws, seed=seed)
    if not with_noise.size:
        raise ValueError("plot_calibration: no observation to compare with, must have some")
    levels = np.linspace(0, 1, 101)
    error = 1.96 * np.sqrt(levels * (1 - levels) / with_noise.size)
    panel.fill_between(levels, levels - error, levels + error, color=LIGHT, linewidth=0, label="95 % range if calibrated")
    panel.plot(levels, levels, color=GREY, linewidth=0.8)
    for values, style in ((without, dict(color=VERMILLION, linestyle=(0, (5, 2)), label="bands without noise")),
                          (with_noise, dict(color=BLUE, label="bands with noise"))):
        inside = (np.abs(2 * values[None] - 1) <= levels[:, None]).mean(axis=1)
        panel.plot(levels, inside, linewidth=1.5, **style)
    panel.set(xlabel="nominal level", ylabel=f"coverage of {with_noise.size} values", xlim=(0, 1), ylim=(0, 1.02))
    panel.legend(frameon=False, loc="upper left", fontsize="small")
    _tidy(panel)
    return panel
