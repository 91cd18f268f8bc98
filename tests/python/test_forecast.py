"""Tests of forecasts with labels, and of the objects that hold them."""
import copy
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import solve_ivp

import gpode


def test_draws_are_not_copied(model):
    forecast = model.forecast(until=14, points=1000, draws=128)
    assert forecast.draws.shape == (128, 1000, 2)
    assert not forecast.draws.flags.owndata and not forecast.draws.flags.writeable
    assert np.shares_memory(forecast.draws, forecast.draws)
    assert np.shares_memory(forecast.draws, forecast.to_xarray()["draws"].values)
    tracemalloc.start()
    for _ in range(3):
        assert forecast.draws.size == 256000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000
    draws = forecast.draws
    del forecast
    assert np.isfinite(draws).all()  # the memory lives as long as the array


def test_tables_have_labels(model, two):
    forecast = model.forecast(until=10, points=5, bands=[0.5, 0.9])
    frame = forecast.to_pandas()
    assert list(frame.columns)[:6] == ["x1_mean", "x1_q5", "x1_q25", "x1_q50", "x1_q75", "x1_q95"]
    assert frame.index.name == "time" and frame.index[-1] == 10
    assert np.allclose(frame["x1_mean"], forecast.draws[:, :, 0].mean(axis=0))
    assert np.allclose(frame["x2_q50"], np.median(forecast.draws[:, :, 1], axis=0))
    assert np.allclose(forecast.band(0.9)[0][:, 1], np.quantile(forecast.draws[:, :, 1], 0.05, axis=0))
    dataset = forecast.to_xarray()
    assert dict(dataset.sizes) == {"draw": 128, "time": 5, "channel": 2, "quantile": 5}
    assert dataset["quantiles"].sel(quantile=0.5, channel="x2", time=10).item() == frame["x2_q50"].iloc[-1]
    both = two.forecast(until=9, points=4)
    assert both.names == ["1", "2"] and both["2"].name == both[1].name
    assert both.to_pandas().index.names == ["trajectory", "time"] and len(both.to_pandas()) == 8
    assert both.to_xarray().sizes["trajectory"] == 2
    with pytest.raises(KeyError):
        both["3"]


def test_imputation(two):
    first, second = two.impute(np.linspace(0, 7, 4))
    frame = first.to_pandas()
    assert not frame.isna().any().any()
    assert len(first.to_pandas(only_gaps=True)) == first.missing.any(axis=1).sum()
    seen = two.data.values(0)
    kept = np.isin(first.times, two.data.times(0))
    assert np.array_equal(first.values[kept][~np.isnan(seen)], seen[~np.isnan(seen)])
    assert (first.lower[first.missing] < first.upper[first.missing]).all()
    assert second.to_xarray()["values"].shape == second.values.shape


def test_scipy_follows_draws(model):
    times = np.linspace(0, 7, 15)
    forecast = model.forecast(times=times, start="initial", states=True, draws=3)
    for i in range(3):
        draw = model.draw_field(i)
        path = solve_ivp(draw, (0, 7), forecast.draws[i, 0], t_eval=times, rtol=1e-9, atol=1e-9)
        assert np.allclose(path.y.T, forecast.draws[i], atol=1e-3)
    stiff = solve_ivp(model.mean_field(), (0, 1), [1.0, 0.0], jac=model.mean_field().jacobian, method="Radau")
    assert stiff.success


def test_pickle_and_copy(model, tmp_path):
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other == model
        assert np.array_equal(other.forecast(until=9).draws, model.forecast(until=9).draws)
    assert model != gpode.fit(gpode.simulate("vdp", noise=0.05), posterior="blocks", steps=20, progress=False)
    with pytest.raises(ValueError):
        gpode._gpode.Model.from_bytes(b"not a model")


def test_what_people_see(model, two):
    text = str(model.summary())
    assert "learnt by" in text and "x1" in text and "explained" in text
    assert "x1" in repr(model) and "draws" in repr(model.forecast())
    for thing in (model, model.summary(), model.forecast(), two.forecast(), two.impute()[0]):
        assert thing._repr_html_().startswith("<div>")
    assert "<svg" in model._repr_html_()
    assert "%" in repr(model.score(model.data))
    assert model.quality().loc["x1", "explained"] > 0.5
    assert list(model.noise.index) == ["x1", "x2"] and model.lengthscales.shape == (2, 2)
    assert model.history["bound"].iloc[-1] > model.history["bound"].iloc[0]


def test_report(model, tmp_path):
    if not hasattr(gpode._gpode, "report_page"):
        pytest.skip("built without report pages")
    model.report(tmp_path / "r.html", title="A title")
    page = (tmp_path / "r.html").read_text()
    assert page.startswith("<!doctype html>") or "<html" in page[:500]
    assert "A title" in page
    assert "iframe" in model.report()._repr_html_()
    assert '"insight":' not in page
    model.report(tmp_path / "more.html", draws=8, include=["dynamics", "equations"])
    assert '"id":"dynamics"' in (tmp_path / "more.html").read_text() and '"id":"design"' not in (tmp_path / "more.html").read_text()
    with pytest.raises(ValueError, match="report: include has 'colours', must be of dynamics, equations, design"):
        model.report(include="colours")


def test_inference_data(model):
    groups = model.to_inference_data(draws=8)
    posterior = groups["posterior"] if isinstance(groups, dict) else groups.posterior
    assert posterior["field"].dims == ("chain", "draw", "point", "state")
    sampled = gpode.fit(gpode.simulate("vdp", points=12, noise=0.05), posterior="joint", inducing=6, features=32,
                        sampler_draws=16, progress=False)
    assert sampled.is_sampled and sampled.finished is not None
    groups = sampled.to_inference_data(draws=8)
    posterior = groups["posterior"] if isinstance(groups, dict) else groups.posterior
    assert posterior["lengthscales"].shape[2:] == (2, 2)
    assert np.allclose(posterior["lengthscales"].mean(("chain", "draw")), sampled.parameters["lengthscales"])
    predictive = groups["posterior_predictive"] if isinstance(groups, dict) else groups.posterior_predictive
    assert predictive["y"].dims == ("chain", "draw", "time", "channel")


def test_options_come_from_the_library():
    names = {option.name for option in gpode.options()}
    assert {"inducing", "solver_rtol", "neural_hidden", "prior_noise"} <= names
    model = gpode.fit(gpode.simulate("vdp"), posterior="blocks", steps=20, solver_rtol=1e-5, shared_hyperparameters=True, progress=False)
    assert float(model.options["solver_rtol"]) == 1e-5
    assert model.options["shared_hyperparameters"] == "true"
    assert set(model.options) == names


def test_remarks_are_warnings():
    t = np.linspace(0, 7, 50)
    values = gpode.simulate("vdp", noise=0.05).values(0).copy()
    values[20] = 100
    with pytest.warns(gpode.GpodeWarning):
        gpode.fit((t, values), posterior="blocks", steps=50, progress=False)


def test_progress(capsys):
    seen = []
    gpode.fit(gpode.simulate("vdp"), posterior="blocks", steps=3000, patience=0, progress=lambda *a: seen.append(a))
    assert seen and seen[-1][0] == 3000 and seen[-1][1] == 3000

    def fails(*_):
        raise ZeroDivisionError("from progress")

    with pytest.raises(ZeroDivisionError, match="from progress"):
        gpode.fit(gpode.simulate("vdp"), posterior="blocks", progress=fails)
    gpode.fit(gpode.simulate("vdp"), posterior="blocks", steps=20)
    assert capsys.readouterr().out == ""
