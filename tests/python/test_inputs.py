"""Tests of driven systems: inputs in data and forecasts."""
import numpy as np
import pandas as pd
import pytest

import gpode

QUICK = dict(steps=60, inducing=6, features=32, progress=False)


@pytest.fixture(scope="module")
def room():
    """A heated room, dT/dt = (10 - T) / 4 + 6 heat, every half hour."""
    plan = np.repeat([1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1], 4)
    temp = [15.0]
    for heat in plan[:-1]:
        level = 10 + 24 * heat
        temp.append(level + (temp[-1] - level) * np.exp(-0.125))
    return pd.DataFrame({"time": np.arange(len(plan)) / 2, "temp": temp, "heat": plan.astype(float)})


@pytest.fixture(scope="module")
def model(room):
    return gpode.fit(room.iloc[:32], inputs=["heat"], **QUICK)


def test_inputs_are_no_channels(model):
    assert model.channels == ["temp"] and model.inputs == ["heat"]


def test_the_command_lines_file_gives_the_same_bits(model, room, tmp_path):
    file = tmp_path / "room.csv"
    room.iloc[:32].to_csv(file, index=False)
    again = gpode.fit(file, inputs=["heat"], **QUICK)
    assert all(np.array_equal(again.parameters[name], values) for name, values in model.parameters.items())


def test_inputs_of_their_own_times(room, model):
    own = gpode.fit(room.iloc[:32][["time", "temp"]], inputs=room[["time", "heat"]], **QUICK)
    assert own.inputs == ["heat"]
    same = [m.forecast(times=[5.0, 10.0], start="initial").draws for m in (own, model)]
    assert np.array_equal(*same)


def test_forecasts_need_future_inputs(model, room):
    with pytest.raises(ValueError, match="inputs end at 15.5"):
        model.forecast(until=20)
    planned = model.forecast(until=20, inputs=room[["time", "heat"]])
    held = model.forecast(until=20, hold_inputs=True)
    assert np.isfinite(planned.draws).all() and not np.array_equal(planned.draws, held.draws)
    assert np.array_equal(planned.draws, model.forecast(until=20, inputs={"": room[["time", "heat"]]}).draws)


def test_scores_take_the_inputs_of_the_test_data(model, room):
    assert np.isfinite(model.score(room.iloc[32:], start="latest").mse)


def test_bad_inputs_are_one_line(model, room):
    for call, message in [
            (lambda: gpode.fit(room, inputs=["heet"], **QUICK), "no column named 'heet'"),
            (lambda: gpode.fit(room[["time", "temp"]].to_numpy(), inputs=["heat"], **QUICK), "only frames and files"),
            (lambda: gpode.fit(room.assign(heat=np.nan), inputs=["heat"], **QUICK), "heat"),
            (lambda: model.forecast(until=20, inputs=room[["time", "temp"]]), "no column named 'heat'"),
            (lambda: gpode.fit(room[["time", "temp"]], **QUICK).forecast(until=30, inputs=room), "no measured inputs")]:
        with pytest.raises(ValueError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


def test_inputs_in_arrays_have_names_of_their_own():
    times = np.arange(0, 6, 0.2)
    driven = gpode.fit((times, np.cos(times)[:, None]), inputs=(times, np.sin(times)[:, None]), **QUICK)
    assert (driven.channels, driven.inputs) == (["x1"], ["u1"])
