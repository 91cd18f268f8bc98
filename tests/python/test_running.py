"""Training as a good citizen: it can be interrupted, runs in threads, and costs what the command line costs."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import gpode

SCRIPT = textwrap.dedent("""
    import sys, time, gpode
    data = gpode.simulate("vdp", noise=0.05)
    if "blocks" not in sys.argv[2]:
        print("ready", flush=True)
    try:
        gpode.fit(data, steps=100000, patience=0, checkpoint=sys.argv[1], seed=2, progress=lambda *a: print("step", flush=True),
                  **eval(sys.argv[2]))
    except KeyboardInterrupt as stop:
        print("interrupted", time.time(), stop.model is not None, stop, flush=True)
        sys.exit(7)
""")


@pytest.mark.parametrize("options", ["dict(posterior='blocks')", "dict(posterior='nuts')", "dict(posterior='joint')"])
def test_ctrl_c_stops_within_a_second(options, tmp_path):
    file = tmp_path / "run.gpode"
    # A sampler reports its first step late, so that the script of a sampler prints "ready" instead.
    run = subprocess.Popen([sys.executable, "-c", SCRIPT, str(file), options], stdout=subprocess.PIPE, text=True)
    if "blocks" in options:
        assert run.stdout.readline().strip() == "step"
    else:
        assert run.stdout.readline().strip() == "ready"
    time.sleep(0.3)
    sent = time.time()
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=30)
    assert run.returncode == 7
    word, when, has_model, message = [line for line in out.splitlines() if line.startswith("interrupted")][0].split(" ", 3)
    assert float(when) - sent < 1
    assert has_model == ("True" if "blocks" in options else "False")
    assert "gpode.resume" in message and file.exists()


@pytest.mark.parametrize("options", [dict(posterior="blocks", steps=15000, patience=0), dict(posterior="joint", sampler_draws=20)],
                         ids=["trained", "sampled"])
def test_a_stopped_run_resumes_to_the_same_bits(options, tmp_path):
    data = gpode.simulate("vdp", points=12, noise=0.05)
    options = dict(options, seed=2, features=32, inducing=6)
    whole = gpode.fit(data, **options, progress=False)
    stops = 0

    def stop(step, steps, bound, shooting):
        if step < steps:
            signal.raise_signal(signal.SIGINT)

    run = lambda: gpode.fit(data, **options, progress=stop, checkpoint=tmp_path / "run.gpode")
    while True:
        try:
            model = run()
            break
        except KeyboardInterrupt as error:
            stops += 1
            if "steps" in options:
                assert error.model.forecast(until=8).draws.shape[0] == 128  # what has been learnt can be used
                assert not error.model.finished
            else:
                assert error.model is None  # a sampler has no model before its end
            progress = stop if stops < 2 else False
            run = lambda: gpode.resume(tmp_path / "run.gpode", progress=progress)
    assert stops >= 1 and model == whole
    assert (tmp_path / "run.gpode").read_bytes() == whole._raw.to_bytes()


def test_threads_give_the_bits_of_one_and_run_in_parallel():
    data = gpode.simulate("vdp", noise=0.05)
    options = dict(posterior="blocks", steps=2500, patience=0, threads=1, progress=False)
    start = time.perf_counter()
    alone = gpode.fit(data, **options)
    one = time.perf_counter() - start
    results = [None, None]

    def work(i):
        results[i] = gpode.fit(data, **options)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    both = time.perf_counter() - start
    assert results[0] == alone and results[1] == alone
    print(f"one fit {one:.2f} s, two at once {both:.2f} s: {2 * one / both:.2f} times as fast")
    if (os.cpu_count() or 1) > 1 and os.getloadavg()[0] < 0.5 * os.cpu_count():
        assert 2 * one / both > 1.5


def test_other_threads_run_during_a_fit():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    model = gpode.fit(gpode.simulate("vdp", noise=0.05), posterior="blocks", steps=1500, patience=0, progress=False)
    model.forecast(until=100, points=2000)
    done.set()
    thread.join()
    assert np.diff(ticks).max() < 0.3
