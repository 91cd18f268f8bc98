"""What a model implies: dynamics, equations, differences, pushes, designs, comparisons of models."""
import json

import numpy as np
import pytest
import xarray as xr

import gpode

from conftest import FAST


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("insight") / "vdp.gpode"
    model.save(path)
    return path


@pytest.fixture(scope="module")
def room():
    """Returns data of a room that is heated by an input."""
    times = np.arange(0, 24.1, 0.5)
    heat = (times // 4 % 2)
    temp = [15.0]
    for h in heat[:-1]:
        temp.append(10 + 24 * h + (temp[-1] - 10 - 24 * h) * np.exp(-0.125))
    import pandas as pd

    frame = pd.DataFrame({"time": times, "temp": temp, "heat": heat})
    return gpode.fit(frame, inputs=["heat"], **FAST, progress=False)


def test_dynamics_are_those_of_the_command_line(model, saved, cli):
    found = model.analyse(draws=6, seed=3)
    there = json.loads(cli("analyse", saved, "--draws", 6, "--seed", 3, "--json", "-q"))
    assert len(found.fixed_points) == len(there["fixed_points"])
    for row, point in zip(found.fixed_points.itertuples(), there["fixed_points"]):
        assert (row.probability, row.stable) == (point["probability"], point["stable"])
        assert [row.x1, row.x1_lower, row.x1_upper] == list(point["place"][0].values())
    assert found.oscillation["probability"] == there["oscillation"]["probability"]
    np.testing.assert_array_equal(found.basins.values, np.array(there["basins"]["probabilities"]))
    assert list(found.ends) == list(there["ends"].values())
    assert [tuple(row) for row in found.lyapunov.itertuples(index=False)] == [
        tuple(band.values()) for band in there["lyapunov"]["exponents"]]


def test_dynamics_have_labels(model):
    found = model.analyse({"x1": (-3, 3)}, draws=4)
    assert list(found.region.loc["x1"]) == [-3, 3]
    assert isinstance(found.to_xarray(), xr.Dataset)
    assert set(found.fixed_point_draws.columns) == {"point", "x1", "x2", "stable"}
    assert found.counts.sum() == pytest.approx(1)
    assert len(found.eigenvalues) == 2 * len(found.fixed_points) == 2 * len(found.types)
    assert "oscillates" in str(found) and "oscillates" in found._repr_html_()


def test_a_sweep_has_an_analysis_for_each_value(room):
    sweep = room.sweep("heat", [0, 0.5, 1], draws=4, region={"temp": (0, 50)})
    table = sweep.to_pandas()
    assert list(table.index) == [0, 0.5, 1] and table.index.name == "heat"
    places = [sweep[i].fixed_points["temp"].iloc[0] for i in range(3)]
    assert places[0] < places[1] < places[2]
    with pytest.raises(ValueError, match="sweep: at has 'cold', must have inputs: heat"):
        room.sweep("cold", [0, 1])


def test_fields_with_inputs_are_held_at_values(room):
    cold, warm = room.field([[15.0]], at={"heat": 0})[0], room.field([[15.0]], at={"heat": 1})[0]
    assert cold[0, 0] < warm[0, 0]
    assert room.mean_field(at={"heat": 1})(0.0, [15.0])[0] == pytest.approx(warm[0, 0])
    one, other = (room.draw_field(2, at={"heat": h})(0.0, [15.0])[0] for h in (0, 1))
    assert one < other
    with pytest.raises(ValueError, match="field: at has 'cold', must have inputs: heat"):
        room.field([[15.0]], at={"cold": 1})


def test_explanations_are_those_of_the_command_line(model, saved, cli, tmp_path):
    found = model.explain(degree=2, draws=16, seed=2)
    there = json.loads(cli("explain", saved, "--degree", 2, "--draws", 16, "--seed", 2, "--json"))
    assert list(found.formulas.values()) == [e["formula"] for e in there["equations"]]
    assert list(found.to_pandas()["probability"]) == [t["probability"] for e in there["equations"] for t in e["terms"]]
    found.save(tmp_path / "vdp.ode")
    cli("explain", saved, "--degree", 2, "--draws", 16, "--seed", 2, "-o", tmp_path / "cli.ode", "-q")
    assert (tmp_path / "vdp.ode").read_text() == (tmp_path / "cli.ode").read_text()
    assert found.to_xarray()["probability"].sizes == {"state": 2, "term": 6}


def test_terms_of_ones_own(model, saved, cli, tmp_path):
    terms = ["x1", "x2", "x1^2*x2", "sin(x1) + 1"]
    (tmp_path / "terms.txt").write_text("# candidates\n" + "\n".join(terms) + "\n")
    found = model.explain(terms=terms, draws=16)
    there = json.loads(cli("explain", saved, "--terms", tmp_path / "terms.txt", "--draws", 16, "--json"))
    assert list(found.formulas.values()) == [e["formula"] for e in there["equations"]]
    assert found.to_pandas().loc["x1"].index.tolist() == ["x1", "x2", "x1^2*x2", "(sin(x1) + 1)"]
    assert model.explain(terms=tmp_path / "terms.txt", draws=16).formulas == found.formulas


@pytest.mark.parametrize("terms, message", [
    (["q*x1"], "terms:1: 'q' is not known"), (["x1 +"], "terms:1: the end of the line found"),
    (["x1", "x1"], "terms:2: term 'x1' is there twice"), ([], "terms has no terms, must have some"),
    (["gp(x1)"], "terms:1: term 'gp[(]x1[)]' must have numbers, functions and x1, x2 only"),
    (["t"], "terms:1: term 't' must have"), (["log(x1)"], "which is not finite along the model's paths")])
def test_bad_terms(model, terms, message):
    with pytest.raises(ValueError, match=message):
        model.explain(terms=terms, draws=8)


def test_differences_are_those_of_the_command_line(model, saved, cli, tmp_path):
    other = gpode.fit(gpode.simulate("vdp", noise=0.05, seed=5), **FAST, progress=False)
    other.save(tmp_path / "other.gpode")
    found = model.compare(other, draws=16)
    there = json.loads(cli("compare", saved, tmp_path / "other.gpode", "--draws", 16, "--json"))
    assert (found.share, found.chance) == (there["share_that_differs"], there["chance"])
    table = found.to_pandas()
    assert list(table["dx1_mean"]) == [p["difference"][0] for p in there["points"]]
    assert list(table["dx2_differs"]) == [p["differs"][1] for p in there["points"]]
    grid = found.to_xarray()
    row = table.iloc[37]
    assert float(grid["mean"].sel(x1=row["x1"], x2=row["x2"], component="dx2/dt", method=None)) == row["dx2_mean"]


def test_designs_are_those_of_the_command_line(model, saved, cli):
    found = model.design(batch=2, draws=32, each_channel=True, cost={"base": 1, "x1": 2})
    there = json.loads(cli("design", saved, "--batch", 2, "--draws", 32, "--each-channel", "--cost", "base=1,x1=2", "--json"))
    assert [tuple(c.values()) for c in there["batch"]] == list(found.batch.itertuples(name=None))
    assert list(found.to_pandas()["reduction"]) == [c["reduction"] for c in there["candidates"]]
    assert found.to_xarray()["cost"].sel(channel="x1").values[0] == 3
    assert [row[0] for row in found._raw["batch"]] == [None, None]
    assert len(model.design(times=[8.0, 9.0], window=[9.0, 10.0], draws=16, cost=lambda time, channel: time)._raw["ranked"]) == 2


def test_designs_of_new_starts_are_those_of_the_command_line(model, saved, cli):
    found = model.design(target="field", starts=[{"x1": 1, "x2": 0}, {"x1": -2, "x2": 3}], start_times=[0.5, 1.0], batch=2,
                         draws=32, cost={"base": 1, "start": 4})
    there = json.loads(cli("design", saved, "--target", "field", "--start", "x1=1,x2=0", "--start", "x1=-2,x2=3",
                           "--start-times", "0.5,1", "--batch", 2, "--draws", 32, "--cost", "base=1,start=4", "--json"))
    assert found.deviation == there["deviation"] and found.target == "field"
    assert list(found.to_pandas()["reduction"]) == [c["reduction"] for c in there["candidates"]]
    assert list(found.batch["x2"]) == [c["start"]["x2"] for c in there["batch"]]
    assert list(found.ranked["cost"]) == [6, 6]
    assert found.to_xarray()["reduction"].sizes == {"start": 2, "channel": 1}
    assert len(model.design(starts=3, draws=16).ranked) == 9
    assert "reduction" not in found.plot().get_ylabel()


def test_pushed_forecasts_are_those_of_the_command_line(model, saved, cli, tmp_path):
    import pandas as pd

    pushed = model.forecast(times=[7.0, 8.0, 9.0], draws=8, push={8.0: {"x1": 0.5}, 8.5: {"x2": -0.25}})
    cli("forecast", saved, "--times", "7,8,9", "--draws", 8, "--push", "x1=+0.5@t=8,x2=-0.25@t=8.5", "-o",
        tmp_path / "pushed.csv", "-q")
    there = pd.read_csv(tmp_path / "pushed.csv", float_precision="round_trip")
    np.testing.assert_array_equal(pushed.to_pandas()["x1_q50"], there["x1_q50"])
    plain = model.forecast(times=[7.0, 8.0, 9.0], draws=8)
    np.testing.assert_array_equal(pushed.draws[:, 0], plain.draws[:, 0])


def test_models_are_ranked_as_on_the_command_line(vdp, vdp_csv, cli):
    words = dict(models=["gpode", "npode"], steps=120, inducing=8)
    ranking = gpode.compare_models(vdp, **words, progress=False)
    there = json.loads(cli("compare-models", vdp_csv, "--models", "gpode,npode", "--iterations", 120, "--inducing", 8, "--json"))
    assert ranking.best == there["best"]
    assert list(ranking.to_pandas()["error"]) == [row["error"] for row in there["ranking"]]
    assert list(ranking.to_pandas().index) == [row["name"] for row in there["ranking"]]
    with pytest.raises(ValueError, match="compare_models: models has 'neither', must be of auto, joint"):
        gpode.compare_models(vdp, models=["neither"])


@pytest.mark.parametrize("call, message", [
    (lambda m: m.analyse({"y": (0, 1)}), "analyse: region has 'y', must be ranges of states: x1, x2"),
    (lambda m: m.analyse({"x1": (1, 0)}), "analyse: region of 'x1' is"), (lambda m: m.analyse({"x1": 3}), "must be two numbers"),
    (lambda m: m.analyse(at={"u": 1}), "analyse: at needs a model with inputs"),
    (lambda m: m.analyse(draws=0), "analyse: draws is 0"), (lambda m: m.analyse(level=2), "analyse: level is 2"),
    (lambda m: m.sweep("u", []), "sweep: values must be one or more finite numbers"),
    (lambda m: m.explain(degree=20), "the library has 231 terms, must have at most 60"),
    (lambda m: m.compare(3), "compare: other is int, must be a model"),
    (lambda m: m.design(cost={"z": 1}), "design: cost has 'z'"), (lambda m: m.design(times=[-1.0, 3.0]), "design: times begins at -1"),
    (lambda m: m.design(cost={"base": 0}), "design: cost must be positive"),
    (lambda m: m.design(target="colour"), "design: target is 'colour', must be"),
    (lambda m: m.design(starts=[[1.0]]), "design: starts must have a number for each state: x1, x2"),
    (lambda m: m.design(starts=[{"x1": 1}]), "design: starts must have a number for each state: x1, x2"),
    (lambda m: m.design(starts=2, start_times=[1, 0]), "design: start_times must be increasing"),
    (lambda m: m.forecast(push={-1: {"x1": 1}}), "forecast: a push comes before the trajectory begins"),
    (lambda m: m.forecast(push=[8]), "forecast: push is"), (lambda m: m.forecast(push={8: {"y": 1}}), "forecast: push has 'y'"),
    (lambda m: m.forecast(push={8: {"x1": 1}}, from_values=[1, 1]), "push cannot be combined with from_values")])
def test_bad_input_is_one_line(model, call, message):
    with pytest.raises(ValueError, match=message.replace("(", "[(]")) as caught:
        call(model)
    assert "\n" not in str(caught.value)


def test_ctrl_c_ends_an_analysis(model):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.analyse(draws=400, basins=False, threads=1, progress=stop)


def test_pictures(model, room):
    import matplotlib.pyplot as plt

    assert model.plot_dynamics(draws=4).get_xlabel() == "x1"
    assert model.plot_basins(draws=4).get_ylabel() == "x2"
    assert room.plot_bifurcation("heat", [0, 1], draws=2).get_xlabel() == "heat"
    assert len(model.plot_difference(model, draws=8)) == 2
    assert "reduction" in model.plot_design(draws=16, batch=2).get_ylabel()
    assert len(model.plot_terms(degree=1, draws=8).get_yticks()) == 2
    figure, ax = plt.subplots()
    assert model.plot_dynamics(ax, draws=2, basins=False) is ax
    plt.close("all")
