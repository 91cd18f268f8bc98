#!/usr/bin/env python3
"""Makes single system calls of gpode fail, and checks that no file is lost and that failures are reported.

usage: faults_test.py GPODE FAULTS_LIBRARY [PART OF PARTS]

For every command and every kind of call, the k-th call fails: the first, the middle and the last one, or with
GPODE_LONG_TESTS=1 each of them; and once more with all calls after it failing as well, as on a disk that stays full.
Allocations are too many for that: three are taken, or with GPODE_LONG_TESTS=1 the first and the last hundred and 300 between
them. Afterwards every file is the complete old or the complete new one, and there is no other file. A command that ends
with 0 has written the new files and printed the same text. Any other command ends with 2 and one line. A thread that cannot
be started changes no result.

With PART OF PARTS, as in 3 16, only each PARTS-th command is tested, beginning with the PART-th.
"""
import os, pathlib, shutil, subprocess, sys, tempfile, time

import kinds

gpode, library = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
part, parts = (int(word) for word in sys.argv[3:5]) if len(sys.argv) > 3 else (1, 1)
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
    *[(["fit", *kinds.KINDS[kind], "-o", "k.gpode"], ["k.gpode", "k.gpode.toml"], [])
      for kind in ("shooting", "network", "nuts", "poisson", "equations", "inputs", "holdout", "components", "dates", "gaps")],
    (["forecast", "m.gpode", "--given", "v.csv", "--draws", "4", "-o", "f.csv", "--quiet"], ["f.csv"], []),
    (["forecast", "m.gpode", "--push", "x1=+0.5@t=8", "--draws", "4", "-o", "f.csv", "--quiet"], ["f.csv"], []),
    (["impute", "m.gpode", "--given", "v.csv", "--draws", "4", "-o", "i.csv", "--quiet"], ["i.csv"], []),
    (["plot", "m.gpode", "--kind", "phase", "-o", "p.png", "--quiet"], ["p.png"], []),
    (["plot", "m.gpode", "--kind", "field", "-o", "p.pdf", "--quiet"], ["p.pdf"], []),
    (["analyse", "m.gpode", "--draws", "2", "--no-basins", "-o", "a.json", "--plot", "a.svg", "--quiet"],
     ["a.json", "a.svg"], []),
    (["explain", "m.gpode", "--draws", "8", "-o", "e.out", "--latex", "e.tex", "--quiet"], ["e.out", "e.tex"], []),
    (["compare", "m.gpode", "n.gpode", "--draws", "4", "-o", "c.json", "--plot", "c.png"], ["c.json", "c.png"], []),
    (["design", "m.gpode", "--draws", "16", "-o", "w.json", "--plot", "w.svg"], ["w.json", "w.svg"], []),
    (["compare-models", "v.csv", "--models", "npode", "--iterations", "20", "--threads", "1", "--quiet"], [], []),
    (["score", "m.gpode", "v.csv", "--draws", "8"], [], []),
    (["info", "m.gpode"], [], []),
]
# The commands that write no file.
READERS = ["compare-models", "score", "info"]
FILE_CALLS = ["open", "write", "fsync", "close", "rename"]
CALLS = [*FILE_CALLS, "thread", "allocation", "malloc", "mmap"]
DATED = (".html", ".pdf")  # the endings of files that have the date in them
folder = pathlib.Path(tempfile.mkdtemp())
faults = problems = 0


def call(place, words, **faults_wanted):
    environment = dict(os.environ, LD_PRELOAD=library, **faults_wanted)
    return subprocess.run([gpode, *words], cwd=place, env=environment, capture_output=True, text=True, timeout=120)


def contents(place):
    """The files of a folder. Sidecars (.toml) are without the lines that differ from run to run."""
    files = {path.name: path.read_bytes() for path in place.iterdir()}
    return {name: b"\n".join(line for line in data.split(b"\n") if not line.startswith((b"timing.", b"model.checksums")))
            if name.endswith(".toml") else data[-20:] if name.endswith(DATED) else data for name, data in files.items()}


def problem(text):
    global problems
    problems += 1
    print("problem:", text)


