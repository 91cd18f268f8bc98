"""What notebooks show of models and forecasts."""
from __future__ import annotations

import base64
from html import escape
from typing import Any, Sequence

import numpy as np

_BLUE, _SKY, _DOT = "#0072b2", "#56b4e9", "#333"


def _points(x: np.ndarray, y: np.ndarray) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y) if np.isfinite(a) and np.isfinite(b))


def sparkline(times: np.ndarray, median: np.ndarray, low: np.ndarray, high: np.ndarray,
              seen: "tuple[np.ndarray, np.ndarray] | None" = None, width: int = 260, height: int = 42) -> str:
    """Returns a small picture of one channel: a band, its median, and observations, as SVG."""
    parts: Sequence[np.ndarray] = [low, high] + ([seen[1]] if seen is not None else [])
    every = np.concatenate([p[np.isfinite(p)] for p in parts])
    if every.size == 0 or len(times) < 2:
        return ""
    bottom, top = float(every.min()), float(every.max())
    begin = min(float(times[0]), float(seen[0][0]) if seen is not None and len(seen[0]) else float(times[0]))
    end = float(times[-1])

    def x(t: np.ndarray) -> np.ndarray:
        return 2 + (width - 4) * (np.asarray(t) - begin) / max(end - begin, 1e-300)

    def y(v: np.ndarray) -> np.ndarray:
        return height - 3 - (height - 6) * (np.asarray(v) - bottom) / max(top - bottom, 1e-300)

    thin = slice(None, None, max(1, len(times) // 200))
    t = x(times[thin])
    band = _points(np.concatenate([t, t[::-1]]), np.concatenate([y(low[thin]), y(high[thin])[::-1]]))
    dots = ""
    if seen is not None:
        some = slice(None, None, max(1, len(seen[0]) // 120))
        dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="1.3" fill="{_DOT}"/>'
                       for a, b in zip(x(seen[0][some]), y(seen[1][some])) if np.isfinite(b))
    return (f'<svg width="{width}" height="{height}" role="img"><polygon points="{band}" fill="{_SKY}" opacity="0.45"/>'
            f'<polyline points="{_points(t, y(median[thin]))}" fill="none" stroke="{_BLUE}" stroke-width="1.4"/>'
            f'{dots}</svg>')


def _rows(cells: Any) -> str:
    return "".join("<tr>" + "".join(f'<td style="text-align:left">{c}</td>' for c in row) + "</tr>" for row in cells)


def forecast_html(forecast: Any, most: int = 6) -> str:
    """Returns a table with a sparkline of every channel."""
    low, high = forecast.band(max(forecast.bands, default=0.9))
    median = forecast.quantile(0.5)
    seen = None
    if forecast._model is not None and forecast._trajectory is not None and forecast.channels == forecast._model.channels:
        data = forecast._model.data
        seen = (data.times(forecast._trajectory), data.values(forecast._trajectory)) if len(data) else None
    cells = []
    for c, channel in enumerate(forecast.channels[:most]):
        own = None if seen is None else (seen[0], seen[1][:, c])
        cells.append((escape(channel), sparkline(forecast.times, median[:, c], low[:, c], high[:, c], own)))
    more = f"<p>... and {len(forecast.channels) - most} more channels</p>" if len(forecast.channels) > most else ""
    return f"<div><p>{escape(repr(forecast)[1:-1])}</p><table>{_rows(cells)}</table>{more}</div>"


def model_html(model: Any) -> str:
    """Returns the facts of a model and a sparkline of each channel's fit and forecast."""
    facts = [(f"<b>{escape(name)}</b>", escape(value)) for name, value in model._raw.facts]
    pictures = ""
    if len(model.data) and (model.finished or model.is_sampled):
        begin, end = model._raw.start_times[0], model._raw.end_times[0]
        times = np.linspace(begin, end + 0.5 * (end - begin), 121)
        forecast = model.forecast(times=times, trajectory=0, draws=64)
        pictures = forecast_html(forecast, most=4)
    return f"<div><table>{_rows(facts)}</table>{pictures}</div>"


def summary_html(summary: Any) -> str:
    """Returns a summary as tables."""
    facts = [(f"<b>{escape(name)}</b>", escape(value)) for name, value in summary.facts]
    channels = "" if summary.channels is None else summary.channels.to_html(float_format="{:.4g}".format)
    held = "" if summary.holdout is None else summary.holdout.to_html(index=False, float_format="{:.4g}".format)
    notes = f"<p>bands: {escape(summary.verdict)}</p>" if summary.verdict else ""
    notes += "".join(f"<p>note: {escape(remark)}</p>" for remark in summary.remarks)
    return f"<div><table>{_rows(facts)}</table>{channels}{held}{notes}</div>"


class Page:
    """A report page: shown inline in a notebook, or as text."""

    def __init__(self, html: str):
        self.html = html

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.html.encode()).decode()
        return f'<iframe src="data:text/html;base64,{data}" width="100%" height="700" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<gpode report page, {len(self.html) / 1e6:.1f} MB; model.report('report.html') writes it to a file>"
