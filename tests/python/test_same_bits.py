"""The same file, options and seed give the same bits in Python and on the command line."""
import json

import numpy as np
import pandas as pd
import pytest

import gpode

OPTIONS = {
    "default": ({}, []),
    "shooting": (dict(model="shooting", inducing=12, seed=3), ["--model", "shooting", "--inducing", "12", "--seed", "3"]),
    "kernel": (dict(kernel="se + linear", features=64, solver_rtol=1e-5), ["--kernel", "se + linear", "--features", "64",
                                                                          "--rtol", "1e-5"]),
    "neural": (dict(model="neural", neural_hidden=[8, 8]), ["--model", "neural", "--neural-hidden", "8,8"]),
    "holdout": (dict(holdout=0.2), ["--holdout", "0.2"]),
    "joint": (dict(posterior="joint", sampler_draws=20, inducing=6, features=32),
              ["--posterior", "joint", "--sampler-draws", "20", "--inducing", "6", "--features", "32"]),
    "hidden state": (dict(channels=["x1"], states=2, initial="gap"), ["--channels", "x1", "--states", "2", "--initial",
                                                                      "gap"]),
    "tolerance": (dict(model="shooting", tolerance=0.02, noise_variance=0.05), ["--model", "shooting", "--tolerance",
                                                                               "0.02", "--noise", "0.05"]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_models_are_equal(name, cli, vdp_csv, tmp_path):
    options, arguments = OPTIONS[name]
    cli("fit", vdp_csv, "-o", tmp_path / "cli.gpode", "--iterations", "200", "-q", *arguments)
    model = gpode.fit(vdp_csv, steps=200, progress=False, checkpoint=tmp_path / "run.gpode", **options)
    model.save(tmp_path / "python.gpode")
    expected = (tmp_path / "cli.gpode").read_bytes()
    assert (tmp_path / "python.gpode").read_bytes() == expected
    assert (tmp_path / "run.gpode").read_bytes() == expected
    frame = pd.read_csv(vdp_csv, float_precision="round_trip")
    if "channels" in options:
        frame = frame[["time", "x1"]]
        options = {key: value for key, value in options.items() if key != "channels"}
    from_frame = gpode.fit(frame, steps=200, threads=1, progress=False, **options)
    for key, values in model.parameters.items():
        assert np.array_equal(values, from_frame.parameters[key]), key


@pytest.fixture(scope="module")
def saved(two, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "two.gpode"
    two.save(path)
    return path


@pytest.mark.parametrize("options,arguments", [
    ({}, []),
    (dict(until=9, points=11, seed=5, draws=20), ["--until", "9", "--points", "11", "--seed", "5", "--draws", "20"]),
    (dict(bands=[0.5, 0.95], noise=True), ["--quantiles", "0.025,0.25,0.5,0.75,0.975", "--noise"]),
    (dict(start="initial", times=np.linspace(0, 7, 5)), ["--start", "initial", "--times", "0:7:5"]),
    (dict(states=True), ["--states"]),
    (dict(from_values={"x1": 2, "x2": 0}, until=3), ["--from", "x1=2,x2=0", "--until", "3"]),
])
def test_forecasts_are_equal(options, arguments, cli, saved, tmp_path):
    cli("forecast", saved, "-o", tmp_path / "f.csv", *arguments)
    expected = pd.read_csv(tmp_path / "f.csv", float_precision="round_trip")
    frame = gpode.load(saved).forecast(**options).to_pandas().reset_index()
    frame = frame.astype({c: expected[c].dtype for c in expected.columns if c == "trajectory"})
    assert list(frame.columns) == list(expected.columns)
    for column in expected.columns:
        assert np.array_equal(frame[column].to_numpy(), expected[column].to_numpy()), column


def test_imputations_are_equal(cli, saved, tmp_path):
    cli("impute", saved, "-o", tmp_path / "i.csv", "--times", "0:7:21", "--level", "0.8", "--trajectory", "2")
    expected = pd.read_csv(tmp_path / "i.csv", float_precision="round_trip")
    frame = gpode.load(saved).impute(gpode._gpode.regular_times(0, 7, 21), level=0.8, trajectory=1).to_pandas().reset_index()
    assert np.array_equal(frame["time"], expected["time"])
    for column in expected.columns[1:]:
        assert np.array_equal(frame[column].to_numpy(dtype=float), expected[column].to_numpy(dtype=float)), column


def test_fields_are_equal(cli, saved, tmp_path):
    cli("field", saved, "--grid", "x1=-2:2:5,x2=-2:2:4", "--draws", "2", "--jacobian", "--seed", "4", "-o",
        tmp_path / "f.csv")
    expected = pd.read_csv(tmp_path / "f.csv", float_precision="round_trip")
    points = expected[["x1", "x2"]].to_numpy()
    model = gpode.load(saved)
    mean, deviation = model.field(points)
    assert np.array_equal(mean, expected[["dx1_dt", "dx2_dt"]])
    assert np.array_equal(deviation, expected[["dx1_dt_sd", "dx2_dt_sd"]])
    assert np.array_equal(model.draw_field(1, seed=4)(0, points), expected[["dx1_dt_draw2", "dx2_dt_draw2"]])
    jacobian = model.mean_field().jacobian(0, points)
    assert np.array_equal(jacobian[:, 0, 1], expected["dx1_dt_by_x2"])
    assert np.array_equal(jacobian[3], model.mean_field().jacobian(0, points[3]))


@pytest.mark.parametrize("options,arguments", [
    ({}, []),
    (dict(after=2, until=6, start="latest", seed=2), ["--after", "2", "--until", "6", "--start", "latest", "--seed", "2"]),
    (dict(start="first-row", horizons=[0, 3, 7]), ["--start", "first-row", "--horizons", "0,3,7"]),
])
def test_scores_are_equal(options, arguments, cli, model, vdp_csv, tmp_path):
    model.save(tmp_path / "m.gpode")
    expected = json.loads(cli("score", tmp_path / "m.gpode", vdp_csv, "--json", *arguments))
    scores = model.score(vdp_csv, **options)
    frame = pd.read_csv(vdp_csv, float_precision="round_trip")
    for found in (scores, model.score(frame, **options)):
        assert all(found[key] == expected[key] for key in found if key != "horizons")
        assert found.get("horizons") == expected.get("horizons")


def test_files_of_the_command_line_are_read(cli, vdp_csv, tmp_path):
    cli("fit", vdp_csv, "-o", tmp_path / "m.gpode", "--iterations", "100", "-q")
    model = gpode.load(tmp_path / "m.gpode")
    assert model.channels == ["x1", "x2"] and model.options["steps"] == "100"
    model.save(tmp_path / "again.gpode")
    assert (tmp_path / "again.gpode").read_bytes() == (tmp_path / "m.gpode").read_bytes()


def test_simulations_are_equal(cli, tmp_path):
    cli("simulate", "lotka-volterra", "--noise", "0.01", "--points", "30", "--seed", "7", "-o", tmp_path / "lv.csv")
    expected = pd.read_csv(tmp_path / "lv.csv", float_precision="round_trip")
    data = gpode.simulate("lotka-volterra", noise=0.01, points=30, seed=7)
    assert np.array_equal(data.values(0), expected.iloc[:, 1:])
