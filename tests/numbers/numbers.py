#!/usr/bin/env python3
"""Compares what the program computes with recorded checksums, bit by bit.

Every case trains a small model and is reduced to one checksum for each array of the trained model, one for a
forecast and one for the scores. The recorded checksums hold for one instruction set (GPODE_SIMD=v3) and for the
compiler and the C library of Debian 12; elsewhere the comparison is skipped.

usage: numbers.py GPODE                compare with recorded.json
       numbers.py GPODE --record       write recorded.json; the commit says why the numbers changed
       numbers.py GPODE --only NAME    a single case
"""
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "recorded.json"
SKIPPED = 77

SMALL = ["--iterations", "400", "--inducing", "8", "--features", "32"]
SHORT = ["--inducing", "6", "--features", "16"]
CHAINS = ["--sampler-chains", "2", "--sampler-warm-up", "8", "--sampler-draws", "6"]

# Each case has a name, a data file and the options of gpode fit.
CASES = {
    "gpode": ("vdp.csv", SMALL),
    "shooting": ("vdp.csv", ["--model", "shooting", *SMALL]),
    "npode": ("vdp.csv", ["--model", "npode", *SMALL]),
    "npode-shooting": ("vdp.csv", ["--model", "npode-shooting", *SMALL]),
    "neural": ("vdp.csv", ["--model", "neural", *SMALL]),
    "neural-shooting": ("vdp.csv", ["--model", "neural-shooting", *SMALL]),
    "neural-vi": ("vdp.csv", ["--model", "neural-vi", "--neural-kl-weight", "0.5", *SMALL]),
    "neural-vi-shooting": ("vdp.csv", ["--model", "neural-vi-shooting", *SMALL]),
    "neural-hmc": ("vdp.csv", ["--model", "neural-hmc", "--neural-hidden", "6", *SMALL, *CHAINS]),
    "gpode-hmc": ("vdp.csv", ["--model", "gpode-hmc", *SMALL, *CHAINS]),
    "defaults": ("vdp.csv", ["--model", "gpode"]),
    "minibatches": ("runs.csv", ["--trajectories-by", "run", "--batch", "20", *SMALL]),
    "minibatches-shooting": ("runs.csv", ["--trajectories-by", "run", "--model", "shooting", "--batch", "15",
                                          "--segment", "2", *SMALL]),
    "validation": ("vdp.csv", ["--validation", "other.csv", *SMALL]),
    "validation-neural": ("vdp.csv", ["--validation", "other.csv", "--model", "neural", *SMALL]),
    "pca": ("mixed.csv", ["--observe", "pca", "--states", "2", *SMALL]),
    "pca-shooting": ("mixed.csv", ["--observe", "pca", "--states", "2", "--model", "shooting", *SMALL]),
    "hidden-state": ("one.csv", ["--states", "2", *SMALL]),
    "gaps": ("gaps.csv", ["--kernel", "matern52", "--shared-hyperparameters", "true", *SMALL]),
    "unscaled": ("vdp.csv", ["--scale", "false", "--noise", "0.05", "--kernel", "matern32", *SMALL]),
    "float": ("vdp.csv", ["--precision", "float", *SMALL]),
    "several-draws": ("vdp.csv", ["--draws", "3", *SMALL]),
    "learnt-tolerance": ("vdp.csv", ["--model", "shooting", "--tolerance", "learnt", "--tolerance-prior", "laplace",
                                     "--polish", "0", *SMALL]),
    "tsit5": ("vdp.csv", ["--solver", "tsit5", "--initial", "gap", *SMALL]),
    "dop853": ("vdp.csv", ["--solver", "dop853", *SMALL]),
    "rk4": ("vdp.csv", ["--solver", "rk4", "--solver-fixed-step", "0.05", *SMALL]),
    "esdirk4": ("vdp.csv", ["--solver", "esdirk4", *SMALL]),
    "polynomial": ("vdp.csv", ["--kernel", "se + polynomial2", *SMALL]),
    "inputs": ("driven.csv", ["--inputs", "u", "--period", "4", *SMALL]),
    "equations": ("vdp.csv", ["--equations", "vdp.ode", "--posterior", "blocks", *SMALL]),
    "poisson": ("counts.csv", ["--likelihood", "poisson", *SMALL]),
    "negative-binomial": ("counts.csv", ["--likelihood", "s=negative-binomial,i=poisson", *SMALL]),
    "student-t": ("vdp.csv", ["--likelihood", "student-t", *SMALL]),
    "lognormal": ("positive.csv", ["--likelihood", "lognormal", *SMALL]),
    "nuts": ("vdp.csv", ["--posterior", "nuts", *SHORT, *CHAINS]),
    "process-noise": ("vdp.csv", ["--posterior", "nuts", "--process-noise", "0.1", *SHORT, *CHAINS]),
    "joint": ("vdp.csv", ["--posterior", "joint", "--kernel", "se + linear", *SHORT, *CHAINS]),
    "joint-process-noise": ("vdp.csv", ["--posterior", "joint", "--process-noise", "0.1", *SHORT, *CHAINS]),
    # Threads share the work on the states themselves if there are many.
    "many-states": ("long.csv", ["--model", "shooting", "--batch", "0", "--polish", "0", "--draws", "2", "--iterations", "20",
                                 "--inducing", "8", "--features", "16"]),
}


