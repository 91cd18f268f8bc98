"""Every plot takes axes and returns them."""
import matplotlib.pyplot as plt
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", ["phase", "field", "training", "calibration"])
def test_one_panel(name, model):
    _, ax = plt.subplots()
    assert getattr(model, f"plot_{name}")(ax=ax) is ax
    assert ax.get_xlabel() and ax.get_ylabel()
    own = getattr(model, f"plot_{name}")()
    assert own is not ax
    own.figure.canvas.draw()


def test_forecast(model, two, vdp):
    panels = model.plot_forecast(until=12, test=vdp, shown_draws=3)
    assert [panel.get_ylabel() for panel in panels] == ["x1", "x2"]
    _, ax = plt.subplots()
    assert model.plot_forecast(ax=ax, channels=["x2"]) is ax
    assert ax.get_ylabel() == "x2" and ax.get_xlim()[1] > 10
    assert len(two.plot_forecast(trajectory=1)) == 2
    assert len(model.forecast(until=9).plot()) == 2
    figure, axes = plt.subplots(2)
    assert np.array_equal(model.plot_forecast(ax=axes), axes)
    with pytest.raises(ValueError, match="axes"):
        model.plot_forecast(ax=ax)
    with pytest.raises(ValueError, match="channels"):
        model.plot_forecast(channels=["z"])


def test_a_plane_needs_two_states(vdp):
    import gpode

    one = gpode.fit((vdp.times(0), vdp.values(0)[:, 0]), posterior="blocks", steps=20, progress=False)
    with pytest.raises(ValueError, match="plane needs 2"):
        one.plot_phase()
