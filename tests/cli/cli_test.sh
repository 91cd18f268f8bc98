#!/usr/bin/env bash
# Tests of the command line, one function each.
# usage: cli_test.sh GPODE TEST    environment: GPODE_VERSION, the version to expect
set -euo pipefail
gpode=$1

fail() { printf '%s\n' "$@" >&2; exit 1; }

# expect CODE STDOUT STDERR ARGUMENTS...: the exact result of one call.
expect() {
  local code=0 out err scratch
  scratch=$(mktemp -d)
  "$gpode" "${@:4}" >"$scratch/out" 2>"$scratch/err" || code=$?
  out=$(<"$scratch/out") err=$(<"$scratch/err")
  rm -r "$scratch"
  [ "$code" = "$1" ] || fail "gpode ${*:4}: exit code $code, must be $1" "$err"
  [ "$out" = "$2" ] || fail "gpode ${*:4}: stdout is" "$out" "must be" "$2"
  [ "$err" = "$3" ] || fail "gpode ${*:4}: stderr is" "$err" "must be" "$3"
}

# contains TEXT PART...
contains() {
  local part
  for part in "${@:2}"; do
    [[ "$1" == *"$part"* ]] || fail "'$part' is missing from" "$1"
  done
}

test_version() { expect 0 "gpode $GPODE_VERSION" "" --version; }

test_help() {
  contains "$("$gpode" --help)" "gpode $GPODE_VERSION" "usage: gpode SUBCOMMAND" portrait
  expect 0 "$("$gpode" --help)" ""
  expect 0 "$("$gpode" --help)" "" -h
}

test_unknown_subcommand() {
  expect 2 "" "gpode: unknown subcommand 'potrait', must be learn or portrait; see gpode --help" potrait
}

test_learn_shows_a_forecast_and_is_reproducible() {
  local first
  first=$("$gpode" learn --seed 3 2>/dev/null)
  contains "$first" "seed 3" "┤" "└" "noise variance learnt" "MNLL" "0 draws diverged"
  [ "$first" = "$("$gpode" learn --seed 3 2>/dev/null)" ] || fail "the same seed gives another result"
}

test_learn_rejects_bad_arguments() {
  expect 2 "" "gpode: learn: argument '--sed' is unknown, known: --seed, --help" learn --sed 1
  expect 2 "" "gpode: learn: --seed has no number after it" learn --seed
  contains "$("$gpode" learn --help)" "usage: gpode learn [--seed N]" "examples:"
}

test_portrait_help_ends_with_two_examples() {
  local text
  text=$("$gpode" portrait --help)
  contains "$text" "usage: gpode portrait [SYSTEM] [--seed N]" "--seed N" "lotka-volterra"
  [ "$(tail -n 3 <<<"$text" | head -n 1)" = "examples:" ] || fail "no examples at the end of" "$text"
  tail -n 2 <<<"$text" | while read -r _ arguments; do
    # shellcheck disable=SC2086  # words are meant
    "$gpode" $arguments >/dev/null
  done
}

test_portrait_runs_for_every_system() {
  local system text
  for system in vdp fhn lotka-volterra pendulum linear; do
    text=$("$gpode" portrait "$system")
    contains "$text" "┤" "└" "● start" "std.dev." "over 100 of 100 draws, 0 diverged" \
      "field evaluations"
  done
}

test_portrait_fits_into_80_columns() {
  local LC_ALL=C.UTF-8 line
  while IFS= read -r line; do
    [ ${#line} -le 80 ] || fail "${#line} columns: $line"
  done < <("$gpode" portrait fhn)
}

test_portrait_is_reproducible() {
  local first
  first=$("$gpode" portrait vdp --seed 7)
  expect 0 "$first" "" portrait vdp --seed 7
  expect 0 "$first" "" portrait --seed 7 vdp
  expect 0 "$first" "" portrait --seed 7
  [ "$first" != "$("$gpode" portrait vdp --seed 8)" ] || fail "another seed gives the same draws"
}

test_portrait_has_no_escape_codes_in_a_pipe() {
  [[ "$("$gpode" portrait)" != *$'\033'* ]] || fail "there are escape codes"
}

test_portrait_refuses_bad_arguments() {
  local known="vdp, fhn, lotka-volterra, pendulum, linear"
  local range="must be a whole number from 0 to 18446744073709551615"
  local bad
  for bad in nonsense lorenz63 ""; do
    expect 2 "" "gpode: portrait: SYSTEM is '$bad', must be one of $known" portrait "$bad"
  done
  for bad in abc -1 1.5 7x "" " 7" 18446744073709551616; do
    expect 2 "" "gpode: portrait: --seed is '$bad', $range" portrait --seed "$bad"
  done
  expect 2 "" "gpode: portrait: --seed has no number after it" portrait vdp --seed
  expect 2 "" "gpode: portrait: option '--sed' is unknown, known: --seed, --help" portrait --sed 7
  expect 2 "" "gpode: portrait: SYSTEM is given twice, the second is 'fhn'" portrait vdp fhn
}

"$2"
