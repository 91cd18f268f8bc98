"""Fixtures of the tests of the Python package, which run the installed package and the program gpode."""
import os
import pathlib
import subprocess

import matplotlib
import pytest

import gpode

matplotlib.use("Agg")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FAST = dict(posterior="blocks", steps=300, inducing=8, features=64)


@pytest.fixture(scope="session")
def cli():
    """A function that runs `gpode` with arguments and returns its standard output, or its errors if code is not 0."""
    program = os.environ.get("GPODE_CLI", str(ROOT / "build/bin/gpode"))
    if not os.access(program, os.X_OK):
        pytest.skip(f"{program} is not built")

    def run(*arguments, code=0):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return run


@pytest.fixture(scope="session")
def vdp():
    return gpode.simulate("vdp", noise=0.05)


@pytest.fixture(scope="session")
def vdp_csv(tmp_path_factory, vdp):
    import pandas as pd

    path = tmp_path_factory.mktemp("data") / "vdp.csv"
    pd.DataFrame({"time": vdp.times(0), "x1": vdp.values(0)[:, 0], "x2": vdp.values(0)[:, 1]}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def model(vdp):
    return gpode.fit(vdp, **FAST, progress=False)


@pytest.fixture(scope="session")
def two(vdp):
    """A model of two trajectories with gaps."""
    data = gpode.simulate("vdp", points=25, noise=0.02, trajectories=2, missing=0.1)
    return gpode.fit(data, **FAST, progress=False)
