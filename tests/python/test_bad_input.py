"""Bad input is a ValueError of one line, never a crash."""
import os

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import gpode

T = np.linspace(0, 1, 6)
Y = np.column_stack([np.sin(T), np.cos(T)])
FRAME = pd.DataFrame(Y, columns=["a", "b"]).assign(time=T)
ZONES = [pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-01-02", tz="Europe/Paris")] * 3

DATA = {
    "None": lambda: gpode.fit(None),
    "a number": lambda: gpode.fit(3.0),
    "an empty list": lambda: gpode.fit([]),
    "an empty dict": lambda: gpode.fit({}),
    "an empty frame": lambda: gpode.fit(pd.DataFrame({"time": [], "a": []})),
    "an empty array": lambda: gpode.fit(np.empty((0, 2)), time=[]),
    "no channel": lambda: gpode.fit(FRAME[["time"]]),
    "a vector": lambda: gpode.fit(T),
    "four dimensions": lambda: gpode.fit(np.zeros((2, 2, 2, 2)), time=[0, 1]),
    "no time": lambda: gpode.fit(FRAME.drop(columns="time")),
    "an unknown time": lambda: gpode.fit(FRAME, time="Year"),
    "an unknown channel": lambda: gpode.fit(FRAME, channels=["c"]),
    "too few times": lambda: gpode.fit(Y, time=T[:3]),
    "too few channels": lambda: gpode.fit(Y, time=T, channels=["a"]),
    "objects": lambda: gpode.fit(np.array([[object()] * 2] * 6), time=T),
    "ragged": lambda: gpode.fit([(T, Y), (T, Y[:, :1])]),
    "text": lambda: gpode.fit(FRAME.assign(b="x")),
    "complex": lambda: gpode.fit(Y * 1j, time=T),
    "unsorted": lambda: gpode.fit(Y, time=T[::-1]),
    "duplicates": lambda: gpode.fit(Y, time=np.r_[T[:5], T[4]]),
    "infinite": lambda: gpode.fit(np.where(Y > 0.9, np.inf, Y), time=T),
    "infinite time": lambda: gpode.fit(Y, time=np.r_[T[:5], np.inf]),
    "missing time": lambda: gpode.fit(Y, time=np.r_[T[:5], np.nan]),
    "all missing": lambda: gpode.fit(Y * np.nan, time=T),
    "one channel missing": lambda: gpode.fit(Y * [1, np.nan], time=T),
    "constant": lambda: gpode.fit(Y * [1, 0], time=T),
    "one row": lambda: gpode.fit(Y[:1], time=T[:1]),
    "huge values": lambda: gpode.fit(Y * 1e200, time=T),
    "mixed zones": lambda: gpode.fit(pd.DataFrame({"time": ZONES, "a": T})),
    "dates and numbers": lambda: gpode.fit([(T, Y), (pd.date_range("2020", periods=6), Y)]),
    "missing dates": lambda: gpode.fit(Y, time=pd.DatetimeIndex(["2020-01-01", None, None, None, None, "2020-01-03"])),
    "text times": lambda: gpode.fit(Y, time=list("abcdef")),
    "two equal columns": lambda: gpode.fit(pd.DataFrame(np.c_[T, Y], columns=["time", "a", "a"])),
    "other channels": lambda: gpode.fit([FRAME, FRAME.rename(columns={"a": "c"})]),
    "a multiindex": lambda: gpode.fit(FRAME.drop(columns="time").set_index(pd.MultiIndex.from_arrays([T, T]))),
    "no time dimension": lambda: gpode.fit(xr.DataArray(Y, dims=("x", "y"))),
    "no such file": lambda: gpode.fit("no such file.csv"),
    "validation": lambda: gpode.fit(FRAME, validation=(T, Y[:, :1])),
}
OPTIONS = {
    "inducing": dict(inducing=0), "steps": dict(steps=-1), "kernel": dict(kernel="square"), "rate": dict(learning_rate="x"),
    "model": dict(model="gpod"), "model 3": dict(model=3), "states": dict(states=1), "observe": dict(observe="x"),
    "observe shape": dict(observe=np.ones((3, 2))), "observe vector": dict(observe=[1, 2]), "pca": dict(observe="pca"),
    "holdout": dict(holdout=1.5), "holdout text": dict(holdout="x"), "both": dict(holdout=0.2, holdout_after=0.5),
    "after": dict(holdout_after=99), "initial": dict(initial="last"), "late": dict(initial=0.5),
    "noise": dict(noise_variance=-1), "threads": dict(threads=-1), "seed": dict(seed=-1), "method": dict(solver_method="x"),
    "hidden": dict(neural_hidden=[0]), "array": dict(inducing=[1, 2]), "seconds": dict(checkpoint_seconds=-1),
    "nan": dict(learning_rate=float("nan")), "many": dict(features=10**9), "folder": dict(checkpoint="/no/such/folder/x"),
}
CALLS = {
    "until": lambda m: m.forecast(until=1), "until text": lambda m: m.forecast(until="x"),
    "until nan": lambda m: m.forecast(until=float("nan")), "until inf": lambda m: m.forecast(until=float("inf")),
    "points": lambda m: m.forecast(points=1), "draws": lambda m: m.forecast(draws=0),
    "draws float": lambda m: m.forecast(draws=1.5), "huge": lambda m: m.forecast(points=10**7, draws=10**6),
    "huger": lambda m: m.forecast(points=10**14), "bands": lambda m: m.forecast(bands=[1.5]),
    "times": lambda m: m.forecast(times=[3, 1]), "times nan": lambda m: m.forecast(times=[1, np.nan]),
    "times 2d": lambda m: m.forecast(times=[[1, 2]]), "times text": lambda m: m.forecast(times="x"),
    "times number": lambda m: m.forecast(times=3), "dates": lambda m: m.forecast(times=pd.date_range("2020", periods=2)),
    "both": lambda m: m.forecast(until=9, times=[9]), "start": lambda m: m.forecast(start="x"),
    "trajectory": lambda m: m.forecast(trajectory="x"), "trajectory 1": lambda m: m.forecast(trajectory=1),
    "from": lambda m: m.forecast(from_values=[1]), "from name": lambda m: m.forecast(from_values={"z": 1}),
    "from few": lambda m: m.forecast(from_values={"x1": 1}), "from text": lambda m: m.forecast(from_values=["a", "b"]),
    "states": lambda m: m.forecast(noise=True, states=True), "quantile": lambda m: m.forecast().quantile(2),
    "field": lambda m: m.field([1, 2, 3]), "field 3d": lambda m: m.field(np.zeros((2, 2, 2))),
    "field text": lambda m: m.field("x"), "draw": lambda m: m.draw_field(-1), "seed": lambda m: m.forecast(seed=-1),
    "level": lambda m: m.impute(level=0), "impute times": lambda m: m.impute(times=[np.nan]),
    "score": lambda m: m.score((T, Y[:, :1])), "score when": lambda m: m.score((T, Y), after=5),
    "score order": lambda m: m.score((T, Y), after=5, until=4), "score start": lambda m: m.score((T, Y), start="x"),
    "score none": lambda m: m.score((T, Y * np.nan)), "score many": lambda m: m.score([(T, Y), (T, Y)]),
    "score channels": lambda m: m.score(FRAME), "save": lambda m: m.save("/no/such/folder/m.gpode"),
    "horizons": lambda m: m.score(m.data, horizons=[3, 1]),
}


def refused(call):
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert message and "\n" not in message, message


@pytest.mark.parametrize("name", DATA)
def test_data(name):
    refused(DATA[name])


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    refused(lambda: gpode.fit(FRAME, **OPTIONS[name], progress=False))


@pytest.mark.parametrize("name", CALLS)
def test_calls(name, model):
    refused(lambda: CALLS[name](model))


def test_unknown_options_are_type_errors(model):
    with pytest.raises(TypeError, match="did you mean inducing"):
        gpode.fit(FRAME, inducin=3)
    with pytest.raises(TypeError):
        gpode.GPODE(inducin=3)


def test_files_of_other_kinds(tmp_path, model):
    (tmp_path / "text.gpode").write_text("hello")
    np.savez(tmp_path / "arrays.gpode.npz", a=1)
    model.save(tmp_path / "whole.gpode")
    whole = (tmp_path / "whole.gpode").read_bytes()
    (tmp_path / "half.gpode").write_bytes(whole[: len(whole) // 2])
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    (tmp_path / "damaged.gpode").write_bytes(damaged)
    for name in ("none.gpode", "text.gpode", "arrays.gpode.npz", "half.gpode", "damaged.gpode", ""):
        refused(lambda: gpode.load(tmp_path / name))
        refused(lambda: gpode.resume(tmp_path / name, progress=False))


def test_messages_are_those_of_the_command_line(cli, vdp_csv, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("time,a\n0,1\n1,x\n2,3\n")
    with pytest.raises(ValueError) as error:
        gpode.fit(bad)
    assert cli("fit", bad, "-o", tmp_path / "m.gpode", code=2).strip().endswith(str(error.value))
    with pytest.raises(ValueError) as error:
        gpode.fit(vdp_csv, inducing=0)
    line = cli("fit", vdp_csv, "--inducing", "0", "-o", tmp_path / "m.gpode", code=2).strip()
    assert line.endswith(str(error.value).replace("inducing", "--inducing"))
    assert not os.path.exists(tmp_path / "m.gpode")
