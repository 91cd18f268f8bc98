#!/usr/bin/env bash
# Runs script/includes on small trees and compares what it prints with what it must print.
# usage: includes_test.sh SCRIPT
set -euo pipefail
includes=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# file PATH HEADER...: writes a file that includes these headers, one per line.
file() {
  mkdir -p "$(dirname "$1")"
  printf '#include "%s"\n' "${@:2}" >"$1"
}

# expect CODE OUTPUT: checks exit code and output of the script on the tree as it is now.
expect() {
  local code=0 out
  out=$("$includes" . 2>&1) || code=$?
  [ "$code" = "$1" ] && [ "$out" = "$2" ] && return
  printf 'exit code %s and\n%s\nmust be %s and\n%s\n' "$code" "$out" "$1" "$2" >&2
  exit 1
}

expect 2 "includes: no .h or .cc file under include, src, experiments or tools of ."

# This tree is correct: core and simd may include each other, and ode may include the base class of
# fields.
file include/gpode/ode.h gpode/field.h
file src/core/random.cc gpode/random.h simd/simd.h
file src/simd/dispatch.cc gpode/error.h simd/simd.h
file src/kernel/kernel.cc kernel_list.h
file src/train/adam.cc train/adam.h model/bound.h
file tools/gpode/fit.cc commands.h experiments/tasks.h train/adam.h
expect 0 "includes: 6 files include only modules to their left"

# An #include may have blanks around its words. One inside a comment does not count.
file src/model/bound.cc model/bound.h train/adam.h
printf '  # include "sample/metric.h"\n// #include "train/adam.h"\n' >>src/model/bound.cc
file src/ode/solver.cc gpode/field.h gpode/mlp.h
file include/gpode/kernel.h gpode/field.h
expect 1 "include/gpode/kernel.h:1: module kernel must not include module field
src/model/bound.cc:2: module model must not include module train
src/model/bound.cc:3: module model must not include module sample
src/ode/solver.cc:2: module ode must not include module field"
rm src/model/bound.cc src/ode/solver.cc include/gpode/kernel.h

# New headers and folders must be assigned to a module in the script.
file include/gpode/shapes.h
file src/cellar/wine.cc
file src/core/random.cc gpode/shapes.h cellar/wine.h
expect 1 "include/gpode/shapes.h:1: belongs to no module; add it to script/includes
src/cellar/wine.cc:1: belongs to no module; add it to script/includes
src/core/random.cc:1: 'gpode/shapes.h' belongs to no module; add it to script/includes
src/core/random.cc:2: 'cellar/wine.h' belongs to no module; add it to script/includes"
