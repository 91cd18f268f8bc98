#!/usr/bin/env python3
"""Runs the console blocks of a Markdown file and compares what they print with what the file shows.

usage: readme.py FILE BIN                    compare; exit code 1 and a difference if they disagree
       readme.py FILE BIN --write            replace what disagrees by what was printed
       readme.py FILE BIN --pictures FOLDER  compare, and copy the pictures that the commands make to a folder

A block begins with ```console; lines after "$ " are commands, the others their standard output. All blocks run in
one scratch folder, with BIN first in PATH. If there is a folder data beside FILE, its files are copied there first.

Words and whole numbers must agree exactly, white space may differ in width. Numbers with a decimal point must agree
within one unit of the last digit shown or within RELATIVE, whichever is larger. Instruction sets round differently, and
the chains of a sampler magnify that until they are other draws from the same posterior. A page with sampled models
therefore has to be run and written with the instructions that every CPU has: GPODE_SIMD=baseline (docs/tour.md). The
tolerance leaves room for other compilers and C libraries.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RELATIVE = 1e-5
STEPS = 0.02  # the relative tolerance of the number of steps that training took

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TIME = re.compile(r"^  time  .*$", re.M)  # the line that says how long training took


def run(command, folder, path):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"$ {command}\nexit code {done.returncode}\n{done.stderr}")
    return done.stdout


def last_digit(number):
    """The unit of the last digit of a number as it is written."""
    mantissa, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def numbers_agree(before, shown, printed):
    """True if two numbers agree; `before` is the text between the last number and this one."""
    if shown == printed:
        return True
    difference, size = abs(float(shown) - float(printed)), abs(float(shown))
    if before.endswith(" after "):
        return difference <= STEPS * size
    if "." not in shown or "." not in printed:
        return False
    return difference <= max(1.01 * max(last_digit(shown), last_digit(printed)), RELATIVE * size)


def agree(shown, printed):
    shown, printed = (re.sub(r" +", " ", TIME.sub("  time", text)) for text in (shown, printed))
    words, numbers = NUMBER.split(shown), NUMBER.findall(shown)
    if words != NUMBER.split(printed):
        return False
    return all(map(numbers_agree, words, numbers, NUMBER.findall(printed)))


def main():
    file, binaries = sys.argv[1], os.path.abspath(sys.argv[2])
    write = sys.argv[3:] == ["--write"]
    path = binaries + os.pathsep + os.environ["PATH"]
    text = open(file, encoding="utf-8").read()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for data in (pathlib.Path(file).resolve().parent / "data").glob("*"):
            shutil.copy(data, folder)
        def block(match):
            nonlocal bad
            out = ""
            for part in re.split(r"^\$ ", match.group(1), flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                printed = run(command, folder, path)
                same = agree(shown, printed)
                out += f"$ {command}\n{shown if same else printed}"
                bad += not same
                if not same and not write:
                    print(f"$ {command}\n--- shown\n{shown}--- printed\n{printed}")
            return f"```console\n{out}```"

        new, blocks = re.subn(r"^```console\n(.*?)^```", block, text, flags=re.M | re.S)
        for picture in pathlib.Path(folder).glob("*.png") if sys.argv[3:4] == ["--pictures"] else ():
            shutil.copy(picture, sys.argv[4])
    if blocks == 0:
        sys.exit(f"{file}: no console block")
    if write:
        open(file, "w", encoding="utf-8").write(new)
    elif bad:
        sys.exit(1)


if __name__ == "__main__":
    main()
