"""Data in every shape that people have give the same data set."""
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import gpode
from gpode._times import TimeAxis

TIMES = np.array([0.0, 0.5, 1.5, 2.0])
VALUES = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0], [7.0, 9.0]])


def check(data, channels=("a", "b"), count=1):
    assert data.channels == list(channels) and len(data) == count
    for n in range(count):
        assert np.array_equal(data.times(n), TIMES)
        assert np.array_equal(data.values(n), VALUES, equal_nan=True)
    return data


FRAME = pd.DataFrame({"a": VALUES[:, 0], "time": TIMES, "b": VALUES[:, 1]})


def test_frames(tmp_path):
    check(gpode.read(FRAME))
    check(gpode.read(FRAME.rename(columns={"time": "Year"}), "Year"))
    check(gpode.read(FRAME.rename(columns={"time": "Year"}), time="Year", channels=["a", "b"]))
    check(gpode.read(FRAME.set_index("time")))
    check(gpode.read(FRAME.drop(columns="time"), time=TIMES))
    check(gpode.read(FRAME.astype({"a": "Int64", "b": "Float64"})))
    check(gpode.read(FRAME.astype({"a": object, "b": object})))
    check(gpode.read([FRAME, FRAME[["time", "b", "a"]]]), count=2)
    named = check(gpode.read({"one": FRAME, "two": FRAME}), count=2)
    assert named.names == ["one", "two"]
    long = pd.concat([FRAME.assign(run="r1"), FRAME.assign(run="r2")])
    assert check(gpode.read(long, trajectories_by="run"), count=2).names == ["r1", "r2"]
    assert check(gpode.read(long.rename(columns={"run": "trajectory"})), count=2).names == ["r1", "r2"]
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    check(gpode.read(tmp_path / "a.csv"))
    check(gpode.read([str(tmp_path / "a.csv"), tmp_path / "a.csv"]), count=2)
    series = gpode.read(FRAME.set_index("time")["a"])
    assert series.channels == ["a"]


def test_arrays():
    table = np.column_stack([TIMES, VALUES])
    check(gpode.read(table), ("x1", "x2"))
    check(gpode.read(table.tolist()), ("x1", "x2"))
    check(gpode.read(VALUES, time=TIMES, channels=["a", "b"]))
    check(gpode.read((TIMES, VALUES), channels=["a", "b"]))
    check(gpode.read([(TIMES, VALUES), (TIMES.tolist(), VALUES.tolist())]), ("x1", "x2"), 2)
    check(gpode.read(np.stack([VALUES, VALUES]), time=TIMES), ("x1", "x2"), 2)
    check(gpode.read(np.stack([VALUES, VALUES]), time=np.stack([TIMES, TIMES])), ("x1", "x2"), 2)
    check(gpode.read(np.asfortranarray(VALUES), time=TIMES), ("x1", "x2"))
    check(gpode.read(np.ma.masked_invalid(VALUES), time=TIMES), ("x1", "x2"))
    assert gpode.read(np.arange(4, dtype=np.float32), time=TIMES).channels == ["x1"]
    assert gpode.read(np.arange(4), time=range(4)).values(0).dtype == float


def test_xarray():
    array = xr.DataArray(VALUES, dims=("time", "channel"), coords={"time": TIMES, "channel": ["a", "b"]})
    check(gpode.read(array))
    check(gpode.read(array.T))
    check(gpode.read(array.to_dataset("channel")))
    check(gpode.read(array.rename(time="when"), time="when"))
    several = xr.concat([array, array], dim="trajectory").assign_coords(trajectory=["p", "q"])
    assert check(gpode.read(several), count=2).names == ["p", "q"]
    assert gpode.read(array.isel(channel=0, drop=True).rename("a")).channels == ["a"]


def test_dates_become_numbers_and_come_back():
    days = pd.date_range("2020-03-01", periods=4, freq="D", name="day")
    data = gpode.read(pd.DataFrame({"a": range(4), "b": 1.0}, index=days))
    assert np.array_equal(data.times(0), [0, 1, 2, 3])
    assert data.time_name == "day" and data.calendar == (86400.0, 1583020800.0, False)
    axis = TimeAxis.of(data)
    assert axis.index(data.times(0)).equals(days)
    assert axis.number("2020-03-11", "f", "until") == 10


@pytest.mark.parametrize("freq,unit", [("H", "hours"), ("7T", "minutes"), ("250L", "seconds"), ("M", "days"), ("3H", "hours")])
def test_units_of_dates(freq, unit):
    stamps = pd.date_range("1999-12-31 23:00", periods=6, freq=freq, tz="Europe/Helsinki")
    data = gpode.read(pd.DataFrame({"date": stamps, "a": range(6)}), time="date")
    axis = TimeAxis.of(data)
    assert axis.unit == unit and axis.zone
    back = axis.index(data.times(0))
    assert abs(back - stamps.tz_convert("UTC")).max() < pd.Timedelta("1us")


def test_other_times():
    assert gpode.read((pd.to_timedelta([0, 1, 3], "s"), [1, 2, 3])).times(0)[2] == 3
    data = gpode.read((["2020-01-01", "2020-01-02", "2020-01-04"], [1, 2, 3]))
    assert np.array_equal(data.times(0), [0, 1, 3])
    periods = gpode.read(pd.DataFrame({"a": [1, 2, 3]}, index=pd.period_range("2020", periods=3, freq="Y")))
    assert np.array_equal(periods.times(0), [0, 366, 731])


