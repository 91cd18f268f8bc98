"""The estimator for scikit-learn."""
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import gpode
from gpode._estimator import NOT_APPLICABLE

FAST = dict(posterior="blocks", steps=100, inducing=6, features=32)


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    results = []
    for estimator, check in check_estimator(gpode.GPODE(time=0, posterior="blocks", steps=20, inducing=4, features=16), generate_only=True):
        name = getattr(check, "func", check).__name__
        try:
            check(estimator)
            results.append((name, "passed"))
        except Exception as error:
            if type(error).__name__ == "SkipTest":
                results.append((name, "skipped"))
            else:
                results.append((name, f"{type(error).__name__}: {str(error)[:300]}"))
    failed = {name: how for name, how in results if how not in ("passed", "skipped")}
    assert not failed, failed
    assert {name for name, how in results if how == "skipped"} <= set(NOT_APPLICABLE)
    assert sum(how == "passed" for _, how in results) >= 25


def test_parameters():
    estimator = gpode.GPODE(inducing=9, solver_rtol=1e-4)
    assert estimator.get_params()["inducing"] == 9 and estimator.get_params()["steps"] is None
    assert set(o.name for o in gpode.options()) <= set(estimator.get_params())
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(inducing=3).inducing == 3
    assert "inducing=3" in repr(estimator)


def test_fit_and_predict(vdp):
    times, values = vdp.times(0), vdp.values(0)
    estimator = gpode.GPODE(**FAST).fit(times[:, None], values)
    assert estimator.predict(times).shape == values.shape
    plain = gpode.fit((times, values), progress=False, **FAST)
    assert np.array_equal(estimator.predict(times), plain.forecast(times=times, start="initial").draws.mean(axis=0))
    order = np.random.default_rng(0).permutation(len(times))
    shuffled = gpode.GPODE(**FAST).fit(times[order], values[order])
    assert np.array_equal(shuffled.predict(times[order]), estimator.predict(times)[order])
    frame = pd.DataFrame(values, columns=["a", "b"])
    assert gpode.GPODE(**FAST).fit(pd.DataFrame({"t": times}), frame).model_.channels == ["a", "b"]
    assert gpode.GPODE(**FAST).fit(times, values[:, 0]).predict(times).shape == times.shape
    assert make_pipeline(gpode.GPODE(**FAST)).fit(times, values).score(times, values) > 0


def test_model_selection(vdp):
    times, values = vdp.times(0), vdp.values(0)
    scores = cross_val_score(gpode.GPODE(**FAST), times, values, cv=TimeSeriesSplit(3))
    assert scores.shape == (3,) and np.isfinite(scores).all()
    search = GridSearchCV(gpode.GPODE(**FAST), {"inducing": [4, 8]}, cv=TimeSeriesSplit(2)).fit(times, values)
    assert search.best_params_["inducing"] in (4, 8)
