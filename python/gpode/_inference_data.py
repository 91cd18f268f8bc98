"""Posteriors in the groups that ArviZ knows."""
from __future__ import annotations

from typing import Any, Dict

import numpy as np

from . import _gpode


def _posterior(model: Any, draws: int, seed: int) -> Any:
    """Returns the posterior: all parameters of a sampled model, or else the field at the inducing points."""
    import xarray as xr

    sampled = model._raw.sampled_parameters()
    if sampled:
        rows = len(next(iter(sampled.values())))
        chains = model._raw.chains if rows % model._raw.chains == 0 else 1
        return xr.Dataset({name: (("chain", "draw") + tuple(f"{name}_dim_{i}" for i in range(values.ndim - 1)),
                                  values.reshape((chains, rows // chains) + values.shape[1:]))
                           for name, values in sampled.items()},
                          coords={"chain": np.arange(chains), "draw": np.arange(rows // chains)})
    places = model._raw.inducing_locations
    if not places.size:
        places = np.concatenate(model._raw.observed_states) if len(model.data) else model._raw.state_offset[None]
        places = places[np.isfinite(places).all(axis=1)][:64]
    field = np.stack([_gpode.draw_field(model._raw, seed, i).values(places) for i in range(draws)])
    return xr.Dataset({"field": (("chain", "draw", "point", "state"), field[None])},
                      coords={"chain": [0], "draw": np.arange(draws), "state": model.states,
                              "location": (("point", "state"), places)})


def groups(model: Any, draws: int, seed: int) -> Dict[str, Any]:
    """Returns the groups as xarray Datasets."""
    import xarray as xr

    result = {"posterior": _posterior(model, draws, seed)}
    data = model.data
    predictive, observed = {}, {}
    for n, name in enumerate(model.trajectories if len(data) else []):
        end = "" if len(data) == 1 else f"_{name}"
        forecast = model.forecast(times=data.times(n), trajectory=n, draws=draws, seed=seed)
        dims = (f"time{end}", "channel")
        coords = {f"time{end}": forecast._axis.values(forecast.times), "channel": model.channels}
        predictive[f"y{end}"] = xr.DataArray(forecast.draws[None], dims=("chain", "draw") + dims,
                                             coords={"chain": [0], "draw": np.arange(draws), **coords})
        observed[f"y{end}"] = xr.DataArray(data.values(n), dims=dims, coords=coords)
    if predictive:
        result["posterior_predictive"] = xr.Dataset(predictive)
        result["observed_data"] = xr.Dataset(observed)
    return result


def inference_data(model: Any, draws: int, seed: int) -> Any:
    """Returns an InferenceData, or the groups in a dict where ArviZ is missing."""
    parts = groups(model, draws, seed)
    try:
        import arviz
    except ImportError:
        return parts
    return arviz.InferenceData(**parts)