def test_a_forecast_of_dates_has_dates(tmp_path):
    data = gpode.simulate("vdp", noise=0.05)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(np.round(data.times(0) * 10, 3), "D")
    frame = pd.DataFrame(data.values(0), columns=["a", "b"], index=pd.DatetimeIndex(days, name="when"))
    model = gpode.fit(frame, posterior="blocks", steps=150, progress=False)
    model.save(tmp_path / "m.gpode")
    model = gpode.load(tmp_path / "m.gpode")
    forecast = model.forecast(until="2021-04-15", points=4)
    assert forecast.index[-1] == pd.Timestamp("2021-04-15") and forecast.index.name == "when"
    assert forecast.to_xarray()["time"].dtype.kind == "M"
    assert model.score(frame, after="2021-02-01")["values"] > 0
    assert model.impute(pd.DatetimeIndex(["2021-01-05 12:00"])).index[4:].size
    with pytest.raises(ValueError, match="until is 2020-01-01"):
        model.forecast(until="2020-01-01")
    with pytest.raises(ValueError, match="must be a date"):
        model.forecast(until="soon")


def test_views_share_memory(model):
    assert model.data.values(0).flags.writeable is False
    assert model.data.values(0).base is not None


def test_dates_of_model_files_of_earlier_versions():
    axis = TimeAxis.parse("day [days since 2020-03-01T00:00:00]")
    assert axis.number("2020-03-11", "f", "until") == 10 and axis.label == "day"


# ---- reading options, which are those of the command line


def test_files_with_dates_have_dates_in_python(tmp_path):
    file = tmp_path / "log.csv"
    file.write_text("Date;Time;a\n01/03/2024;00.00.00;1,5\n01/03/2024;01.00.00;-200\n01/03/2024;02.00.00;2,5\n"
                    "13/03/2024;02.00.00;3\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpode.GpodeWarning)
        data = gpode.read(file, time=["Date", "Time"], missing=-200, time_unit="hours")
    axis = TimeAxis.of(data)
    assert axis.is_dates and axis.unit == "hours"
    assert axis.index(data.times(0))[2] == pd.Timestamp("2024-03-01 02:00")
    assert np.isnan(data.values(0)[1, 0]) and data.values(0)[0, 0] == 1.5


def test_long_format_from_files_and_frames(tmp_path):
    frame = pd.DataFrame({"Time": [0, 0, 1, 1, 2], "Species": ["p", "q", "p", "q", "p"], "Count": [1, 2, 3, 4, 5.0]})
    file = tmp_path / "long.csv"
    frame.to_csv(file, index=False)
    for data in (gpode.read(frame, time="Time", long=("Species", "Count")),
                 gpode.read(file, time="Time", long={"name": "Species", "value": "Count"})):
        assert data.channels == ["p", "q"]
        assert np.array_equal(data.values(0), [[1, 2], [3, 4], [5, np.nan]], equal_nan=True)
    twice = pd.concat([frame, frame.iloc[:1]])
    with pytest.raises(ValueError, match="two values of 'p' at one time"):
        gpode.read(twice, time="Time", long=("Species", "Count"))


def test_parts_of_files(tmp_path):
    file = tmp_path / "d.csv"
    pd.DataFrame({"t": range(10), "a": range(10), "b": 1.0}).to_csv(file, index=False)
    data = gpode.read(file, after=1, until=8, every=2, channels=["a"])
    assert np.array_equal(data.times(0), [2, 4, 6, 8])
    with pytest.raises(ValueError, match="every is for files"):
        gpode.read(pd.read_csv(file), every=2)


@pytest.mark.parametrize("option,message", [
    ({"every": 0}, "every is 0, must be a whole number from 1"), ({"dt": -1}, "dt is -1, must be a positive number"),
    ({"duplicates": "no"}, "duplicates is 'no', must be one of"), ({"dates": "ymd"}, "dates is 'ymd', must be one of"),
    ({"long": "Species"}, "long is 'Species', must be the names of two columns"), ({"separator": 3}, "separator is 3"),
    ({"skip": 2.5}, "skip is 2.5, must be a whole number"), ({"time_unit": "weeks"}, "time_unit is 'weeks'")])
def test_options_for_reading_are_checked(tmp_path, option, message):
    file = tmp_path / "d.csv"
    file.write_text("t,a\n0,1\n1,2\n")
    with pytest.raises(ValueError, match=message):
        gpode.read(file, **option)


def test_what_is_left_out_is_a_warning(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("t,a,note\n1,2,x\n0,1,y\n")
    with pytest.warns(gpode.GpodeWarning, match="note"):
        data = gpode.read(file)
    assert data.channels == ["a"] and np.array_equal(data.times(0), [0, 1])


def test_counts_and_outliers_are_simulated_as_on_the_command_line(cli, tmp_path):
    data = gpode.simulate("sir", points=20, counts=50, dispersion=0.1, seed=3)
    cli("simulate", "sir", "--points", 20, "--counts", 50, "--dispersion", 0.1, "--seed", 3, "-o", tmp_path / "sir.csv", "-q")
    np.testing.assert_array_equal(data.values(0), gpode.read(str(tmp_path / "sir.csv")).values(0))
    assert (data.values(0) == np.round(data.values(0))).all()
    plain, odd = (gpode.simulate("vdp", noise=0.01, outliers=p).values(0) for p in (0, 0.2))
    assert (np.abs(odd - plain) > 3).any()