def run(gpode, *words):
    environment = dict(os.environ, GPODE_SIMD="v3", NO_COLOR="1")
    result = subprocess.run([gpode, *words], capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        sys.exit(f"numbers: gpode {' '.join(words)} ended with {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def read_rows(path):
    lines = pathlib.Path(path).read_text().split("\n")
    return [line.split(",") for line in lines if line]


def write_rows(path, rows):
    pathlib.Path(path).write_text("".join(",".join(row) + "\n" for row in rows))


def make_data(gpode):
    """Writes the data files of all cases, derived from simulated ones by exact operations on text or halves."""
    run(gpode, "simulate", "vdp", "--noise", "0.05", "--points", "30", "--truth-until", "10", "-o", "vdp.csv")
    run(gpode, "simulate", "vdp", "--noise", "0.05", "--points", "20", "--seed", "5", "-o", "other.csv")
    run(gpode, "simulate", "vdp", "--noise", "0.05", "--points", "1000", "--span", "140", "-o", "long.csv")
    run(gpode, "simulate", "sir", "--counts", "100", "--points", "30", "-o", "counts.csv")
    run(gpode, "simulate", "lotka-volterra", "--noise", "0.01", "--points", "30", "--span", "8", "-o", "positive.csv")
    pathlib.Path("vdp.ode").write_text("param a ~ normal(1, 0.5)\ndx1 = x2\ndx2 = -a * x1 + gp(x1, x2)\n")
    rows = read_rows("vdp.csv")
    write_rows("driven.csv", [[*row, "u" if i == 0 else str(i // 5 % 2)] for i, row in enumerate(rows)])
    write_rows("one.csv", [row[:2] for row in rows])
    write_rows("gaps.csv", [row[:1] + ["" if (i + 3 * k) % 7 == 2 else row[k] for k in (1, 2)]
                            for i, row in enumerate(rows) if i % 5 != 4])
    mixed = [["time", "a", "b", "c", "d"]]
    for time, x1, x2 in rows[1:]:
        x, y = float(x1), float(x2)
        mixed.append([time] + [repr(v) for v in (x + 0.5 * y, x - 0.5 * y, 2 * y + 0.25 * x, 0.125 * x)])
    write_rows("mixed.csv", mixed)
    runs = [["run", *rows[0]]]
    for seed in ("1", "2", "3"):
        run(gpode, "simulate", "vdp", "--noise", "0.05", "--points", "25", "--seed", seed, "-o", "run.csv")
        runs += [[seed, *row] for row in read_rows("run.csv")[1:]]
    write_rows("runs.csv", runs)


def checksum(data):
    return hashlib.sha256(data).hexdigest()[:16]


def values_of(array):
    """Returns the bytes of an .npy file behind its header: names and shapes may change, values may not."""
    return array[10 + int.from_bytes(array[8:10], "little"):]


def check_finite(name, text):
    for word in text.replace("\n", ",").split(","):
        try:
            if not math.isfinite(float(word)):
                sys.exit(f"numbers: {name}: the forecast holds {word}")
        except ValueError:
            pass


def numbers_of(gpode, name):
    data, options = CASES[name]
    run(gpode, "fit", data, *options, "-o", "model.gpode", "--quiet")
    with zipfile.ZipFile("model.gpode") as archive:
        sums = {entry.removesuffix(".npy"): checksum(values_of(archive.read(entry)))
                for entry in sorted(archive.namelist()) if entry.startswith("model/")}
    held = ["--hold-inputs"] if data == "driven.csv" else []
    run(gpode, "forecast", "model.gpode", "--until", "150" if data == "long.csv" else "10", "--points", "9", "--draws", "16",
        "--noise", *held, "-o", "forecast.csv")
    text = pathlib.Path("forecast.csv").read_text()
    check_finite(name, text)
    sums["forecast"] = checksum(text.encode())
    if data == "vdp.csv":
        run(gpode, "forecast", "model.gpode", "--from", "x1=0.7,x2=-0.3", "--times", "0:3:4", "--draws", "8",
            "-o", "from.csv")
        run(gpode, "field", "model.gpode", "--grid", "x1=-2:2:3,x2=-2:2:3", "--jacobian", "--draws", "2", "-o",
            "field.csv")
        for name_of_file in ("from", "field"):
            sums[name_of_file] = checksum(pathlib.Path(name_of_file + ".csv").read_bytes())
    scores = json.loads(run(gpode, "score", "model.gpode", data, *(["--trajectories-by", "run"] if data == "runs.csv" else []),
                            "--json", "--draws", "16"))
    scores.pop("channels", None)  # the same values for each channel and horizon
    sums["score"] = checksum(json.dumps(scores, sort_keys=True).encode())
    return sums


def supported():
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    release = pathlib.Path("/etc/os-release").read_text()
    return {"avx2", "fma", "bmi2"} <= set(flags) and 'VERSION_CODENAME=bookworm' in release


def main(arguments):
    if not supported():
        print("numbers: skipped, the recorded bits are those of Debian 12 and an x86-64-v3 CPU")
        return SKIPPED
    gpode = str(pathlib.Path(arguments[0]).resolve())
    names = [arguments[2]] if len(arguments) > 2 and arguments[1] == "--only" else list(CASES)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_data(gpode)
        found = {name: numbers_of(gpode, name) for name in names}
    if "--record" in arguments:
        RECORDED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        print(f"numbers: {len(found)} cases recorded")
        return 0
    recorded = json.loads(RECORDED.read_text())
    wrong = []
    for name, sums in found.items():
        expected = recorded.get(name, {})
        for key in sorted(set(sums) | set(expected)):
            if sums.get(key) != expected.get(key):
                wrong.append(f"{name}: {key} is {sums.get(key)}, recorded {expected.get(key)}")
    for line in wrong:
        print(f"numbers: {line}")
    print(f"numbers: {len(found)} cases, {len(wrong)} differences")
    return 1 if wrong else 0


sys.exit(main(sys.argv[1:]))
