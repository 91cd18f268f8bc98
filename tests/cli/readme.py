#!/usr/bin/env python3
"""Runs the console blocks of a Markdown file and compares what they print with what it shows.

usage: readme.py FILE BIN          compare; exit code 1 and a difference if they disagree
       readme.py FILE BIN --write  put what was printed into the file

A block begins with ```console; lines after "$ " are commands, the others their standard output. All
blocks run in one scratch folder, with BIN first in PATH. Numbers are compared to the last digit on
CPUs with AVX-512, where the file's numbers are from; elsewhere rounding differs and training
magnifies that, so that there only the words have to agree.
"""
import os, re, subprocess, sys, tempfile

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")


def run(command, folder, path):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"$ {command}\nexit code {done.returncode}\n{done.stderr}")
    return done.stdout


# How long something took is never the same.
TIME = re.compile(r"^  time  .*$", re.M)


def reduced(text, exact):
    text = TIME.sub("  time", text)
    return text if exact else re.sub(r" +", " ", NUMBER.sub("#", text))


def main():
    file, binaries = sys.argv[1], os.path.abspath(sys.argv[2])
    write = sys.argv[3:] == ["--write"]
    exact = "avx512f" in open("/proc/cpuinfo").read()
    path = binaries + os.pathsep + os.environ["PATH"]
    text = open(file, encoding="utf-8").read()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        def block(match):
            nonlocal bad
            out = ""
            for part in re.split(r"^\$ ", match.group(1), flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                printed = run(command, folder, path)
                out += f"$ {command}\n{printed}"
                if reduced(printed, exact) != reduced(shown, exact):
                    bad += 1
                    if not write:
                        print(f"$ {command}\n--- shown\n{shown}--- printed\n{printed}")
            return f"```console\n{out}```"

        new, blocks = re.subn(r"^```console\n(.*?)^```", block, text, flags=re.M | re.S)
    if blocks == 0:
        sys.exit(f"{file}: no console block")
    if write:
        open(file, "w", encoding="utf-8").write(new)
    elif bad:
        sys.exit(1)


main()
