#!/usr/bin/env python3
"""Makes single system calls of gpode fail, and checks that no file is lost and that failures are reported.

usage: faults_test.py GPODE FAULTS_LIBRARY

For every command that writes and every kind of call, one call fails: in turn the first, the middle and the last one, or
with GPODE_LONG_TESTS=1 each of them. There are too many allocations for that, so three of them fail, or with
GPODE_LONG_TESTS=1 the first hundred, the last hundred and 300 between. Afterwards every file is either the complete old
or the complete new one, and there is no other file. A command that ends with 0 has written the new files. Any other
command ends with 2 and one line. A thread that cannot be started changes no result.
"""
import os, pathlib, shutil, subprocess, sys, tempfile

gpode, library = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
every = os.environ.get("GPODE_LONG_TESTS") == "1"
SMALL = ["--model", "gpode", "--posterior", "blocks", "--iterations", "30", "--inducing", "4", "--features", "16"]
FIT = ["fit", "v.csv", *SMALL, "--threads", "1", "--quiet"]
JOINT = ["fit", "v.csv", "--posterior", "joint", "--inducing", "4", "--features", "8", "--process-noise", "none",
         "--sampler-warm-up", "4", "--sampler-draws", "4", "--sampler-max-depth", "3", "--threads", "3", "--checkpoint=0", "--quiet"]
# Each entry has a command, the files that it writes, and files that it may leave if it fails.
COMMANDS = [
    (["simulate", "vdp", "--points", "20", "-o", "s.csv", "--quiet"], ["s.csv", "s.truth.csv"], []),
    ([*FIT, "-o", "new.gpode"], ["new.gpode", "new.gpode.toml"], []),
    ([*FIT, "--checkpoint", "1e-9", "-o", "steps.gpode"], ["steps.gpode", "steps.gpode.toml"], []),
    ([*FIT, "--seed", "2", "-o", "m.gpode"], ["m.gpode", "m.gpode.toml", "m.gpode~", "m.gpode~.toml"],
     ["m.gpode.partial", "m.gpode.partial.toml"]),
    ([*JOINT, "-o", "joint.gpode"], ["joint.gpode", "joint.gpode.toml"], []),
    (["forecast", "m.gpode", "--threads", "3", "-o", "f.csv", "--quiet"], ["f.csv"], []),
    (["forecast", "m.gpode", "-o", "f.npz", "--quiet"], ["f.npz"], []),
    (["impute", "m.gpode", "-o", "i.csv", "--quiet"], ["i.csv"], []),
    (["field", "m.gpode", "--grid", "x1=-2:2:4,x2=-2:2:4", "-o", "d.csv", "--quiet"], ["d.csv"], []),
    (["plot", "m.gpode", "--kind", "forecast", "-o", "p.svg", "--quiet"], ["p.svg"], []),
    (["report", "m.gpode", "-o", "r.html", "--draws", "4", "--quiet"], ["r.html"], []),
]
FILE_CALLS = ["open", "write", "fsync", "close", "rename"]
CALLS = [*FILE_CALLS, "thread", "allocation"]
folder = pathlib.Path(tempfile.mkdtemp())
faults = problems = 0


def call(place, words, **faults_wanted):
    environment = dict(os.environ, LD_PRELOAD=library, **faults_wanted)
    return subprocess.run([gpode, *words], cwd=place, env=environment, capture_output=True, text=True, timeout=120)


def contents(place):
    """The files of a folder. Sidecars (.toml) are without the lines that differ from run to run."""
    files = {path.name: path.read_bytes() for path in place.iterdir()}
    return {name: b"\n".join(line for line in data.split(b"\n") if not line.startswith((b"timing.", b"model.checksums")))
            if name.endswith(".toml") else data for name, data in files.items()}


def problem(text):
    global problems
    problems += 1
    print("problem:", text)


def places(name, total):
    """Returns the numbers of the calls that fail, one in each run."""
    chosen = {1, (total + 1) // 2, total}
    if every and name == "allocation":
        chosen |= {*range(1, 101), *range(total - 99, total + 1), *range(1, total + 1, max(1, total // 300))}
    elif every:
        chosen |= set(range(1, total + 1))
    return sorted(chosen & set(range(1, total + 1)))


def check(words, outputs, leavings, fault, before, after, found, done):
    what = f"gpode {' '.join(words)}: {fault}"
    if done.returncode not in (0, 2) or done.stdout or (fault.startswith("thread") and done.returncode != 0):
        return problem(f"{what}: exit code {done.returncode} {done.stdout}{done.stderr}")
    # A checkpoint that fails is a warning on a line of its own.
    if done.returncode == 2 and not done.stderr.rstrip("\n").split("\n")[-1].startswith("gpode: "):
        problem(f"{what}: says {done.stderr!r}")
    if done.returncode == 2 and "--checkpoint" not in words and done.stderr.count("\n") != 1:
        problem(f"{what}: says {done.stderr!r}")
    for name in sorted(set(before) | set(after) | set(found)):
        if name not in outputs:
            if found.get(name) != before.get(name) and not (done.returncode == 2 and name in leavings):
                problem(f"{what}: {name} has changed or is left over")
        elif done.returncode == 0 and found.get(name) != after.get(name):
            problem(f"{what}: exit code 0, but {name} is not the new file")
        elif found.get(name) not in (before.get(name), after.get(name)):
            # With --checkpoint, the file may also be a checkpoint of the run.
            if not ("--checkpoint" in words and name in found): problem(f"{what}: {name} is neither old nor new")


try:
    start = folder / "start"
    start.mkdir()
    for words in (["simulate", "vdp", "--noise", "0.05", "--points", "12", "-o", "v.csv", "--quiet"],
                  [*FIT, "-o", "m.gpode"]):
        subprocess.run([gpode, *words], cwd=start, check=True)
    before = contents(start)
    place = folder / "place"
    for words, outputs, leavings in COMMANDS:
        for name in CALLS:
            count = folder / "count"
            shutil.copytree(start, place)
            done = call(place, words, GPODE_FAULT_CALL=name, GPODE_FAULT_COUNT=str(count))
            if done.returncode != 0: problem(f"gpode {' '.join(words)}: {done.stderr}")
            after = contents(place)
            shutil.rmtree(place)
            total = int(count.read_text())
            if total == 0 and name != "thread": problem(f"gpode {' '.join(words)} never calls {name}")
            for k in places(name, total):
                shutil.copytree(start, place)
                done = call(place, words, GPODE_FAULT_CALL=name, GPODE_FAULT_AT=str(k))
                check(words, outputs, leavings, f"{name} {k} of {total} fails", before, after, contents(place), done)
                shutil.rmtree(place)
                faults += 1
finally:
    shutil.rmtree(folder)
print(f"{faults} faults, {problems} problems")
sys.exit(1 if problems else 0)