def places(name, total):
    """Returns the numbers of the calls that fail, one in each run."""
    chosen = {1, (total + 1) // 2, total}
    if every and name in ("allocation", "malloc"):
        chosen |= {*range(1, 101), *range(total - 99, total + 1), *range(1, total + 1, max(1, total // 300))}
    elif every:
        chosen |= set(range(1, total + 1))
    return sorted(chosen & set(range(1, total + 1)))


def check(words, outputs, leavings, fault, before, after, found, done, printed):
    what = f"gpode {' '.join(words)}: {fault}"
    if done.returncode not in (0, 2) or (fault.startswith("thread") and done.returncode != 0):
        return problem(f"{what}: exit code {done.returncode} {done.stdout}{done.stderr}")
    if done.returncode == 0 and "timing" not in printed and done.stdout != printed:
        return problem(f"{what}: exit code 0, but other text {done.stdout!r}")
    # A checkpoint that fails is a warning on a line of its own.
    if done.returncode == 2 and not done.stderr.rstrip("\n").split("\n")[-1].startswith("gpode: "):
        problem(f"{what}: says {done.stderr!r}")
    errors = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    if done.returncode == 2 and "--checkpoint" not in words and len(errors) != 1:
        problem(f"{what}: says {done.stderr!r}")
    for name in sorted(set(before) | set(after) | set(found)):
        if name not in outputs:
            if found.get(name) != before.get(name) and not (done.returncode == 2 and name in leavings):
                problem(f"{what}: {name} has changed or is left over")
        elif done.returncode == 0 and found.get(name) != after.get(name):
            problem(f"{what}: exit code 0, but {name} is not the new file")
        elif found.get(name) not in (before.get(name), after.get(name)):
            # With --checkpoint, and after the part of --holdout that comes first, the file may also be a checkpoint of
            # the run, which is a complete model.
            if not (("--checkpoint" in words or "--holdout" in words) and name in found):
                problem(f"{what}: {name} is neither old nor new")
            elif name.endswith(".gpode") and call(place, ["info", name]).returncode != 0:
                problem(f"{what}: {name} is not a complete model")


began = time.monotonic()


def is_late():
    """Returns true when the sample of the ordinary tests has had its two minutes; the long tests have no limit."""
    return "GPODE_LONG_TESTS" not in os.environ and time.monotonic() - began > 120


try:
    start = folder / "start"
    start.mkdir()
    for words in (["simulate", "vdp", "--noise", "0.05", "--points", "12", "-o", "v.csv", "--quiet"],
                  [*FIT, "-o", "m.gpode"], [*FIT, "--seed", "3", "-o", "n.gpode"]):
        subprocess.run([gpode, *words], cwd=start, check=True)
    kinds.make_data(gpode, start)
    before = contents(start)
    place = folder / "place"
    for words, outputs, leavings in COMMANDS[part - 1::parts]:
        for name in CALLS:
            if is_late(): break
            if words[0] in READERS and name in FILE_CALLS: continue
            count = folder / "count"
            shutil.copytree(start, place)
            done = call(place, words, GPODE_FAULT_CALL=name, GPODE_FAULT_COUNT=str(count))
            if done.returncode != 0: problem(f"gpode {' '.join(words)}: {done.stderr}")
            after = contents(place)
            shutil.rmtree(place)
            total = int(count.read_text())
            if total == 0 and name not in ("thread", "mmap"): problem(f"gpode {' '.join(words)} never calls {name}")
            for k in places(name, total):
                if is_late(): break
                for lasts in ({}, {"GPODE_FAULT_LASTS": "1"}):
                    shutil.copytree(start, place)
                    failed = call(place, words, GPODE_FAULT_CALL=name, GPODE_FAULT_AT=str(k), **lasts)
                    what = f"{name} {k} of {total} fails" + (", and all after it" if lasts else "")
                    check(words, outputs, leavings, what, before, after, contents(place), failed, done.stdout)
                    shutil.rmtree(place)
                    faults += 1
finally:
    shutil.rmtree(folder)
print(f"{faults} faults, {problems} problems" + (", stopped after two minutes" if is_late() else ""))
sys.exit(1 if problems else 0)
